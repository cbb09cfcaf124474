"""A log file for the commands that judge numbers: the boot to use, and what is doubtful about it."""

from . import source
from .errors import Usage
from .log import GRAMMAR, Log


def load(path):
    log = Log()
    for chunk in source.read(path):
        log.feed(chunk)
    log.close()
    if not log.boots:
        raise Usage(f"{path}: no record in it: is this a log of Tintype?")
    newer = [boot.grammar for boot in log.boots if boot.grammar not in (None, GRAMMAR)]
    if newer:
        # Its members may mean something else: no number of it can be judged.
        raise Usage(f"{path}: log grammar v={newer[0]}; this tt knows {GRAMMAR}: take the tt of that kernel")
    return log


def pick(log, path, number=None):
    """The last boot of a log, or the one numbered from 1. Which one is said by the caller."""
    if number is None:
        return log.boots[-1]
    if not 1 <= number <= len(log.boots):
        raise Usage(f"{path}: no boot {number}: it has {len(log.boots)}")
    return log.boots[number - 1]


def machine_facts(boot):
    """What makes numbers comparable: processor, caches, and the port they ran on."""
    facts = {"arch": boot.facts.get("arch")}
    for record in boot.of("machine", what="cpu"):
        f = record.fields
        facts["cpu"] = " ".join(str(f.get(k)) for k in ("vendor", "cpu", "family", "model", "stepping"))
        facts["hypervisor"] = f.get("hypervisor")
    for record in boot.of("machine", what="model"):
        facts["cache model"] = record.fields.get("machine")
    caches = [r.fields for r in boot.of("machine", what="cache")]
    facts["caches"] = ", ".join(f"L{c['level']} {c['size']}/{c['ways']}/{c['line']}" for c in caches)
    return facts


def differences(a, b):
    """Why two boots' numbers may not be compared: a different machine, or checks that cost time."""
    out = []
    ours, theirs = machine_facts(a), machine_facts(b)
    for key in sorted(ours.keys() | theirs.keys()):
        if ours.get(key) != theirs.get(key):
            out.append(f"different machines: {key}: {ours.get(key)} against {theirs.get(key)}")
    levels = [boot.facts.get("check") for boot in (a, b)]
    if levels[0] != levels[1]:
        out.append(f"different CHECK levels: {levels[0]} against {levels[1]}")
    return out
