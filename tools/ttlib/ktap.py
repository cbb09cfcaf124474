"""KTAP version 1 as the kernel prints it: nested verdict lines, and totals over the leaves."""

import re
from dataclasses import dataclass

RESULT = re.compile(r"^((?:  )*)(not ok|ok) (\d+)(?: (?:- )?([^#]*?))?(?: *# *(.*))?$")
OTHER = re.compile(r"^(?:  )*(?:KTAP version \d+|1\.\.\d+.*)$")


@dataclass(frozen=True)
class Verdict:
    name: str  # with the parents' names: "selftest/wx"
    ok: bool
    reason: str  # what follows the '#', "" if nothing
    skipped: bool
    leaf: bool


def is_ktap(text):
    return bool(RESULT.match(text) or OTHER.match(text))


def verdicts(texts):
    """Verdicts in order of the log. A parent's line follows its children's, so names come late."""
    out = []
    open_children = {}  # depth -> verdicts that wait for their parent's name
    for text in texts:
        match = RESULT.match(text.rstrip())
        if not match:
            continue
        depth = len(match.group(1)) // 2
        reason = match.group(5) or ""
        verdict = Verdict(
            (match.group(4) or match.group(3)).strip(),
            match.group(2) == "ok",
            reason,
            reason.upper().startswith("SKIP"),
            not open_children.get(depth + 1),
        )
        children = [
            Verdict(f"{verdict.name}/{c.name}", c.ok, c.reason, c.skipped, c.leaf)
            for c in open_children.pop(depth + 1, [])
        ]
        open_children.setdefault(depth, []).extend(children + [verdict])
    for depth in sorted(open_children):
        out += open_children[depth]
    return out


def totals(found):
    """(passed, failed, skipped) over leaves: what the end record counts, too."""
    leaves = [v for v in found if v.leaf]
    skipped = sum(v.skipped for v in leaves)
    failed = sum(not v.ok and not v.skipped for v in leaves)
    return len(leaves) - skipped - failed, failed, skipped
