"""The posts behind the experiments: what they measured, and our counterpart where a log has one.

tools/seeds.json holds the posted numbers. A log belongs to a post when it ran one of the post's
experiments or presets.
"""

import json
import os

from . import stats
from .series import difference_text, number_text

DATA = os.path.join(os.path.dirname(__file__), "..", "seeds.json")


def load():
    with open(DATA, encoding="utf-8") as file:
        return json.load(file)["seeds"]


def of_boot(boot, experiments):
    """The posts that this boot repeats something of."""
    words = boot.facts.get("cmdline", "").split()
    ran = {name for word in words if word.startswith("run=") for name in word[4:].split(",")}
    return [s for s in load() if ran & set(s["presets"]) or experiments.keys() & set(s["experiments"])]


def posted_text(row):
    if "low" in row:
        return f"{number_text(row['low'])} to {number_text(row['high'])}"
    if "values" in row:
        v = row["values"]
        spread = f" (s = {number_text(stats.deviation(v))})" if len(v) > 2 else ""
        return f"{number_text(stats.median(v))}{spread}, n = {len(v)}"
    return number_text(row["value"]) + (f" (s = {number_text(row['s'])})" if "s" in row else "")


def posted_difference(table, row):
    """To the table's first row, in percent; with an interval where the post tells how values scatter."""
    first = table["rows"][0]
    if row is first or "low" in row or "low" in first:
        return ""
    (m0, s0, n0), (m1, s1, n1) = _moments(table, first), _moments(table, row)
    lo = hi = None
    if s0 is not None and s1 is not None:
        lo, hi = stats.welch_interval(m0, s0, n0, m1, s1, n1)
    return difference_text(m0, m1 - m0, lo, hi)


def _moments(table, row):
    """(mean, standard deviation or None, number of runs)."""
    if "values" in row:
        v = row["values"]
        return stats.mean(v), stats.deviation(v) if len(v) > 1 else None, len(v)
    return row["value"], row.get("s"), table.get("n", 0)


def ours_texts(row, experiments):
    """Our numbers, each with its source, or why there are none."""
    rules = row.get("ours", [])
    found = [t for rule in (rules if isinstance(rules, list) else [rules]) if (t := _ours(rule, experiments))]
    return found or ["not measured in this log"]


def _ours(rule, experiments):
    exp = experiments.get(rule["exp"])
    if not exp or rule["metric"] not in exp.metrics:
        return None
    source = exp.metrics[rule["metric"]].source
    if source == "emulation":
        return "not comparable: emulation times"
    found = CALCULATIONS[rule["calc"]](rule, exp)
    return f"{found} (source {source})" if found else None


def _levels_with(words, exp):
    """[(level, the rest of its name)] of the levels that say so; all when it is said for all of them."""
    words = words.split()
    found = [(n, [w for w in n.split() if w not in words]) for n in exp.levels if set(words) <= set(n.split())]
    if not found and set(words) <= set(exp.plan.get("fixed", "").split()):
        found = [(n, n.split()) for n in exp.levels]
    return [(n, " ".join(rest)) for n, rest in found]


def _said(parts):
    """One text of [(rest of a level's name, value)]."""
    if len(parts) == 1:
        return parts[0][1]
    return "; ".join(f"{rest}: {value}" for rest, value in parts)


def _means(rule, exp):
    """Lowest and highest mean over the sizes in (above, upto] of the level's coloured cache."""
    metric, parts = rule["metric"], []
    for level, rest in _levels_with(rule["level"], exp):
        cache = exp.levels[level].get("cache_bytes")
        sizes = [x for x in exp.xs(metric) if cache and x and rule["above"] * cache < x <= rule["upto"] * cache]
        means = [stats.mean(v) for x in sizes if (v := exp.values(level, metric, x))]
        if means:
            low, high = f"{min(means):.0f}", f"{max(means):.0f}"
            parts.append((rest, low if low == high else f"{low} to {high}"))
    return f"{metric} {_said(parts)}" if parts else None


def _difference(rule, exp):
    """A level against another one that differs in nothing else, paired by block."""
    metric, parts = exp.metrics[rule["metric"]], []
    others = {rest: level for level, rest in _levels_with(rule["vs"], exp)}
    for level, rest in _levels_with(rule["level"], exp):
        a, b = exp.paired(others.get(rest), level, metric.name, rule.get("x"))
        if a:
            diff, lo, hi = stats.paired_difference(a, b)
            none = lo is not None and lo <= 0 <= hi
            parts.append((rest, ("~ " if none else "") + difference_text(stats.mean(a), diff, lo, hi)))
    name = f"{exp.name} {metric.name}, {metric.unit}" + (f", {exp.plan.get('axis', 'x')} {rule['x']}" if "x" in rule else "")
    return f"{name}: {_said(parts)}" if parts else None


CALCULATIONS = {"means": _means, "difference": _difference}


def context(boot, experiments):
    """What a report shows: one entry per post."""
    return [
        {
            **seed,
            "tables": [
                {
                    **table,
                    "rows": [
                        {
                            "level": r["level"],
                            "posted": posted_text(r),
                            "difference": posted_difference(table, r),
                            "ours": ours_texts(r, experiments),
                        }
                        for r in table["rows"]
                    ],
                }
                for table in seed["tables"]
            ],
        }
        for seed in of_boot(boot, experiments)
    ]
