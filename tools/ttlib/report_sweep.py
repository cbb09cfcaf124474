"""A sweep's directory for tt report: its boots, and per pool and experiment what all seeds say together.

A pool is what pool.py makes of boots that differ in their seed only; its samples are boots. Every
single boot can still be reported by its own log.
"""

from . import figure, matrix, pool, series, stats


def section(folder):
    """(everything the template needs, complaints) of one directory."""
    found, complaints = pool.pools(folder)
    entries = [entry for p in found for entry in p.entries]
    axes = matrix.varying([entry["parameters"] for entry in entries])
    return {
        "name": folder.rstrip("/"),
        "complaints": complaints,
        "ok": sum(len(p.used) for p in found),
        "fixed": matrix.said({**entries[0]["parameters"], **{k: matrix.AXES[k].default for k in axes}}) if entries else "",
        "axes": axes,
        "boots": [_boot(entry, axes) for entry in entries],
        "pools": [_pool(p) for p in found if p.boots],
    }, complaints


def _boot(entry, axes):
    values = [entry["parameters"][k] for k in axes]
    return {
        "log": entry["log"],
        "values": ["none" if v in ("", None) else v for v in values],
        "status": entry["status"],
        "verdict": entry.get("verdict") or "none",
        "seconds": entry.get("seconds", ""),
        "why": "; ".join(entry.get("why", [])),
    }


def _pool(p):
    facts = p.boots[0].facts
    seeds = [e["parameters"]["seed"] for e in p.used]
    return {
        "label": p.label,
        "facts": facts,
        "seeds": "the kernel's own seed" if seeds == [None] else "seeds " + ", ".join(map(str, seeds)),
        "n": len(p.boots),
        "experiments": [_experiment(p, exp) for exp in p.experiments.values()],
    }


def _experiment(p, exp):
    marks = figure.cache_marks(p.boots[0], exp)
    shown = [m for m in exp.metrics.values() if exp.xs(m.name)]
    return {
        "name": exp.name,
        "plan": exp.plan,
        "levels": list(exp.levels),
        "metrics": [_metric(p, exp, m, marks) for m in shown if "." not in m.name],
        "derived": [_figure(exp, m, marks, figure.SMALL) for m in shown if "." in m.name],
    }


def _figure(exp, m, marks, size):
    n = series.samples_text(exp, m)
    text = f"{m.name}: means of {n} boots with 95% intervals by the variance between boots (Student's t); source {m.source}."
    return {"svg": figure.svg(figure.draw(exp, m, marks, size)), "caption": text}


def _metric(p, exp, m, marks):
    return {
        "metric": m,
        "n": series.samples_text(exp, m),
        "figure": _figure(exp, m, marks, figure.WHOLE),
        "table": series.table(exp, exp.xs(m.name), lambda level, x: _cell(p, exp, level, m, x)),
    }


def _cell(p, exp, level, m, x):
    values = exp.values(level, m.name, x)
    if not values:
        return {"mean": "-", "difference": "", "verdict": "", "spread": ""}
    mean, _, hi = stats.mean_interval(values)
    within = p.within.get((exp.name, level, m.name, x))
    between = series.number_text(stats.deviation(values)) if len(values) > 1 else "unknown"
    seen = pool.verdict(p, exp, level, m.name, x)
    good = {("higher", "+"): "better", ("lower", "-"): "better", ("higher", "-"): "worse", ("lower", "+"): "worse"}
    return {
        "mean": pool.with_spread(mean, None if hi is None else hi - mean),
        "difference": _difference(p, exp, level, m, x) if seen in ("+", "-") else seen,
        "verdict": good.get((m.better, seen), ""),
        "spread": f"s {between} between, " + ("unknown" if within is None else series.number_text(within)) + " within",
    }


def _difference(p, exp, level, m, x):
    found = p.differences[exp.name, level, m.name, x]
    base = stats.mean(exp.values(exp.reference(level), m.name, x))
    return series.difference_text(base, *stats.mean_interval(found))
