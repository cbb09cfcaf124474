"""The boots of a sweep: words such as mem=64M,1G and seed=1..10 become every combination of them.

An axis is something that is one for a whole boot. Parameters are a dict, one value per axis; what
was not said is that axis' default. sweep.py runs them, results.py keeps what came out.
"""

import functools
import hashlib
import itertools
import json
import os
import shlex
from dataclasses import dataclass
from typing import Callable

from . import model, qemu
from .errors import Usage, did_you_mean

BOOTS_MAX = 10000  # a mistyped range is likelier than a week of boots


@dataclass(frozen=True)
class Axis:
    default: object
    values: Callable  # (axis, text) -> list of values; Usage when one of them is none
    help: str
    short: str = "{}"  # in a log's name; empty: the digest there has to do
    known: Callable = tuple  # () -> all values there are, where that can be said


def _pieces(name, text):
    pieces = text.split(",")
    if not all(pieces):
        raise Usage(f"{name}={text}: a value is missing")
    return pieces


def _known(name, text):
    valid = AXES[name].known()
    for piece in _pieces(name, text):
        if piece not in valid:
            raise Usage(f"{name}={piece}: no such {name}; {did_you_mean(piece, valid)}there are: {', '.join(valid)}")
    return ["" if piece == "none" else piece for piece in _pieces(name, text)]


def _numbers(lowest, highest):
    def parse(name, text):
        found = []
        for piece in _pieces(name, text):
            first, dots, last = piece.partition("..")
            ends = [int(end) if end.isascii() and end.isdigit() else -1 for end in (first, last if dots else first)]
            if not lowest <= ends[0] <= ends[1] <= highest:
                limit = f"from {lowest}" + (f" to {highest}" if highest < 1 << 32 else "")
                raise Usage(f"{name}={piece}: expected a number or a range FIRST..LAST {limit}")
            if ends[1] - ends[0] >= BOOTS_MAX:
                raise Usage(f"{name}={piece}: more than {BOOTS_MAX} boots")
            found += range(ends[0], ends[1] + 1)
        return found

    return parse


def _sizes(name, text):
    for piece in _pieces(name, text):
        model.bytes_of(piece)
    return _pieces(name, text)


def _whole(name, text):
    del name
    return [text]


def _arguments(name, text):
    try:
        shlex.split(text)
    except ValueError as error:
        raise Usage(f"{name}={text}: {error}") from error
    return [text]


# In the order of the loops: the last changes fastest, so that the boots that are pooled follow each other.
AXES = {
    "arch": Axis("x86_64", _known, "architectures; default: x86_64", known=lambda: qemu.ARCHES),
    "boot": Axis("kernel", _known, "ways to boot; default: kernel", known=lambda: qemu.BOOTS),
    "kernel": Axis("", _pieces, "kernels, files; default: build/ARCH/tintype.elf", ""),
    "check": Axis(0, _numbers(0, 3), "CHECK levels: build/ARCH-checkN/tintype.elf; default: 0", "check{}", lambda: "0123"),
    "model": Axis("", _known, "cache models: tools/machines; default: none", known=lambda: (*model.names(), "none")),
    "mem": Axis("256M", _sizes, "the machine's memory; default: 256M"),
    "smp": Axis(1, _numbers(1, 255), "processors: numbers or ranges; default: 1", "smp{}"),
    "qemu": Axis("", _arguments, 'more QEMU arguments, all of one value: qemu="-cpu Nehalem"', ""),
    "cmdline": Axis("", _whole, 'a whole command line: cmdline="run=conflict alloc=buddy,va"', ""),
    "seed": Axis(None, _numbers(0, (1 << 64) - 1), "seeds, added to the command line; tables pool over them", "seed{}"),
}


