"""The colour accounting of a boot's levels, and its pictures: heat map and histograms."""

from collections import Counter

from . import figure


def account(boot, exp, level):
    """{"total": members, "got": [...], "wanted": ..., "free_blocks": ...}; None what is not there."""
    totals = [r.fields for r in boot.of("alloc", exp=exp, level=level) if "pages" in r.fields]
    found = {"total": totals[0] if totals else None}
    for name in ("got", "wanted", "free_blocks"):
        parts = boot.parts("alloc", "v", exp=exp, level=level, array=name)
        found[name] = parts and [n for part in parts for n in part]
    return found


def accounts(boot, exp):
    found = {level: account(boot, exp.name, level) for level in exp.levels}
    return {level: a for level, a in found.items() if a["got"] and sum(a["got"])}


def heat_map(found):
    """One row per level: pages got by colour, against an even share. None without any account."""
    if not found:
        return None
    plt = figure.pyplot()
    fig, axes = plt.subplots(
        len(found), 1, figsize=(6.4, 0.55 + 0.5 * len(found)), layout="constrained", squeeze=False, sharex=False
    )
    for ax, (level, a) in zip(axes[:, 0], found.items()):
        even = sum(a["got"]) / len(a["got"])
        image = ax.imshow(
            [[n / even for n in a["got"]]], aspect="auto", cmap="viridis", vmin=0, vmax=2, interpolation="nearest"
        )
        ax.set_yticks([])
        ax.set_ylabel(figure.folded(level, 40), rotation=0, ha="right", va="center")
        ax.spines[:].set_visible(False)
        ax.set_xticks([] if ax is not axes[-1, 0] else [0, len(a["got"]) - 1])
    axes[-1, 0].set_xlabel("colour")
    bar = fig.colorbar(image, ax=list(axes[:, 0]), fraction=0.04, pad=0.01, ticks=[0, 1, 2])
    bar.set_label("of even share")
    bar.outline.set_visible(False)
    return fig


def _steps(per_level, xlabel, ylabel):
    """Histograms of small integers as outlined steps, one line per level."""
    fig, ax = figure.axes((6.4, 2.6), per_level)
    for i, (level, counts) in enumerate(per_level.items()):
        low, high = min(counts) - 1, max(counts) + 1
        at = list(range(low, high + 1))
        ax.step(
            at, [counts.get(k, 0) for k in at], where="mid", label=level, color=figure.PALETTE[i % len(figure.PALETTE)],
            dashes=figure.DASHES[i % len(figure.DASHES)] or (1, 0), linewidth=1.4,
        )
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.set_ylim(bottom=0)
    figure.legend(ax, per_level)
    return fig


def pages_per_color(found):
    """How many colours got k pages: a spike when placement is even, wide when it is random."""
    if not found:
        return None
    return _steps({level: Counter(a["got"]) for level, a in found.items()}, "pages of one colour", "colours")


def free_blocks(found):
    """Free blocks by order before the workload: what ageing left."""
    lists = {level: dict(enumerate(a["free_blocks"])) for level, a in found.items() if a["free_blocks"]}
    return _steps(lists, "order", "free blocks") if lists else None
