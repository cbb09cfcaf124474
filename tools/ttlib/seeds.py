"""The posts behind the experiments: what they measured, and our counterpart where a log has one.

tools/seeds.json holds the posted numbers. A log belongs to a post when it ran one of the post's
experiments or presets.
"""

import json
import os

from . import stats
from .series import number_text

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


def ours_text(row, experiments):
    """Our number with its source, or why there is none."""
    rule = row.get("ours")
    if not rule:
        return "not measured in this log"
    exp = experiments.get(rule["exp"])
    if not exp or rule["metric"] not in exp.metrics:
        return "not measured in this log"
    source = exp.metrics[rule["metric"]].source
    if source == "emulation":
        return "not comparable: emulation times"
    found = CALCULATIONS[rule["calc"]](rule, exp)
    return f"{found} (source {source})" if found else "not measured in this log"


def _level_of_policy(exp, policy):
    """The level that used this policy, when exactly one did."""
    found = [n for n in exp.levels if f"alloc={policy}" in n.split()]
    if not found and f"alloc={policy}" in exp.plan.get("fixed", "").split():
        found = list(exp.levels)
    return found[0] if len(found) == 1 else None


def _means(rule, exp):
    """Lowest and highest mean over the sizes in (above, upto] of the level's coloured cache."""
    level, metric = _level_of_policy(exp, rule["policy"]), rule["metric"]
    cache = exp.levels.get(level, {}).get("cache_bytes")
    if not cache:
        return None
    sizes = [x for x in exp.xs(metric) if x and rule["above"] * cache < x <= rule["upto"] * cache]
    means = [stats.mean(v) for x in sizes if (v := exp.values(level, metric, x))]
    if not means:
        return None
    low, high = f"{min(means):.0f}", f"{max(means):.0f}"
    return low if low == high else f"{low} to {high}"


CALCULATIONS = {"means": _means}


def context(boot, experiments):
    """What a report shows: one entry per post."""
    return [
        {
            **seed,
            "tables": [
                {
                    **table,
                    "rows": [
                        {"level": r["level"], "posted": posted_text(r), "ours": ours_text(r, experiments)}
                        for r in table["rows"]
                    ],
                }
                for table in seed["tables"]
            ],
        }
        for seed in of_boot(boot, experiments)
    ]
