"""One figure: a metric of an experiment, levels as lines with 95% bands, over the workload's axis.

The same drawing goes into files (tt plot) and into a report's page, where its colours are
names that the page's style sheet fills in for a light or a dark browser.
"""

import io
import re
import textwrap

from . import series, stats

# Okabe and Ito's colours (told apart by colour-blind readers), and line styles for black and white.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f6000", "#666666")
DASHES = ((), (5, 2), (1, 1.5), (6, 2, 1, 2), (3, 1), (8, 3))
MARKERS = "os^Dv<>P"
INK, FAINT = "#1a1a1a", "#8c8c8c"


def pyplot():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update(
        {
            "svg.fonttype": "none",  # text stays text: small, searchable, in the page's font
            "svg.hashsalt": "tintype",  # the same figure, the same bytes
            "font.family": "sans-serif",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )
    for key in ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"):
        plt.rcParams[key] = INK
    return plt


def cache_marks(boot, exp):
    """[(bytes, label)]: what the axis' sizes have to be compared with, if sizes they are."""
    if not (exp.plan.get("axis") or "").startswith("bytes"):
        return []
    marks = {}
    for record in boot.of("machine", what="cache"):
        marks.setdefault(record.fields["size"], [f"L{record.fields['level']}"])
    for level in exp.levels.values():
        size = level.get("cache_bytes")
        if size and "coloured" not in marks.setdefault(size, []):
            marks[size].append("coloured")
    return [(size, ", ".join(labels)) for size, labels in sorted(marks.items())]


WHOLE, SMALL = (6.4, 3.6), (4.2, 2.8)


def draw(exp, metric, marks, size=WHOLE):
    """A matplotlib figure, or None when the metric has no samples."""
    xs = exp.xs(metric.name)
    if not xs:
        return None
    better = f" ({metric.better} is better)" if metric.better != "none" else ""
    label = f"{metric.name}, {metric.unit}" + (better if size == WHOLE else "")
    if xs == [None]:
        return _bars(exp, metric, label, size)
    names = exp.levels if size == WHOLE or len(exp.levels) <= 3 * columns(size, exp.levels) else []  # no room: as in a large one
    fig, ax = axes(size, names)
    _lines(ax, exp, metric, xs, marks)
    vertical(ax, label)
    if names:
        legend(ax, names)
    return fig


ROW = 0.2  # of a legend, or of a level's name in a list, inches


def axes(size, names):
    """A figure with one plot, and above it as much more room as a legend of these names needs."""
    rows = -(-len(names) // columns(size, names))
    return pyplot().subplots(figsize=(size[0], size[1] + max(0, rows - 2) * ROW), layout="constrained")


def vertical(ax, label):
    """From 0, or from below it, to above the highest."""
    ax.set_ylabel(label)
    ax.set_ylim(min(0, ax.dataLim.y0 * 1.08), max(ax.dataLim.y1 * 1.08, 0) or 1)
    ax.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.6)


def footnote(fig, text):
    """What a picture without a page says of its numbers: how many, how sure, from what source."""
    fig.supxlabel(textwrap.fill(text, int(fig.get_figwidth() * 19)), x=0.01, ha="left", fontsize=7, color=INK)


LETTERS = 12  # of the legend's size in an inch


def columns(size, labels):
    """How many columns of these the legend of a picture has room for."""
    longest = max(map(len, labels), default=0)
    return max(1, min(4, int(size[0] * LETTERS / (longest + 6))))  # 6: the sample of the line


def folded(text, width):
    """A label in lines of that many letters, broken between words."""
    return "\n".join(textwrap.wrap(text, width, break_on_hyphens=False)) or text


def caption(exp, metric):
    return f"{metric.name}: {means_text(exp, metric)}; source {metric.source}."


def means_text(exp, metric):
    return f"means of {series.samples_text(exp, metric)} blocks with 95% intervals (Student's t)"


def source_text(source):
    return f"source {source}: {series.SOURCES.get(source, 'unknown to this tool')}"


def legend(ax, names):
    """Above the axes, never over the data; as many columns as the picture is wide."""
    ncols = columns(ax.figure.get_size_inches(), names)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=ncols, frameon=False, borderaxespad=0.2)


