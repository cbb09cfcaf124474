"""Serial logs made on the host, by the grammar of HACKING.md: what the tools' tests read.

The CRC is computed here from the grammar's words, not by the code under test.
"""

import binascii
import json
import random


def record(kind, seq, /, **members):
    """One record line, without line end."""
    body = json.dumps({"tt": kind, "seq": seq, **members}, separators=(",", ":"))[:-1]
    return f'{body},"crc":"{binascii.crc32(body.encode()):08x}"}}'


class Builder:
    """Records in order; text() is the log."""

    def __init__(self, **boot):
        self.lines = []
        self._seq = 0
        members = dict(v=1, version="test", arch="x86_64", way="pvh", loader="test", check=0, console="ttyS0,115200")
        cmdline = boot.pop("cmdline", "run=bandwidth")
        self.record("boot", what="kernel", **{**members, **boot})
        half = len(cmdline) // 2
        for part, text in enumerate((cmdline[:half], cmdline[half:])):
            self.record("boot", what="cmdline", part=part, parts=2, cmdline=text)

    def record(self, kind, /, **members):
        self.lines.append(record(kind, self._seq, **members))
        self._seq += 1

    def text(self, text):
        self.lines.append(text)

    def end(self, verdict="ok", passed=1, failed=0, skipped=0):
        self.record("end", verdict=verdict, passed=passed, failed=failed, skipped=skipped)
        return self

    def bytes(self, newline="\n"):
        return "".join(line + newline for line in self.lines).encode("latin-1")


BETTER = {"MB/s": "higher", "cycles": "lower", "pages": "none", "operations": "none"}


def experiment(
    effect, exp="bandwidth", levels=("buddy", "va"), reps=5, xs=(65536, 262144), metric="read", unit="MB/s", seed=1,
    source="tsc", noise=1.0, axis="bytes", **boot
):
    """A whole log: effect(level, x) is the true value of a sample, Gaussian noise on top."""
    rng = random.Random(seed)
    log = Builder(**boot)
    log.record("machine", what="cpu", vendor="Test", cpu="Test CPU", family=6, model=1, stepping=0, hypervisor="")
    log.record("machine", what="cache", level=1, size=32768, ways=8, line=64, source="cpuid leaf 4")
    log.record("machine", what="cache", level=2, size=262144, ways=1, line=64, source="cpuid leaf 4")
    log.record("machine", what="clock", source="tsc", hz=1000000000, basis="pit+acpi_pm", invariant=True, overhead=40)
    log.record("memory", what="total", ram_pages=65536, page_bytes=4096, ranges=3)
    log.text("KTAP version 1")
    log.text("1..1")
    named = {} if xs == (None,) else {"axis": axis}
    plan = dict(**named, levels=len(levels), reps=reps, warmup=1, passes=4, seed=seed, subject_pages=16384, subject_ranges=1)
    log.record("experiment", exp=exp, what="plan", **plan, design="randomized complete blocks", fixed="age=none")
    for i, name in enumerate(levels):
        colors = dict(colors=64, cache_bytes=262144, ways=1, color_source="command line")
        log.record("experiment", exp=exp, what="level", level=i, name=name, **colors)
    log.record("experiment", exp=exp, what="metric", metric=metric, unit=unit, better=BETTER[unit], source=source)
    for block in range(reps):
        order = list(levels)
        rng.shuffle(order)
        for place, level in enumerate(order):
            for x in xs:
                value = round(effect(level, x) + rng.gauss(0, noise), 6)
                at = {} if x is None else {"x": x}
                log.record(
                    "sample", exp=exp, level=level, block=block, order=place, **at, metric=metric, value=value,
                    unit=unit, better=BETTER[unit], source=source,
                )
    log.text(f"ok 1 {exp}")
    return log.end()
