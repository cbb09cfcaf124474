"""A serial log as its boots: which records are there, and exactly which are not.

Every record carries seq, 0, 1, 2 ... over one boot, and an `end` record closes it: so what a damaged
log lacks is known by number, except behind the last record of a boot that has no end.
"""

from dataclasses import dataclass, field

from .records import Broken, Line, Record, Scanner

GRAMMAR = 1  # the boot record's "v" that we understand


def ranges(numbers):
    """[1, 2, 3, 7] -> "1-3, 7"."""
    runs = []
    for n in sorted(numbers):
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


@dataclass
class Boot:
    by_seq: dict = field(default_factory=dict)
    repeated: int = 0  # the same record came again
    lines: list = field(default_factory=list)  # Line: verdicts, notes, noise

    @property
    def records(self):
        return list(self.by_seq.values())

    def of(self, kind, **members):
        """Records of a kind whose members have these values."""
        return [
            r
            for r in self.by_seq.values()
            if r.kind == kind and all(r.fields.get(k) == v for k, v in members.items())
        ]

    @property
    def last(self):
        return max(self.by_seq, default=-1)

    @property
    def end(self):
        """The end record's members, or None."""
        ends = self.of("end")
        return ends[0].fields if ends else None

    @property
    def grammar(self):
        """The "v" of its first record; None when that is lost."""
        kernels = self.of("boot", what="kernel")
        return kernels[0].fields.get("v", 0) if kernels else None

    @property
    def facts(self):
        """Members of the boot records; the command line put together from its parts."""
        members = {}
        for record in self.of("boot"):
            members.update(record.fields)
        members.pop("cmdline", None)
        parts = self.parts("boot", "cmdline", what="cmdline")
        return members if parts is None else {**members, "cmdline": "".join(parts)}

    def parts(self, kind, member, **members):
        """One member of each of the records that share a longer text or array, in order; None when
        a part is lost: half a value is a wrong one."""
        found = {r.fields["part"]: r.fields for r in self.of(kind, **members) if "part" in r.fields}
        if not found or set(found) != set(range(found[min(found)]["parts"])):
            return None
        return [found[i][member] for i in sorted(found)]

    def missing(self):
        """Numbers of the records that are known to be lost."""
        return [n for n in range(self.last + 1) if n not in self.by_seq]

    def complaints(self):
        """What keeps this boot's log from being whole; empty when it is."""
        out = []
        lost = self.missing()
        if lost:
            out.append(f"lost seq {ranges(lost)} ({len(lost)} of {self.last + 1} records)")
        ends = self.of("end")
        if not ends:
            out.append(f"no end record: the log stops after seq {self.last}")
        elif ends[0].seq != self.last:
            out.append(f"records after the end record (seq {ends[0].seq}): up to {self.last}")
        if self.grammar not in (None, GRAMMAR):
            out.append(f"log grammar v={self.grammar}; this tt knows {GRAMMAR}")
        return out


class Log:
    """feed() it bytes, close() it, then ask. add() returns what a caller may want to pass on."""

    def __init__(self):
        self.boots = []
        self.broken = []
        self.lines = []  # all Lines, those before the first record included
        self._scanner = Scanner()

    def feed(self, data):
        """Returns the new Records, repeats left out."""
        return self._take(self._scanner.feed(data))

    def close(self):
        return self._take(self._scanner.close())

    def _take(self, items):
        fresh = []
        for item in items:
            if isinstance(item, Record):
                if self._add(item):
                    fresh.append(item)
            elif isinstance(item, Broken):
                self.broken.append(item)
            elif isinstance(item, Line):
                self.lines.append(item)
                if self.boots:
                    self.boots[-1].lines.append(item)
        return fresh

    def _add(self, record):
        """False for a repeat. seq never runs backwards within a boot: if it does, it is another."""
        boot = self.boots[-1] if self.boots else None
        same = boot.by_seq.get(record.seq) if boot else None
        restarted = boot and record.seq == 0 and boot.end
        if same and same.text == record.text and not restarted:
            boot.repeated += 1
            return False
        if boot is None or restarted or record.seq <= boot.last:
            boot = Boot()
            self.boots.append(boot)
        boot.by_seq[record.seq] = record
        return True

    def ended(self):
        """Has the boot that came last reached its end record?"""
        return bool(self.boots and self.boots[-1].end)

    def complaints(self):
        """All that is wrong, a line each: damaged places, lost records, missing ends."""
        out = [f"line {b.line}: damaged record ({b.why}): {b.text[:60]}" for b in self.broken]
        if not self.boots:
            return out + ["no record at all: is this a log of Tintype?"]
        for number, boot in enumerate(self.boots, 1):
            lead = f"boot {number} of {len(self.boots)}: " if len(self.boots) > 1 else ""
            out += [lead + c for c in boot.complaints()]
        return out


def read_log(data):
    log = Log()
    log.feed(data)
    log.close()
    return log
