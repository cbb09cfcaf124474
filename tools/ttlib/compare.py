"""tt compare: two logs, number by number.

Per experiment, level, metric and x: both medians, the difference (Hodges-Lehmann) with its 95%
interval, and the p of a Mann-Whitney test, corrected by Holm for the number of comparisons made.
`~` where no difference is seen (corrected p not below 0.05). Numbers of different sources, machines
or CHECK levels, and logs that are not whole, are refused unless --anyway is given.

Two directories of tt sweep are compared boot by boot: of boots that differ in their seed only, each is one
sample, its mean over its blocks. Both sweeps' boots meet by the axes in which either has several values.
"""

import sys
from dataclasses import dataclass

from . import arguments, matrix, pool, series, stats
from .errors import Finding, Usage
from .load import differences, load, pick
from .results import is_results

NAME = "compare"
HELP = "two logs or two sweeps, number by number, with intervals and p"
ALPHA = 0.05


def add_arguments(parser):
    parser.add_argument("a", metavar="A", help="log, or directory of tt sweep, to compare with (the old one)")
    parser.add_argument("b", metavar="B", help="log or directory to judge (the new one)")
    parser.add_argument("--exp", metavar="NAME", help="only this experiment")
    parser.add_argument("--metric", metavar="NAME", help="only this metric")
    parser.add_argument(
        "--fail-above", type=arguments.percent, metavar="P%", help="status 1 when something got worse by more, p below 0.05"
    )
    parser.add_argument("--anyway", action="store_true", help="compare what should not be compared; says what")


@dataclass
class Row:
    exp: str
    level: str
    metric: series.Metric
    x: int
    a: list
    b: list
    p: float = 1.0

    @property
    def seen(self):
        return self.p < ALPHA

    @property
    def change(self):
        """Of the medians, in percent; None from 0."""
        old = stats.median(self.a)
        return (stats.median(self.b) - old) / abs(old) * 100 if old else None

    @property
    def worse(self):
        up = stats.median(self.b) > stats.median(self.a)
        return self.metric.better != "none" and up == (self.metric.better == "lower")


def run(args):
    swept = [is_results(path) for path in (args.a, args.b)]
    if swept[0] != swept[1]:
        raise Usage("a log and a sweep's directory: compare two of one kind")
    rows, objections, unmatched = (sweeps if swept[0] else logs)(args)
    if objections and not args.anyway:
        raise Usage("refused (--anyway compares all the same):\n" + "\n".join(objections))
    for line in objections:
        print(f"tt compare: doubtful: {line}", file=sys.stderr)
    for line in unmatched:
        print(f"tt compare: {line}", file=sys.stderr)
    if not rows:
        raise Usage("nothing in common to compare")
    for row, p in zip(rows, stats.holm([stats.mann_whitney(r.a, r.b) for r in rows])):
        row.p = p
    write(rows, args, sys.stdout)
    return verdict(rows, args.fail_above)


def logs(args):
    """What match() finds in two logs."""
    old, new = ((path, load(path)) for path in (args.a, args.b))
    boots = [pick(log, path) for path, log in (old, new)]
    objections = []
    for path, log in (old, new):
        objections += [f"{path}: {c}" for c in log.complaints()]
    objections += differences(*boots)
    check_names([series.experiments(b) for b in boots], args)
    rows, more, unmatched = match(*(series.experiments(b) for b in boots), args.exp, args.metric)
    return rows, objections + more, unmatched


def sweeps(args):
    """The same of two sweeps: pools of equal parameters; a row's values are boots."""
    old, new = (pool.pools(path) for path in (args.a, args.b))
    objections = old[1] + new[1]
    check_names([p.experiments for found, _ in (old, new) for p in found], args)
    everything = [[p.parameters for p in found] for found, _ in (old, new)]
    axes = sorted({axis for parameters in everything for axis in matrix.varying(parameters)})
    a, b = ({tuple(p.parameters[k] for k in axes): p for p in found if p.boots} for found, _ in (old, new))
    rows, unmatched = [], []
    for key in [*a, *(k for k in b if k not in a)]:
        label = matrix.said((a.get(key) or b[key]).parameters, axes) if axes else ""
        if key not in a or key not in b:
            unmatched.append(f"only in {'A' if key in a else 'B'}: boots of {label}")
            continue
        lead = f"{label} " if label else ""
        objections += [lead + why for why in differences(a[key].boots[0], b[key].boots[0])]
        found, more, only = match(a[key].experiments, b[key].experiments, args.exp, args.metric)
        for row in found:
            row.level = lead + row.level
        rows += found
        objections += [lead + why for why in more]
        unmatched += [lead + what for what in only]
    return rows, objections, unmatched