def style(i):
    return {"color": PALETTE[i % len(PALETTE)], "marker": MARKERS[i % len(MARKERS)], "markersize": 4}


def _lines(ax, exp, metric, xs, marks):
    for i, level in enumerate(exp.levels):
        points = [(x, stats.mean_interval(v)) for x in xs if (v := exp.values(level, metric.name, x))]
        if not points:
            continue
        at = [x for x, _ in points]
        ax.plot(
            at, [m for _, (m, _, _) in points], label=level, linewidth=1.5, dashes=DASHES[i % len(DASHES)] or (1, 0), **style(i)
        )
        band = [(x, lo, hi) for x, (_, lo, hi) in points if lo is not None]
        if band:
            ax.fill_between(*zip(*band), color=style(i)["color"], alpha=0.18, linewidth=0)
    horizontal(ax, xs, exp.plan.get("axis") or "x", marks)


def horizontal(ax, xs, label, marks):
    """The axis of a workload's sizes and numbers, with what they have to be compared with."""
    _scale(ax, xs)
    step = -(-len(xs) // 9)  # nine labels fit
    ax.set_xticks(xs[::step], [series.size_text(x) for x in xs[::step]])
    ax.minorticks_off()
    ax.set_xlabel(label)
    for where, text in marks:
        if xs[0] <= where <= xs[-1]:
            ax.axvline(where, color=FAINT, linewidth=0.8, linestyle=":", zorder=0)
            ax.annotate(
                text, (where, 1), xycoords=("data", "axes fraction"), xytext=(2, -8), textcoords="offset points",
                color=FAINT, fontsize=7,
            )


def _scale(ax, xs):
    """Doublings; a 0, which has no place among them, as far below the smallest of the others as that is from its double."""
    above = [x for x in xs if x]
    if len(above) == len(xs):
        ax.set_xscale("log", base=2)
    elif above:
        ax.set_xscale("symlog", base=2, linthresh=above[0])


def _bars(exp, metric, label, size):
    """Of a workload without an axis: levels side by side, or below each other where their names need the room."""
    beside = sum(len(level) + 1 for level in exp.levels) < size[0] * LETTERS
    height = size[1] if beside else max(size[1], 0.8 + ROW * len(exp.levels))
    fig, ax = pyplot().subplots(figsize=(size[0], height), layout="constrained")
    for i, level in enumerate(exp.levels):
        values = exp.values(level, metric.name, None)
        if values:
            m, lo, hi = stats.mean_interval(values)
            spread = None if lo is None else [[m - lo], [hi - m]]
            where = {"x": [i], "y": [m], "yerr": spread} if beside else {"x": [m], "y": [i], "xerr": spread}
            ax.errorbar(**where, fmt=MARKERS[i % len(MARKERS)], color=style(i)["color"], capsize=4)
    names, room = list(exp.levels), (-0.5, len(exp.levels) - 0.5)
    if beside:
        ax.set_xticks(range(len(names)), names)
        ax.set_xlim(*room)
        vertical(ax, label)
    else:
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(*reversed(room))
        ax.set_xlabel(label)
        ax.set_xlim(min(0, ax.dataLim.x0 * 1.08), max(ax.dataLim.x1 * 1.08, 0) or 1)
        ax.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    return fig


def svg(fig):
    """The figure as an <svg> element whose colours are the page's: --ink, --faint, --c0, --c1 ..."""
    import matplotlib.pyplot as plt

    out = io.StringIO()
    fig.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    plt.close(fig)
    text = out.getvalue()
    text = text[text.index("<svg") :]
    names = {INK: "var(--ink)", FAINT: "var(--faint)"}
    names.update({c: f"var(--c{i})" for i, c in enumerate(PALETTE)})
    for colour, name in names.items():
        text = text.replace(colour, name)
    # As wide as the page allows, and its ids apart from those of the page's other figures.
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    return re.sub(r'(<svg[^>]*?) width="[^"]*"', r'\1 width="100%"', text, count=1)


def save(fig, path):
    import matplotlib.pyplot as plt

    fig.savefig(path, dpi=160, metadata={"Date": None} if path.endswith(".svg") else {"Software": None})
    plt.close(fig)
