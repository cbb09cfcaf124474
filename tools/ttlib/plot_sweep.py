"""A sweep's directory for tt plot: the pooled means of one metric over any axis, one line per combination of others.

A point is a cell of pool.py's tables: the mean over boots that differ in their seed only, with the same
95% interval. Its place is a word per axis: of the sweep (mem=64M), of the levels (alloc=va), of the
workload (bytes=2M). One axis is on x, others make lines; what is left makes a panel each, since
nothing but seeds is ever averaged over.
"""

import itertools
import re
from dataclasses import dataclass

from . import figure, matrix, model, pool, series, stats
from .errors import Finding, Usage, did_you_mean

LINES_MAX = 24  # so many differ in colour, marker or dashes
PANELS_MAX = 12
PANEL = (4.2, 2.8)


@dataclass(frozen=True)
class Point:
    place: dict  # axis -> value
    mean: float
    lo: float  # of the 95% interval; None below two boots
    hi: float
    boots: int


def figure_of(folder, args):
    """(matplotlib figure, complaints about boots that are left out)."""
    found, complaints = pool.pools(folder)
    found = [p for p in found if p.boots]
    if not found:
        raise Finding("no boot of it is whole and ok:\n" + "\n".join(complaints))
    names = {name: None for p in found for name in p.experiments}
    exp = series.choose({name: name for name in names}, args.exp, "experiment")
    found = [p for p in found if exp in p.experiments]
    metrics = {}
    for p in found:
        metrics.update({m.name: m for m in p.experiments[exp].metrics.values() if p.experiments[exp].xs(m.name)})
    name = series.choose(metrics, args.metric, "metric").name
    own = own_axis(found[0].experiments[exp])
    cells = [(p, point) for p in found for point in points(p, exp, name, found)]
    texts = {axis: {text(axis, c.place.get(axis)) for _, c in cells} for axis in {k: None for _, c in cells for k in c.place}}
    for axis, values in chosen(args.only, texts).items():
        cells = [(p, c) for p, c in cells if text(axis, c.place.get(axis)) in values]
    if not cells:
        raise Usage("--only leaves nothing: no combination has all of these values")
    metric = one_metric(cells, exp, name)
    varying = [a for a in texts if len({str(c.place.get(a)) for _, c in cells}) > 1]
    x = on_x(args.x, own, texts, varying)
    lines, rest = shared_out(args.lines, x, texts, varying)
    pages = grouped([c for _, c in cells], rest)
    if len(pages) > PANELS_MAX:
        raise Usage(f"{len(pages)} panels, one for each {', '.join(rest)}; at most {PANELS_MAX}: --only AXIS=VALUE chooses")
    used = list({id(p): p for p, _ in cells}.values())
    marks = common_marks(used, exp) if x == own else []
    fig = draw(pages, x, lines, label_of_axis(found[0].experiments[exp], x, own), metric, marks)
    figure.footnote(fig, footnote(exp, metric, [c for _, c in cells], [a for a in texts if a not in varying], used))
    return fig, complaints


def own_axis(exp):
    """A word for what the workload calls its axis ("bytes", "irq_rate, per s"); None when it has none."""
    return re.split(r"[ ,]", exp.plan.get("axis") or "")[0] or None


def label_of_axis(exp, x, own):
    return exp.plan["axis"] if x == own else x


def words_of(level):
    """"alloc=va age=off" as {axis: value}; of a name that is not made of such words, {"level": name}."""
    words = [word.partition("=") for word in level.split()]
    return {key: value for key, _, value in words} if words and all(e for _, e, _ in words) else {"level": level}


def points(p, exp_name, metric, found):
    exp = p.experiments[exp_name]
    boots = {k: p.parameters[k] for k in matrix.AXES if k not in ("seed", "check")}
    for k in matrix.LINES:
        apart = matrix.told_apart([q.parameters[k] for q in found])
        boots[k] = apart[boots[k]] or ("none" if not boots[k] else "no more words")
    boots["check"] = p.check  # as the kernel said
    own = own_axis(exp)
    for level in exp.levels:
        for x in exp.xs(metric):
            values = exp.values(level, metric, x)
            if values:
                at = {} if x is None else {own or "x": x}
                yield Point({**boots, **words_of(level), **at}, *stats.mean_interval(values), len(values))


def text(axis, value):
    if value is None or value == "":
        return "none"
    return series.size_text(value) if isinstance(value, int) and axis not in matrix.AXES else str(value)


def chosen(words, texts):
    """{axis: values} of --only AXIS=VALUE[,VALUE]."""
    out = {}
    for word in words:
        axis, equals, values = word.partition("=")
        if not equals or not values:
            raise Usage(f"--only {word}: expected AXIS=VALUE[,VALUE...]")
        known_axis("--only", axis, texts)
        # a level's value may have commas of its own: page_color=2048,1
        for value in [values] if values in texts[axis] else values.split(","):
            if value not in texts[axis]:
                raise Usage(f"--only {axis}={value}: no such value; there are: {', '.join(sorted(texts[axis]))}")
            out.setdefault(axis, set()).add(value)
    return out


def known_axis(option, axis, texts):
    if axis == "seed":
        raise Usage(f"{option} seed: boots that differ in their seed are pooled; their own logs have each")
    if axis not in texts:
        raise Usage(f"{option} {axis}: no such axis; {did_you_mean(axis, texts)}there are: {', '.join(texts)}")


def one_metric(cells, exp, name):
    """The metric, whose source and unit all points have to share."""
    found = {}
    for p, _ in cells:
        found.setdefault(p.experiments[exp].metrics[name], []).append(p.label)
    if len(found) > 1:
        each = "; ".join(f"{m.unit} of source {m.source} ({', '.join(dict.fromkeys(of))})" for m, of in found.items())
        raise Usage(f"{name}: sources or units that do not go into one picture (--only chooses): {each}")
    return next(iter(found))