def parse(words, extra=()):
    """The parameters of every boot, in order. extra: QEMU arguments that all of them get."""
    given = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or name not in AXES:
            raise Usage(f"{word}: {did_you_mean(name, AXES, '{}=')}expected AXIS=VALUES; axes: {', '.join(AXES)}")
        for value in AXES[name].values(name, text):
            if value in given.setdefault(name, []):
                raise Usage(f"{name}={value or 'none'} is there twice")
            given[name].append(value)
    if "check" in given and "kernel" in given:
        raise Usage("check= chooses among make's kernels, kernel= names others: one of them")
    for line in given.get("cmdline", ()):
        for word in line.split():
            if word.startswith("seed=") and "seed" in given:
                raise Usage(f"{word} on the command line, and seed= as an axis: one of them")
    if extra:
        given["qemu"] = [f"{q} {shlex.join(extra)}".strip() for q in given.get("qemu", [""])]
    lists = [given.get(name, [axis.default]) for name, axis in AXES.items()]
    count = 1
    for values in lists:
        count *= len(values)
    if count > BOOTS_MAX:
        raise Usage(f"{count} boots; at most {BOOTS_MAX}")
    return [dict(zip(AXES, values)) for values in itertools.product(*lists)]


def machine(parameters):
    """The qemu.Machine of a boot."""
    p = parameters
    checked = f"-check{p['check']}" if p["check"] else ""
    return qemu.Machine(
        arch=p["arch"],
        boot=p["boot"],
        kernel=p["kernel"] or f"build/{p['arch']}{checked}/tintype.elf",
        cmdline=p["cmdline"] if p["seed"] is None else f"{p['cmdline']} seed={p['seed']}".strip(),
        model=p["model"],
        mem=p["mem"],
        smp=p["smp"],
        extra=shlex.split(p["qemu"]),
    )


def check(boots):
    """Usage that names every reason why one of these cannot be built, before any of them is run."""
    reasons = {}
    for parameters in boots:
        try:
            qemu.check(machine(parameters))
        except Usage as error:
            reasons.setdefault(str(error), []).append(parameters)
    if reasons:
        texts = [f"{why} ({len(of)} of {len(boots)} boots: {said(of[0])})" for why, of in reasons.items()]
        raise Usage("\n".join(texts))


def name(parameters):
    """A log's name: readable, and by its digest never another boot's. Defaults leave no trace in it."""
    special = {k: v for k, v in parameters.items() if v != AXES[k].default}
    digest = hashlib.sha256(json.dumps(special, sort_keys=True).encode()).hexdigest()[:8]
    parts = [AXES[k].short.format(v) for k, v in special.items() if AXES[k].short]
    return "-".join([*parts, digest]) + ".log"


def said(parameters, axes=None):
    """A boot in words: the axes given, or those that are not at their default."""
    axes = [k for k in AXES if parameters[k] != AXES[k].default] if axes is None else axes
    return " ".join(shlex.quote(_word(parameters, k)) for k in axes) or "defaults"


def _word(parameters, axis):
    value = parameters[axis]
    return f"{axis}={'none' if value in ('', None) else value}"


def varying(boots):
    """The axes in which these boots differ."""
    return [k for k in AXES if len({p[k] for p in boots}) > 1]


LINES = ("qemu", "cmdline")  # axes whose values are lines of words


def told_apart(lines):
    """{line: those of its words that not all of them have}."""
    common = set.intersection(*(set(line.split()) for line in lines))
    return {line: " ".join(w for w in line.split() if w not in common) for line in lines}


def labels(boots):
    """What tells each of these boots from the others, in as few words as that takes."""
    axes = varying(boots)
    if not axes:
        return [""] * len(boots)
    apart = {k: told_apart([p[k] for p in boots]) for k in LINES if k in axes}
    short = []
    for p in boots:
        words = [apart[k][p[k]] if k in apart else _word(p, k) for k in axes]
        short.append(" ".join(filter(None, words)) or "no more words")
    # Two command lines of the same words in another order: nothing short tells them apart.
    return short if len(set(short)) == len({said(p) for p in boots}) else [said(p, axes) for p in boots]


def inputs(parameters):
    """Digest of the files that a boot's result depends on: kernel, cache model, described machine."""
    m = machine(parameters)
    files = [m.kernel] + ([model.PLUGIN, model.conf(m.model)] if m.model else [])
    digests = [_file_digest(path, os.stat(path).st_mtime_ns) for path in files]
    return hashlib.sha256("".join(digests).encode()).hexdigest()[:16]


@functools.lru_cache(maxsize=None)
def _file_digest(path, mtime_ns):
    del mtime_ns  # a part of the key: the file may have been built anew
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()
