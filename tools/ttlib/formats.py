"""The formats of tt scrape: JSON lines, CSV, KTAP, and the Go benchmark format of benchstat.

A writer gets records as they come and the whole Log at the end; what it could not pass on, or found to
contradict itself, it puts into `complaints`.
"""

import csv
import re

from . import ktap


class Writer:
    def __init__(self, out):
        self.out = out
        self.complaints = []

    def records(self, records):
        pass

    def finish(self, log):
        pass


class JsonLines(Writer):
    """The records' own bytes, so that no number is ever rounded and the CRC still holds."""

    def records(self, records):
        for record in records:
            self.out.write(record.text + "\n")
        self.out.flush()


class Csv(Writer):
    """One line per sample. A value of null is an empty field."""

    COLUMNS = "seq exp level block order x metric value unit better source zero".split()

    def __init__(self, out):
        super().__init__(out)
        self._csv = csv.writer(out, lineterminator="\n")
        self._csv.writerow(self.COLUMNS)

    def records(self, records):
        for record in records:
            if record.kind == "sample":
                cells = [record.fields.get(c) for c in self.COLUMNS]
                self._csv.writerow(["" if c is None else c for c in cells])


class Ktap(Writer):
    """The verdict lines. They carry no CRC: the end record's totals have to agree."""

    def finish(self, log):
        for number, boot in enumerate(log.boots, 1):
            lines = [line.text for line in boot.lines if ktap.is_ktap(line.text)]
            self.out.write("".join(line.rstrip() + "\n" for line in lines))
            end = boot.end or {}
            counted = ktap.Verdicts(lines).totals(panicked=end.get("verdict") == "panic")
            stated = tuple(end.get(k) for k in ("passed", "failed", "skipped"))
            if end and counted != stated:
                self.complaints.append(
                    f"boot {number}: verdict lines say %d passed, %d failed, %d skipped; "
                    "the end record says %s, %s, %s" % (counted + stated)
                )


class Benchstat(Writer):
    """Go's benchmark format: a Unit line per unit, then one line per sample."""

    def __init__(self, out):
        super().__init__(out)
        self._better = {}  # of the units announced so far
        self._nulls = 0

    @staticmethod
    def _word(text, also=""):
        return re.sub(rf"[\s={also}]+", "_", str(text))

    def _key(self, name, value):
        """One /key=value part of a benchmark's name, that '/' would end."""
        return f"{name}={self._word(value, also='/')}"

    def records(self, records):
        for record in records:
            if record.kind == "sample":
                self._sample(record.fields)

    def _sample(self, f):
        if f.get("value") is None:
            self._nulls += 1
            return
        # Of one unit benchstat knows one better side; a second meaning gets a unit of its own.
        unit = self._word(f["unit"])
        if self._better.get(unit, f["better"]) != f["better"]:
            unit = f"{self._word(f['metric'])}-{unit}"
        if unit not in self._better:
            self._better[unit] = f["better"]
            if f["better"] != "none":
                self.out.write(f"Unit {unit} better={f['better']}\n")
        name = f["exp"][:1].upper() + f["exp"][1:]
        parts = [f"Benchmark{self._word(name, also='/')}", self._key("level", f["level"])]
        parts += [self._key("x", f["x"])] if "x" in f else []
        parts += [self._key(k, f[k]) for k in ("metric", "source")]
        self.out.write(f"{'/'.join(parts)} 1 {f['value']} {unit}\n")

    def finish(self, log):
        if self._nulls:
            self.complaints.append(f"{self._nulls} samples without a value left out")


FORMATS = {"jsonl": JsonLines, "csv": Csv, "ktap": Ktap, "benchstat": Benchstat}
