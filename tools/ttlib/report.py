"""tt report: logs as one self-contained page that says what was measured, how, and how sure it is.

Per log: machine, command line, verdicts, what is missing; per experiment its plan, a table and a
figure for each metric with source and number of samples, colour accounting as a heat map and
histograms, the posted numbers of the post it repeats. No script, nothing loaded from elsewhere;
right in a light and a dark browser, on a phone and on paper.

Of a directory that tt sweep has filled: its boots, and per experiment what all seeds say together. A
single boot of it has its log: tt report DIR/NAME.log.
"""

import os

from . import colors, figure, ktap, report_machine, report_sweep, seeds, series, stats
from .errors import Finding, Usage
from .load import load
from .results import is_results

NAME = "report"
HELP = "logs, or a sweep's directory, as one HTML page"
TEMPLATES = os.path.join(os.path.dirname(__file__), "templates")


def add_arguments(parser):
    parser.add_argument("logs", metavar="LOG|DIR", nargs="+", help="logs, or directories of tt sweep")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the page, NAME.html")


def run(args):
    import jinja2

    if not args.output.endswith(".html"):
        raise Usage(f"{args.output}: expected a name that ends in .html")
    pages, sweeps, complaints = [], [], []
    for path in args.logs:
        if is_results(path):
            swept, found = report_sweep.section(path)
            sweeps.append(swept)
            complaints += found
            continue
        log = load(path)
        found = log.complaints()
        complaints += [f"{path}: {c}" for c in found]
        for number, boot in enumerate(log.boots, 1):
            name = os.path.basename(path) + (f", boot {number}" if len(log.boots) > 1 else "")
            pages.append(page(name, boot, found))
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )
    text = environment.get_template("report.html").render(
        logs=pages, sweeps=sweeps, sources=series.SOURCES, palette=figure.PALETTE
    )
    try:
        with open(args.output, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Usage(f"{args.output}: {error.strerror}") from error
    if complaints:
        raise Finding("the page is written, and says itself what it lacks:\n" + "\n".join(complaints))
    return 0


def page(name, boot, complaints):
    """Everything the template needs of one boot, as plain values."""
    found = series.experiments(boot)
    end = boot.end or {"verdict": "none", "passed": "?", "failed": "?", "skipped": "?"}
    return {
        "name": name,
        "facts": boot.facts,
        "end": end,
        "complaints": complaints,
        "machine": report_machine.machine(boot),
        "traces": report_machine.traces(boot),
        "notes": [r.fields for r in boot.of("note")],
        "verdicts": ktap.Verdicts([line.text for line in boot.lines]).all,
        "experiments": [experiment(boot, exp) for exp in found.values()],
        "seeds": seeds.context(boot, found),
    }


def profile(boot, exp):
    """Functions down, levels across, shares of the modelled cycles; None without profile records."""
    shares, order = {}, {}
    for record in boot.of("profile", exp=exp.name):
        f = record.fields
        share = 100 * f["samples"] / f["of"] if f["of"] else 0
        shares.setdefault(f["function"], {})[f["level"]] = share
        order[f["function"]] = max(order.get(f["function"], 0), share)
    if not shares:
        return None
    rows = [
        {"function": name, "cells": [f"{shares[name][lv]:.2f}%" if lv in shares[name] else "-" for lv in exp.levels]}
        for name in sorted(order, key=order.get, reverse=True)
    ]
    first = boot.of("profile", exp=exp.name)[0].fields
    return {"rows": rows, "every": first["every_cycles"], "source": first["source"], "machine": first.get("machine")}


def drawn(fig, caption):
    return {"svg": figure.svg(fig), "caption": caption} if fig else None


def experiment(boot, exp):
    marks = figure.cache_marks(boot, exp)
    accounts = colors.accounts(boot, exp)
    pictures = [
        drawn(colors.heat_map(accounts), "Pages by colour, all blocks together; source count."),
        drawn(colors.pages_per_color(accounts), "How many colours got how many pages; source count."),
        drawn(colors.free_blocks(accounts), "Free blocks by order before the workload, last block; source count."),
    ]
    totals = {level: a["total"] for level, a in accounts.items() if a["total"]}
    return {
        "name": exp.name,
        "plan": exp.plan,
        "levels": exp.levels,
        "memory": report_machine.levels(boot, exp),
        "own": report_machine.own(boot, exp),
        "counters": report_machine.counters(boot, exp),
        "meanings": meanings(boot, exp),
        "slices": slices(exp),
        "findings": findings(boot, exp),
        "zeros": exp.zeros,
        "nulls": exp.nulls,
        "metrics": [metric(exp, m, marks) for m in exp.metrics.values() if "." not in m.name],
        # what stands behind a metric ("read.L2.miss"): small pictures, the numbers are in the log
        "derived": [
            drawn(figure.draw(exp, m, marks, figure.SMALL), figure.caption(exp, m))
            for m in exp.metrics.values()
            if "." in m.name and exp.xs(m.name)
        ],
        "profile": profile(boot, exp),
        "pictures": [p for p in pictures if p],
        "accounts": totals,
        "nodes": any("local" in total for total in totals.values()),
    }


def meanings(boot, exp):
    """[(label, text)] of levels that names have only a label for."""
    found = {}
    for record in boot.of("experiment", exp=exp.name, what="label"):
        f = record.fields
        key = f"{f['factor']}={f['label']}"
        found[key] = found.get(key, "") + f["text"]
    return list(found.items())


def slices(exp):
    """How long CPUs ran between yields, per level; [] where only one CPU worked."""
    names = {end: next((m for m in exp.metrics if m.endswith(f".{end}")), None) for end in ("slice", "slice_cycles")}
    if not names["slice"]:
        return []

    def text(level, metric):
        means = [stats.mean(v) for x in exp.xs(metric) if (v := exp.values(level, metric, x))]
        if not means:
            return "-"
        low, high = series.number_text(min(means)), series.number_text(max(means))
        return low if low == high else f"{low} to {high}"

    return [
        {"level": level, "operations": text(level, names["slice"]), "cycles": text(level, names["slice_cycles"])}
        for level in exp.levels
    ]


def findings(boot, exp):
    """Sentences: what the samples together say, beside what the machine says."""
    out = []
    for record in boot.of("finding", exp=exp.name):
        f = record.fields
        found = "none" if f["found"] is None else f"{f['found']} bytes"
        says = "nothing" if f["says"] is None else f"{f['says']} bytes"
        out.append(f"{f['level']}: {f['what']} found {found}, by {f['metric']} (source {f['source']}); the machine says {says}: {f['verdict']}. Rule: {f['rule']}.")
    return out


def metric(exp, m, marks):
    xs = exp.xs(m.name)
    return {
        "metric": m,
        "n": series.samples_text(exp, m),
        "figure": drawn(figure.draw(exp, m, marks), figure.caption(exp, m)),
        "references": list(dict.fromkeys(exp.reference(level) for level in exp.levels)),
        "table": series.table(exp, xs, lambda level, x: cell(exp, level, m, x)),
    }


def cell(exp, level, m, x):
    """Median, and the difference to the level's reference with its 95% interval."""
    values = exp.values(level, m.name, x)
    if not values:
        return {"median": "-", "difference": "", "verdict": ""}
    out = {"median": series.number_text(stats.median(values)), "difference": "", "verdict": ""}
    reference = exp.reference(level)
    if level == reference:
        return out
    a, b = exp.paired(reference, level, m.name, x)
    if not a:
        return out
    diff, lo, hi = stats.paired_difference(a, b)
    if lo is None or lo <= 0 <= hi:
        return {**out, "difference": "~"}
    text = series.difference_text(stats.mean(a), diff, lo, hi)
    good = {"higher": diff > 0, "lower": diff < 0}.get(m.better)
    return {**out, "difference": text, "verdict": "" if good is None else "better" if good else "worse"}
