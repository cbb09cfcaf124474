"""The experiments in a boot's log: levels, metrics, and the samples of each cell.

A cell is (level, metric, x); its values are kept by block, since one block ran every level close
together and differences are taken within it.
"""

from dataclasses import dataclass, field

from .errors import Finding, Usage, did_you_mean

SOURCES = {
    "tsc": "time-stamp counter of a real machine",
    "rpcc": "cycle counter of a real Alpha",
    "pmu": "hardware performance counters",
    "model": "the cache model of a described machine, no real one",
    "emulation": "QEMU's own time: says nothing about any real machine",
    "theory": "computed: nothing observed, or the difference to what is",
    "count": "counted exactly by the kernel",
}


@dataclass(frozen=True)
class Metric:
    name: str
    unit: str
    better: str  # "higher", "lower", "none"
    source: str  # "tsc", "rpcc", "pmu", "model", "emulation", "count"


@dataclass
class Experiment:
    name: str
    plan: dict
    levels: dict = field(default_factory=dict)  # name -> members of its level record
    metrics: dict = field(default_factory=dict)  # name -> Metric
    cells: dict = field(default_factory=dict)  # (level, metric, x) -> {block: value}
    compared: dict = field(default_factory=dict)  # level -> the one its summaries compare it with
    zeros: int = 0  # samples shorter than the clock's overhead
    nulls: int = 0  # samples without a value

    def xs(self, metric):
        """The axis' values that this metric has; [None] when the workload has no axis."""
        found = {x for (_, m, x) in self.cells if m == metric}
        return sorted(found, key=lambda x: (x is not None, x or 0))

    def values(self, level, metric, x):
        """In order of blocks."""
        cell = self.cells.get((level, metric, x), {})
        return [cell[b] for b in sorted(cell)]

    def paired(self, reference, level, metric, x):
        """Two lists: the values of both levels from the blocks that have both."""
        a = self.cells.get((reference, metric, x), {})
        b = self.cells.get((level, metric, x), {})
        both = sorted(a.keys() & b.keys())
        return [a[k] for k in both], [b[k] for k in both]

    def reference(self, level):
        """The level that this one is compared with, its own name for a reference.

        As the summaries have it; without any (a boot that ended early), the first of the log.
        """
        if self.compared:
            return self.compared.get(level, level)
        return next(iter(self.levels), None)


def experiments(boot):
    """{name: Experiment} in order of the log. An experiment that ran twice counts as one name."""
    found = {}

    def of(fields):
        return found.setdefault(fields["exp"], Experiment(fields["exp"], {}))

    for record in sorted(boot.records, key=lambda r: r.seq):
        f = record.fields
        if record.kind == "experiment":
            exp = of(f)
            if f["what"] == "plan":
                exp.plan = f
            elif f["what"] == "level":
                exp.levels[f["name"]] = f
            elif f["what"] == "metric":
                exp.metrics[f["metric"]] = Metric(f["metric"], f["unit"], f["better"], f["source"])
        elif record.kind == "summary" and "vs" in f:
            of(f).compared[f["level"]] = f["vs"]
        elif record.kind == "sample":
            _add_sample(of(f), f)
    return found


def _add_sample(exp, f):
    exp.levels.setdefault(f["level"], {})
    metric = Metric(f["metric"], f["unit"], f["better"], f["source"])
    if exp.metrics.setdefault(f["metric"], metric) != metric:
        raise Finding(f"{exp.name}: {metric.name} changes its unit or source within one log")
    exp.zeros += bool(f.get("zero"))
    if f["value"] is None:
        exp.nulls += 1
        return
    cell = exp.cells.setdefault((f["level"], f["metric"], f.get("x")), {})
    if f["block"] in cell:
        raise Finding(f"{exp.name}: level {f['level']} has two samples of {metric.name} in one block")
    cell[f["block"]] = f["value"]


def samples_text(exp, m):
    """"5", or "3 to 5" where cells have lost some. Cells without any value are not counted in."""
    counts = [n for level in exp.levels for x in exp.xs(m.name) if (n := len(exp.values(level, m.name, x)))]
    low, high = (min(counts), max(counts)) if counts else (0, 0)
    return f"{low}" if low == high else f"{low} to {high}"


CELL = 20  # letters of a difference with its interval


def table(exp, xs, cell):
    """{"corner", "head", "rows": [(name, cells)]}: levels across, or down where that is narrower."""
    axis = exp.plan.get("axis") or ("x" if xs != [None] else "")
    names, places = list(exp.levels), [size_text(x) or "value" for x in xs]
    across = sum(max(CELL, *map(len, name.split())) for name in names)  # heads are broken between words
    down = max(map(len, names), default=0) + CELL * len(places)
    if across <= down:
        return {"corner": axis, "head": names, "rows": [(p, [cell(n, x) for n in names]) for p, x in zip(places, xs)]}
    corner = f"level \\ {axis}" if axis else "level"
    return {"corner": corner, "head": places, "rows": [(n, [cell(n, x) for x in xs]) for n in names]}


def choose(found, name, what):
    """found[name]; the only one there is when no name was given; Usage with the names otherwise."""
    names = ", ".join(found) or "none"
    if name is None and len(found) == 1:
        return next(iter(found.values()))
    if name is None:
        raise Usage(f"which {what}? There are: {names}")
    if name not in found:
        raise Usage(f"no {what} {name}; {did_you_mean(name, found)}there are: {names}")
    return found[name]


def difference_text(base, diff, lo, hi):
    """In percent of what it is a difference to, or as it is when that is 0; without lo, no interval."""
    if base:
        diff, unit = diff / abs(base) * 100, "%"
        bounds = "" if lo is None else f" [{lo / abs(base) * 100:+.1f}, {hi / abs(base) * 100:+.1f}]"
        return f"{diff:+.1f}{unit}{bounds}"
    return number_text(diff) + ("" if lo is None else f" [{number_text(lo)}, {number_text(hi)}]")


def size_text(x):
    """131072 -> "128K", as the kernel's tables have it."""
    if x is None:
        return ""
    units = iter(["", "K", "M", "G", "T"])
    unit = next(units)
    while x and x % 1024 == 0 and unit != "T":
        x, unit = x // 1024, next(units)
    return f"{x}{unit}"


def number_text(value):
    """At least four significant digits, and no more than a reader can use."""
    if value is None:
        return "-"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value)}"
    return f"{value:.2f}" if abs(value) >= 100 else f"{value:.4g}"
