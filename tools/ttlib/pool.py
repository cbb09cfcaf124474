"""A sweep's boots that differ in their seed only, as one: experiments in which a boot is a block.

A boot counts as one sample, its mean over its own blocks: what varies is then what another boot would
change, and many blocks of one boot do not pass for many boots. Differences between levels are taken
within a boot, paired by its blocks, before anything is averaged over boots. Boots whose kernels,
CHECK levels or machines differ are refused.
"""

import json
import math
from dataclasses import dataclass, field

from . import matrix, series, stats
from .errors import Usage, did_you_mean
from .load import differences, load
from .results import Results


ROUNDING = 1e-12  # what means of a few numbers differ by without a difference


@dataclass
class Pool:
    parameters: dict  # of its boots; their seeds left out
    entries: list  # index entries of all its boots
    label: str = ""  # what tells it from the other pools; empty when it is alone
    used: list = field(default_factory=list)  # entries whose logs are whole and ok
    boots: list = field(default_factory=list)  # their log.Boots
    experiments: dict = field(default_factory=dict)  # name -> series.Experiment, a block is a boot
    within: dict = field(default_factory=dict)  # (exp, level, metric, x) -> standard deviation in a boot
    differences: dict = field(default_factory=dict)  # (exp, level, metric, x) -> per boot, to the level's reference

    @property
    def check(self):
        return self.boots[0].facts.get("check", 0) if self.boots else 0


def pools(folder):
    """(Pools, complaints about boots that could not be used)."""
    results = Results(folder)
    if not results.entries:
        raise Usage(f"{folder}: no boot in its index")
    groups = {}
    for entry in results.entries.values():
        parameters = {**entry["parameters"], "seed": None}
        pool = groups.setdefault(json.dumps(parameters), Pool(parameters, []))
        pool.entries.append(entry)
    found, complaints = list(groups.values()), []
    for pool, label in zip(found, matrix.labels([p.parameters for p in found])):
        pool.label = label if len(found) > 1 else ""
        for entry in pool.entries:
            why = _use(pool, results, entry)
            if why:
                complaints.append(f"left out: {results.path(entry['log'])}: {why}")
    _refuse_mixtures(found, results)
    for pool in found:
        _fill(pool)
    return found, complaints


def _use(pool, results, entry):
    """Takes a boot in, or says why not."""
    if entry["status"] != "ok":
        return "; ".join(entry.get("why", [])) or entry["status"]
    try:
        log = load(results.path(entry["log"]))
    except Usage as error:  # gone, or no log any more
        return str(error).removeprefix(f"{results.path(entry['log'])}: ")
    complaints = log.complaints() + (["more than one boot in it"] if len(log.boots) > 1 else [])
    if complaints:
        return "; ".join(complaints)
    pool.used.append(entry)
    pool.boots.append(log.boots[0])
    return None


def _refuse_mixtures(found, results):
    """Boots of one pool are of one kernel, CHECK level and machine; those of one kernel file are it, whatever their pool."""
    reasons, first_of = [], {}
    for pool in found:
        for entry, boot in zip(pool.used, pool.boots):
            why = differences(pool.boots[0], boot)
            file = tuple(pool.parameters[k] for k in ("arch", "kernel", "check", "model"))
            first, first_boot = first_of.setdefault(file, (entry, boot))
            versions = [b.facts.get("version") for b in (first_boot, boot)]
            if versions[0] != versions[1]:
                why.append(f"different kernels: {versions[0]} against {versions[1]}")
            elif entry["inputs"] != first["inputs"]:
                why.append("different kernels or cache models: the files had changed between them")
            reasons += [f"{first['log']} and {entry['log']}: {w}" for w in why]
    if reasons:
        raise Usage(f"{results.folder}: not pooled:\n" + "\n".join(reasons))


def _fill(pool):
    variances = {}
    for number, (entry, boot) in enumerate(zip(pool.used, pool.boots)):
        for name, exp in series.experiments(boot).items():
            whole = pool.experiments.setdefault(name, series.Experiment(name, exp.plan))
            whole.compared |= exp.compared
            for level, members in exp.levels.items():
                whole.levels.setdefault(level, members)
            for metric in exp.metrics.values():
                if whole.metrics.setdefault(metric.name, metric) != metric:
                    raise Usage(f"not pooled: {name}: {entry['log']} has another unit or source of {metric.name}")
            whole.zeros += exp.zeros
            whole.nulls += exp.nulls
            for (level, metric, x), cell in exp.cells.items():
                key = (name, level, metric, x)
                values = list(cell.values())
                whole.cells.setdefault((level, metric, x), {})[number] = stats.mean(values)
                if len(values) > 1:
                    variances.setdefault(key, []).append(stats.deviation(values) ** 2)
                pairs = exp.paired(whole.reference(level), level, metric, x)
                if pairs[0]:
                    a, b = map(stats.mean, pairs)
                    same = math.isclose(a, b, rel_tol=ROUNDING)
                    pool.differences.setdefault(key, []).append(0.0 if same else b - a)
    pool.within = {key: math.sqrt(stats.mean(v)) for key, v in variances.items()}