def check_names(found, args):
    """Usage when no boot has the experiment or the metric that was asked for."""
    exps = {name: True for experiments in found for name in experiments}
    if args.exp:
        series.choose(exps, args.exp, "experiment")
    if args.metric:
        asked = [e for experiments in found for e in experiments.values() if args.exp in (None, e.name)]
        series.choose({name: True for e in asked for name in e.metrics}, args.metric, "metric")


def match(a, b, exp=None, metric=None):
    """(rows, objections, what only one log has)."""
    rows, objections, unmatched = [], [], []
    if exp:
        a, b = ({exp: found[exp]} if exp in found else {} for found in (a, b))
    for name in sorted(a.keys() ^ b.keys()):
        unmatched.append(f"only in {'A' if name in a else 'B'}: experiment {name}")
    for name in (n for n in a if n in b):
        ours, theirs = a[name], b[name]
        for m in ours.metrics:
            if (metric and m != metric) or m not in theirs.metrics:
                continue
            if ours.metrics[m] != theirs.metrics[m]:
                objections.append(
                    f"{name}: {m} is {ours.metrics[m].unit} from {ours.metrics[m].source} in A, "
                    f"{theirs.metrics[m].unit} from {theirs.metrics[m].source} in B"
                )
        keys = [k for k in ours.cells if not metric or k[1] == metric]
        rows += [
            Row(name, level, ours.metrics[m], x, ours.values(level, m, x), theirs.values(level, m, x))
            for (level, m, x) in keys
            if (level, m, x) in theirs.cells
        ]
        only = {"A": ours.cells.keys() - theirs.cells.keys(), "B": theirs.cells.keys() - ours.cells.keys()}
        for side, cells in only.items():
            levels = sorted({level for level, m, _ in cells if not metric or m == metric})
            if levels:
                unmatched.append(f"only in {side}: {name}: cells of level {', '.join(levels)}")
    return rows, objections, unmatched


HEADER = ("level", "x", "A", "B", "change", "difference [95% interval]", "p", "n")


def cells(row):
    shift, lo, hi = stats.shift_interval(row.a, row.b)
    text = series.number_text
    bounds = f" [{text(lo)}, {text(hi)}]" if lo is not None else " [too few]"
    change = "~" if not row.seen else f"{row.change:+.2f}%" if row.change is not None else "from 0"
    return (
        row.level,
        series.size_text(row.x),
        text(stats.median(row.a)),
        text(stats.median(row.b)),
        change,
        text(shift) + bounds,
        f"{row.p:.3f}" if row.p >= 0.001 else f"{row.p:.0e}",
        f"{len(row.a)}+{len(row.b)}",
    )


def write(rows, args, out):
    out.write(f"A: {args.a}\nB: {args.b}\n")
    of = " over boots, each by its mean" if is_results(args.a) else ""
    groups = {}
    for row in rows:
        groups.setdefault((row.exp, row.metric), []).append(row)
    for (exp, m), group in groups.items():
        better = f"; {m.better} is better" if m.better != "none" else ""
        out.write(f"\n{exp}: {m.name}, {m.unit} (medians{of}; source {m.source}{better})\n")
        table = [HEADER] + [cells(row) for row in group]
        widths = [max(len(line[i]) for line in table) for i in range(len(HEADER))]
        for line in table:
            out.write("  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))]) + "\n")
    seen = sum(row.seen for row in rows)
    out.write(
        f"\n{len(rows)} comparisons, {seen} differences seen (Mann-Whitney, Holm-corrected p < {ALPHA}); "
        "~ none seen; the difference is Hodges-Lehmann's\n"
    )


def verdict(rows, limit):
    if limit is None:
        return 0
    bad = [r for r in rows if r.seen and r.worse and (r.change is None or abs(r.change) > limit)]
    if bad:
        places = "\n".join(
            f"{r.exp} {r.level} {series.size_text(r.x)} {r.metric.name}: "
            + (f"{r.change:+.2f}%" if r.change is not None else "was 0")
            for r in bad
        )
        raise Finding(f"worse by more than {limit:g}%:\n{places}")
    return 0
