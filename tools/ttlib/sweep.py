"""tt sweep: every combination of what must be one for a whole boot, each boot one `tt run`.

    tt sweep -o DIR model=ds10,k75 mem=64M,1G seed=1..10 cmdline="run=conflict alloc=buddy,va"

Words are AXIS=VALUES; an axis given again gets more values. What can be levels of one boot (alloc=,
page_color=, age= ...) belongs on the command line. DIR keeps every boot's raw log, and index.jsonl says
per boot its parameters, log, status and verdict. A boot whose log there is whole and ok is not run again:
the same command goes on where it was stopped, and one with more values adds to what is there. At the
end stand the tables of all that DIR has, pooled over the seeds; tt report DIR makes them a page,
tt compare DIR DIR compares two sweeps.
"""

import os
import shlex
import signal
import sys
from contextlib import closing

from . import arguments, jobs, ktap, matrix, pool
from .errors import Finding, Usage
from .load import load
from .log import Boot
from .results import INDEX, Results, locked
from .run import LIMIT_S

NAME = "sweep"
HELP = "a matrix of boots, resumable, with tables pooled over seeds"

TT = os.path.relpath(os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "tt"))

# Beside QEMU's own time: making an ISO (a second or two), starting Python, ending QEMU.
GRACE_S = 60


def add_arguments(parser):
    lines = []
    for name, axis in matrix.AXES.items():
        lines.append(f"  {name + '=':9} {axis.help}" + (f"; there are: {', '.join(axis.known())}" if axis.known() else ""))
    parser.epilog = "axes (the last changes fastest):\n" + "\n".join(lines)
    parser.add_argument("words", metavar="AXIS=VALUES", nargs="+", help="see below; a comma between values")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="where logs and index are kept")
    parser.add_argument(
        "-j", "--jobs", type=arguments.count, metavar="N", default=len(os.sched_getaffinity(0)),
        help="boots at a time, each with its own mem= of this machine's memory; default: one a processor, here %(default)s",
    )
    parser.add_argument("--timeout", type=arguments.seconds, default=LIMIT_S, metavar="S", help="for a boot, seconds; default: %(default)s")
    parser.add_argument("--force", action="store_true", help="run again what is there already, too")
    parser.add_argument("--dry-run", action="store_true", help="list the boots and their commands, run none")
    parser.add_argument("--metric", metavar="NAME", action="append", default=[], help="in the tables only this one; may repeat")


def run(args):
    boots = {matrix.name(p): p for p in matrix.parse(args.words, args.qemu_arguments)}
    matrix.check(boots.values())
    if args.dry_run:
        return dry_run(boots, Results(args.output), args)
    with locked(args.output):
        results = Results(args.output)
        todo = to_run(boots, results, args.force)
        bring_up_to_date(boots, todo, results, args)
        return conclude(boots, results, args.metric)


def names(boots):
    """What a person calls each boot of this sweep: by what tells it from the others."""
    labels = matrix.labels(list(boots.values()))
    return {log: label or matrix.said(p) for (log, p), label in zip(boots.items(), labels)}


def counted(boots):
    return f"{len(boots)} boot{'s' * (len(boots) != 1)}"


def to_run(boots, results, force):
    """Names of the boots that have to run. Usage when a done one was of another kernel than today's."""
    if force:
        return list(boots)
    done = [name for name in boots if results.is_good(name)]
    stale = [name for name in done if results.entries[name]["inputs"] != matrix.inputs(boots[name])]
    if stale:
        raise Usage(
            f"{results.folder}: since {len(stale)} of these boots ran, their kernel or cache model has changed: "
            f"another directory keeps both, --force runs them again (the first: {stale[0]})"
        )
    return [name for name in boots if name not in set(done)]


def dry_run(boots, results, args):
    todo = set(to_run(boots, results, args.force))
    for name, parameters in boots.items():
        words = shlex.join(command(parameters, results.path(name), args.timeout))
        print(f"{'run ' if name in todo else 'done'} {words}")
    print(f"tt sweep: {counted(boots)}, {len(todo)} to run", file=sys.stderr)
    return 0


def command(parameters, log, limit_s):
    """The `tt run` of a boot."""
    m = matrix.machine(parameters)
    words = [TT, "run", "--arch", m.arch, "--boot", m.boot, "--kernel", m.kernel]
    words += ["--model", m.model] if m.model else []
    words += ["--mem", m.mem, "--smp", str(m.smp), "--timeout", f"{limit_s:g}", "--log", log]
    return words + [f"--cmdline={m.cmdline}"] + (["--", *m.extra] if m.extra else [])