def verdict(pool, exp, level, metric, x):
    """"" for a reference or without one, "~" no difference to it seen, "-" lower, "+" higher, "?" too few boots."""
    if level == exp.reference(level) or not exp.values(exp.reference(level), metric, x):
        return ""
    found = pool.differences.get((exp.name, level, metric, x), [])
    if len(found) < 2:
        return "?"
    _, lo, hi = stats.mean_interval(found)
    return "~" if lo <= 0 <= hi else "+" if lo > 0 else "-"


def with_spread(m, half):
    """26.53 and 1.234 -> "26.5±1.2": as many places as its uncertainty allows."""
    if not half or half < ROUNDING * abs(m):
        return series.number_text(m) + ("" if half is None else "±0")
    places = 1 - math.floor(math.log10(half))
    if round(half, places) >= 10 ** (2 - places):  # 0.0996 is 0.10, not 0.100
        places -= 1
    digits = max(0, places)
    return f"{round(m, places) + 0.0:.{digits}f}±{round(half, places):.{digits}f}"


METHOD = (
    "A boot is one sample: its mean over its blocks. ± is half of the mean's 95% interval by the variance between\n"
    "boots (Student's t); none below two boots. Behind it the difference to the level that the kernel compares it\n"
    "with (as a rule the first), paired within each boot, 95%: ~ none seen, - lower, + higher, ? fewer than two\n"
    "boots. Not corrected for many comparisons.\n"
)


def write(found, metrics, out):
    """Text tables: per experiment and metric, pools and levels down, the workload's axis across."""
    tables, hidden = {}, set()
    for pool in found:
        for exp in pool.experiments.values():
            for metric in exp.metrics.values():
                # what stands behind a metric ("read.L2.miss") only on demand
                if metric.name not in metrics if metrics else "." in metric.name:
                    hidden.add(metric.name)
                elif exp.xs(metric.name):
                    tables.setdefault((exp.name, metric), []).append((pool, exp))
    names = {metric.name for _, metric in tables}
    missing = [m for m in metrics if m not in names]
    if missing:
        near = did_you_mean(missing[0], hidden | names)
        raise Usage(f"no metric {', '.join(missing)}; {near}there are: {', '.join(sorted(hidden | names)) or 'none'}")
    for (name, metric), rows in tables.items():
        _table(name, metric, rows, out)
    if tables:
        out.write("\n" + METHOD)
    if hidden and not metrics:
        out.write(f"{len(hidden)} metrics behind these are not shown (--metric, tt report): {', '.join(sorted(hidden))}\n")


def _table(name, metric, rows, out):
    xs = sorted({x for _, exp in rows for x in exp.xs(metric.name)}, key=lambda x: (x is not None, x or 0))
    better = f"; {metric.better} is better" if metric.better != "none" else ""
    counts = sorted({series.samples_text(exp, metric) for _, exp in rows})
    out.write(f"\n{name}: {metric.name}, {metric.unit} (means of {' / '.join(counts)} boots; source {metric.source}{better})\n")
    out.write(f"source {metric.source}: {series.SOURCES.get(metric.source, 'unknown to this tool')}\n")
    if any(pool.check for pool, _ in rows):
        out.write("some or all kernels had checks on (see the rows): their times include them\n")
    axis = rows[0][1].plan.get("axis") or ("x" if xs != [None] else "")
    lines = [[axis] + [series.size_text(x) or "value" for x in xs]]
    for pool, exp in rows:
        checked = f"CHECK={pool.check}" if pool.check and "check=" not in pool.label else ""
        for level in exp.levels:
            lines.append([" ".join(filter(None, (checked, pool.label, level)))])
            lines[-1] += [_cell(pool, exp, level, metric.name, x) for x in xs]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        cells = [line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))]
        out.write("  ".join(cells).rstrip() + "\n")


def _cell(pool, exp, level, metric, x):
    values = exp.values(level, metric, x)
    if not values:
        return "-"
    m, _, hi = stats.mean_interval(values)
    return with_spread(m, None if hi is None else hi - m) + verdict(pool, exp, level, metric, x)
