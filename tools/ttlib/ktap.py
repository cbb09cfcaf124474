"""KTAP version 1 as the kernel prints it: nested verdict lines, and totals as its end record has them.

A nested level stands before its parent's line and two spaces further in.
"""

import re
from dataclasses import dataclass

RESULT = re.compile(r"^((?:  )*)(not ok|ok) (\d+)(?: (?:- )?([^#]*?))?(?: *# *(.*))?$")
PLAN = re.compile(r"^((?:  )*)1\.\.(\d+)")
VERSION = re.compile(r"^((?:  )*)KTAP version \d+$")


@dataclass(frozen=True)
class Verdict:
    name: str  # with the parents' names: "selftest/wx"
    ok: bool
    reason: str  # what follows the '#', "" if nothing
    skipped: bool
    children: int  # 0: a leaf
    failed_children: int


class Level:
    def __init__(self):
        self.plan = 0
        self.verdicts = []  # its own and its children's
        self.own = 0
        self.failed = 0
        self.missing = 0  # of the children's plans

    def unreported(self):
        return self.missing + max(0, self.plan - self.own)


def is_ktap(text):
    return any(pattern.match(text) for pattern in (RESULT, PLAN, VERSION))


class Verdicts:
    """All verdict lines of one boot."""

    def __init__(self, texts):
        self._levels = {}  # depth -> Level that is open
        self._done = []
        for text in map(str.rstrip, texts):
            if match := VERSION.match(text):
                depth = len(match.group(1)) // 2
                self._close(depth)
                self._levels[depth] = Level()
            elif match := PLAN.match(text):
                self._level(len(match.group(1)) // 2).plan = int(match.group(2))
            elif match := RESULT.match(text):
                self._result(match)
        self._close(0)

    def _level(self, depth):
        return self._levels.setdefault(depth, Level())

    def _close(self, depth):
        """Levels from depth on end without a parent's line: only the outermost should."""
        for d in sorted(self._levels):
            if d >= depth:
                self._done.append(self._levels.pop(d))

    def _result(self, match):
        depth = len(match.group(1)) // 2
        level, child = self._level(depth), self._levels.pop(depth + 1, Level())
        name, reason = (match.group(4) or match.group(3)).strip(), match.group(5) or ""
        ok, skipped = match.group(2) == "ok", reason.upper().startswith("SKIP")
        for v in child.verdicts:
            level.verdicts.append(
                Verdict(f"{name}/{v.name}", v.ok, v.reason, v.skipped, v.children, v.failed_children)
            )
        failed = child.failed + max(0, child.plan - child.own)
        level.verdicts.append(Verdict(name, ok, reason, skipped, child.own, failed))
        level.own += 1
        level.failed += not ok
        level.missing += child.unreported()

    @property
    def all(self):
        return [v for level in self._done for v in level.verdicts]

    def totals(self, panicked=False):
        """
        (passed, failed, skipped) over leaves. A parent counts when it fails though no child did;
        a test that was planned and never reported has failed, unless a panic cut the rest off.
        """
        leaves = [v for v in self.all if not v.children]
        skipped = sum(v.ok and v.skipped for v in leaves)
        failed = sum(not v.ok for v in leaves)
        failed += sum(not v.ok and not v.failed_children for v in self.all if v.children)
        if not panicked:
            failed += sum(level.unreported() for level in self._done)
        return sum(v.ok for v in leaves) - skipped, failed, skipped