def bring_up_to_date(boots, todo, results, args):
    """Runs what has to run. Every boot's end goes into the index at once."""
    inputs = {name: matrix.inputs(boots[name]) for name in todo}
    for name in todo:
        words = shlex.join(command(boots[name], results.path(name), args.timeout))
        results.entries[name] = {
            "log": name, "parameters": boots[name], "status": "pending", "inputs": inputs[name], "command": words
        }
    results.save()
    progress = Progress(boots, todo, args)
    commands = [(name, command(boots[name], part(results, name), args.timeout)) for name in todo]
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with closing(jobs.run_all(commands, args.jobs, args.timeout + GRACE_S)) as running:
            for ended in running:
                entry = results.entries[ended.key]
                record(entry, ended, results)
                if matrix.inputs(boots[ended.key]) != inputs[ended.key]:
                    entry["status"] = "failed"
                    entry["why"].append("its kernel or cache model changed while it ran")
                results.save()
                progress.ended(entry)
    except KeyboardInterrupt:
        left = [n for n in todo if results.entries[n]["status"] == "pending"]
        raise Finding(
            f"interrupted: {len(left)} of {len(boots)} boots are still to run; the same command goes on"
        ) from None
    finally:
        signal.signal(signal.SIGTERM, previous)


def part(results, name):
    """Where a boot's log grows. An older log of the boot stays until the new one has ended."""
    return results.path(name + ".part")


def record(entry, ended, results):
    """What came of a boot, into its index entry."""
    log = results.path(entry["log"])
    if os.path.exists(part(results, entry["log"])):
        os.replace(part(results, entry["log"]), log)
    entry["status"] = "ok" if ended.status == 0 else "failed"
    entry["exit"] = ended.status
    entry["seconds"] = round(ended.seconds, 2)
    entry["why"] = [line.removeprefix("tt run: ") for line in ended.messages]
    try:
        boot = load(log).boots[-1]
    except Usage:  # not one record
        boot = Boot()
    end = boot.end or {}
    if entry["status"] != "ok":
        entry["why"] += failures(boot)
    entry.update({key: end.get(key) for key in ("verdict", "passed", "failed", "skipped")})


def failures(boot):
    """What a boot itself says has failed: bad words, and its verdicts that are not ok."""
    texts = [line.text.strip() for line in boot.lines]
    failed = [v for v in ktap.Verdicts(texts).all if not v.ok]
    return [t.removeprefix("# ") for t in texts if t.startswith("# error: ")] + [
        f"not ok {v.name}" + (f": {v.reason}" if v.reason else "") for v in failed
    ]


class Progress:
    """A line on standard error for each boot that has ended."""

    def __init__(self, boots, todo, args):
        self._labels = names(boots)
        self._todo, self._args, self._count, self._seconds = len(todo), args, 0, 0.0
        there = len(boots) - len(todo)
        self._say(f"{counted(boots)}, {there} there already, {len(todo)} to run, {args.jobs} at a time, in {args.output}")

    def _say(self, text):
        print(f"tt sweep: {text}", file=sys.stderr, flush=True)

    def ended(self, entry):
        self._count += 1
        self._seconds += entry["seconds"]
        left = self._todo - self._count
        # what the boots so far took, on average, for those that are left
        hope = self._seconds / self._count * left / min(self._args.jobs, max(left, 1))
        state = "ok" if entry["status"] == "ok" else "FAILED: " + "; ".join(entry["why"])
        about = f", about {hope:.0f} s left" if left else ""
        self._say(f"{self._count}/{self._todo}{about}: {entry['seconds']:.1f} s: {self._labels[entry['log']]}: {state}")


def conclude(boots, results, metrics):
    """The tables of all that the directory has, and whether every boot asked for is ok."""
    bad = [results.entries[name] for name in boots if results.entries[name]["status"] != "ok"]
    print(f"tt sweep: {counted(boots)}, {len(boots) - len(bad)} ok; index: {results.path(INDEX)}", file=sys.stderr)
    findings = []
    try:
        found, _ = pool.pools(results.folder)
        pool.write(found, metrics, sys.stdout)
    except Usage as error:
        findings.append(str(error))
    label = names(boots)
    for entry in bad:
        findings.append(f"{label[entry['log']]}: {'; '.join(entry['why'])} ({results.path(entry['log'])})")
    if findings:
        raise Finding("\n".join(findings))
    return 0