def on_x(asked, own, texts, varying):
    """The axis on x: as asked, or the workload's, or the first in which points differ."""
    if asked is not None:
        known_axis("--x", asked, texts)
        return asked
    return own or next(iter(varying), "level" if "level" in texts else next(iter(texts)))


def shared_out(asked, x, texts, varying):
    """(axes that make lines, axes that make panels), of those that vary."""
    left = [axis for axis in varying if axis != x]
    if asked is None:
        return left, []
    lines = [word for word in asked.split(",") if word]
    for axis in lines:
        known_axis("--lines", axis, texts)
        if axis == x:
            raise Usage(f"--lines {axis}: that axis is on x")
    return lines, [axis for axis in left if axis not in lines]


def grouped(cells, axes):
    """{what these axes say: points}, in order."""
    out = {}
    for c in cells:
        said = " ".join(f"{a}={text(a, c.place.get(a))}" if a != "level" else str(c.place.get(a)) for a in axes if a in c.place)
        out.setdefault(said, []).append(c)
    return out


def numbers(axis, values):
    """{value: number} when all of the axis' values are numbers or sizes, else None."""
    out = {}
    for value in values:
        try:
            out[value] = model.bytes_of(value) if axis == "mem" else int(value)
        except (Usage, ValueError, TypeError):
            return None
    return out


def draw(pages, x, line_axes, label, metric, marks):
    lines = {said: i for i, said in enumerate(grouped(itertools.chain(*pages.values()), line_axes))}
    if len(lines) > LINES_MAX:
        raise Usage(f"{len(lines)} lines; at most {LINES_MAX}: --lines AXIS makes panels of the others, --only AXIS=VALUE chooses")
    values = list(dict.fromkeys(c.place.get(x) for cells in pages.values() for c in cells))
    at = numbers(x, values)
    fig, axes, names = _axes(len(pages), list(lines))
    for ax, (title, cells) in zip(axes, pages.items()):
        for said, of in grouped(cells, line_axes).items():
            _line(ax, of, x, lines[said], said or "all", at, {v: i for i, v in enumerate(values)}, len(lines))
        if at:
            figure.horizontal(ax, sorted(at.values()), label, marks)
            if x in matrix.AXES and x != "mem":
                ax.set_xticks(sorted(at.values()), [str(n) for n in sorted(at.values())])
        else:
            ax.set_xticks(range(len(values)), [figure.folded(text(x, v), 16) for v in values])
            ax.set_xlim(-0.5, len(values) - 0.5)
            ax.set_xlabel(label)
        better = f"\n({metric.better} is better)" if metric.better != "none" else ""
        figure.vertical(ax, f"{metric.name}, {metric.unit}{better}")
        if title:
            ax.set_title(title, fontsize=8)
    if names:
        of = {said: handle for ax in axes for handle, said in zip(*ax.get_legend_handles_labels())}
        names.legend(of.values(), of.keys(), loc="upper left", frameon=False, ncols=figure.columns(fig.get_size_inches(), of))
    return fig


def _axes(count, lines):
    """(figure, axes of the panels, axes for the lines' names above them or None)."""
    columns = min(3, count)
    rows = -(-count // columns)
    width, height = figure.WHOLE if count == 1 else (PANEL[0] * columns, PANEL[1])
    above = 0.05 + 0.2 * -(-len(lines) // figure.columns((width, 0), lines)) if len(lines) > 1 else 0
    fig = figure.pyplot().figure(figsize=(width, height * rows + above), layout="constrained")
    grid = fig.add_gridspec(rows + 1, columns, height_ratios=[above or 0.01] + [height] * rows)
    names = fig.add_subplot(grid[0, :]) if above else None
    if names:
        names.axis("off")
    return fig, [fig.add_subplot(grid[1 + i // columns, i % columns]) for i in range(count)], names


def _line(ax, cells, x, number, said, at, places, of):
    """One line: means and their intervals. Between places that are no numbers nothing is drawn."""
    where = [at[c.place.get(x)] if at else places[c.place.get(x)] + (number - (of - 1) / 2) * 0.5 / of for c in cells]
    drawn = sorted(zip(where, cells), key=lambda pair: pair[0])
    spread = [[c.mean - c.lo if c.lo is not None else 0 for _, c in drawn], [c.hi - c.mean if c.hi is not None else 0 for _, c in drawn]]
    dashes = {"dashes": figure.DASHES[number % len(figure.DASHES)] or (1, 0), "linewidth": 1.3} if at else {"linestyle": "none"}
    ax.errorbar(
        [w for w, _ in drawn], [c.mean for _, c in drawn], yerr=spread, label=said, capsize=2.5, elinewidth=0.9,
        **dashes, **figure.style(number),
    )


def common_marks(pools, exp):
    """Cache sizes that all of these boots have."""
    each = [figure.cache_marks(p.boots[0], p.experiments[exp]) for p in pools]
    return [mark for mark in each[0] if all(mark in marks for marks in each)]


def footnote(exp, metric, cells, same, pools):
    counts = sorted({c.boots for c in cells})
    n = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    spread = "95% intervals by the variance between boots (Student's t)" if counts[-1] > 1 else "no intervals"
    place = cells[0].place
    said = [f"{a}={text(a, place[a])}" for a in same if place.get(a) not in (None, "") and a not in ("kernel", "boot", "check", "qemu", "cmdline")]
    checked = "; kernels had checks on: times include them" if any(p.check for p in pools) else ""
    return (
        f"{exp}: means of {n} boots, {spread}; {figure.source_text(metric.source)}{checked}."
        + (f" All: {' '.join(said)}." if said else "")
    )
