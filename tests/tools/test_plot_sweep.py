"""tt plot DIR: what is drawn is what the sweep's tables say, by any axis, and nothing else is averaged."""

import argparse
import io
import re

import pytest
from synthetic import experiment
from test_pool import write

from ttlib import figure, plot_sweep, pool
from ttlib.errors import Usage

XS = (65536, 262144)
MEMS = {"64M": 1.0, "256M": 2.0}
LEVELS = ("alloc=buddy age=off", "alloc=va age=off", "alloc=buddy age=4:95:50", "alloc=va age=4:95:50")


def made(seed, scale=1.0, **how):
    def effect(level, x):
        return scale * (1000 + 10 * seed + (x or 0) / 65536) * (1.1 if "va" in level else 1.0) * (2 if "95" in level else 1)

    return experiment(effect, **{"seed": seed, "reps": 3, "noise": 2.0, "xs": XS, "levels": LEVELS, **how}).bytes()


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "d", [({"mem": m, "seed": s}, made(s, scale)) for m, scale in MEMS.items() for s in (1, 2, 3)])


def drawn(folder, **args):
    """{(panel, line): {x: (mean, lo, hi)}} as matplotlib has them, and all text of the figure."""
    given = argparse.Namespace(**{"exp": None, "metric": "read", "x": None, "lines": None, "only": [], **args})
    fig, complaints = plot_sweep.figure_of(str(folder), given)
    assert complaints == []
    fig.canvas.draw()
    found = {}
    for ax in fig.axes:
        for bars in ax.containers:
            ends = bars[2][0].get_segments()
            found[ax.get_title(), bars.get_label()] = {
                float(x): (y, end[0][1], end[1][1]) for x, y, end in zip(*bars[0].get_data(), ends)
            }
    figure.pyplot().close(fig)
    return found, " ".join(" ".join(t.get_text() for t in fig.findobj(lambda a: hasattr(a, "get_text"))).split())


def tables(folder):
    """{(row, column): "mean±half"} of what tt sweep prints."""
    out = io.StringIO()
    pool.write(pool.pools(str(folder))[0], ["read"], out)
    rows = [re.split(r"  +", line.strip()) for line in out.getvalue().splitlines() if "±" in line]
    return {(row[0], x): cell.rstrip("~+-") for row in rows if len(row) == 3 for x, cell in zip(("64K", "256K"), row[1:])}


def said(point):
    mean, lo, hi = point
    assert mean - lo == pytest.approx(hi - mean)
    return pool.with_spread(mean, hi - mean)


def test_what_is_drawn_is_what_the_tables_say(folder):
    printed = tables(folder)
    found, _ = drawn(folder)
    assert len(printed) == 16 and len(found) == 8
    for (_, line), points in found.items():
        for x, point in points.items():
            mem, alloc, age = (re.search(rf"{k}=(\S+)", line).group(0) for k in ("mem", "alloc", "age"))
            assert said(point) == printed[f"{mem} {alloc} {age}", "64K" if x == XS[0] else "256K"]


@pytest.mark.parametrize(
    "x, lines, panels, count",
    [
        (None, "mem", 4, 2), ("mem", None, 1, 8), ("mem", "alloc", 4, 2), ("alloc", "mem,bytes,age", 1, 8),
        ("age", "alloc,mem", 2, 4), ("bytes", "alloc,age", 2, 4), ("mem", "", 8, 1),
    ],
)
def test_every_axis_may_be_on_x_make_lines_or_panels_and_no_cell_is_lost_or_changed(folder, x, lines, panels, count):
    found, text = drawn(folder, x=x, lines=lines)
    assert sorted(said(p) for points in found.values() for p in points.values()) == sorted(tables(folder).values())
    assert len({panel for panel, _ in found}) == panels
    assert {sum(1 for p, _ in found if p == panel) for panel, _ in found} == {count}
    assert "source tsc: time-stamp counter of a real machine" in text
    assert "means of 3 boots, 95% intervals" in text and "read, MB/s" in text


def test_memory_on_x_is_a_number(folder):
    found, text = drawn(folder, x="mem", lines="alloc")
    assert {x for points in found.values() for x in points} == {64 << 20, 256 << 20}
    assert "bytes=64K" in text and "256M" in text


def test_only_chooses_and_what_all_have_stands_below(folder):
    found, text = drawn(folder, only=["mem=64M", "bytes=256K", "alloc=va"])
    printed = tables(folder)
    got = {line: said(p) for (_, line), points in found.items() for p in points.values()}
    assert got == {f"age={a}": printed[f"mem=64M alloc=va age={a}", "256K"] for a in ("off", "4:95:50")}
    for word in ("mem=64M", "alloc=va", "bytes=256K"):
        assert word in text
    assert len(drawn(folder, only=["mem=64M,256M"])[0]) == 8


def test_a_value_with_a_comma_is_one_value(tmp_path):
    levels = ("page_color=2048,1", "page_color=512,1")
    folder = write(tmp_path / "d", [({"seed": s}, made(s, levels=levels)) for s in (1, 2)])
    assert "page_color=2048,1" in drawn(folder, only=["page_color=2048,1"])[1]
    assert len(drawn(folder, only=["page_color=2048,1", "page_color=512,1"])[0]) == 2


def test_one_boot_has_no_interval(tmp_path):
    found, text = drawn(write(tmp_path / "d", [({"seed": 1}, made(1))]))
    assert all(mean == lo == hi for points in found.values() for mean, lo, hi in points.values())
    assert "means of 1 boots, no intervals" in text


def test_without_an_axis_of_its_own_the_sweeps_or_the_levels_is_on_x(tmp_path):
    boots = [({"smp": n, "seed": s}, made(s, n, xs=(None,), axis=None)) for n in (1, 2, 4) for s in (1, 2)]
    found, _ = drawn(write(tmp_path / "d", boots))
    assert [sorted(points) for points in found.values()] == [[1, 2, 4]] * 4
    lone = [({"seed": s}, made(s, xs=(None,), levels=("buddy", "va"))) for s in (1, 2)]
    found, text = drawn(write(tmp_path / "e", lone))
    assert [sorted(points) for points in found.values()] == [[0, 1]] and "level" in text


def test_checks_that_were_on_are_said(tmp_path):
    boots = [({"kernel": k, "seed": 1}, made(1, check=c), {"inputs": k}) for k, c in (("a", 0), ("b", 3))]
    found, text = drawn(write(tmp_path / "d", boots), lines="check", only=["alloc=va", "age=off"])
    assert "kernels had checks on: times include them" in text
    assert {panel for panel, _ in found} == {"kernel=a", "kernel=b"}


def test_sources_and_units_are_never_in_one_picture(tmp_path):
    boots = [({"model": m, "seed": 1}, made(1, source=s)) for m, s in (("", "emulation"), ("ds10", "model"))]
    folder = write(tmp_path / "d", boots)
    with pytest.raises(Usage, match=r"source emulation \(model=none\); MB/s of source model \(model=ds10\)"):
        drawn(folder)
    assert "source model" in drawn(folder, only=["model=ds10"])[1]
    assert "says nothing about any real machine" in drawn(folder, only=["model=none"])[1]


def test_boots_that_may_not_be_pooled_are_refused(tt_here, tmp_path):
    folder = write(tmp_path / "d", [({"seed": 1}, made(1)), ({"seed": 2}, made(2, version="other"))])
    done = tt_here("plot", folder, "-o", tmp_path / "a.png")
    assert done.returncode == 2 and b"different kernels: test against other" in done.stderr
    assert not (tmp_path / "a.png").exists()


def test_a_boot_that_is_left_out_is_told(tt_here, tmp_path):
    folder = write(tmp_path / "d", [({"seed": 1}, made(1)), ({"seed": 2}, made(2)[:-300])])
    done = tt_here("plot", folder, "-o", tmp_path / "a.svg")
    assert done.returncode == 1 and b"no end record" in done.stderr
    assert "means of 1 boots" in (tmp_path / "a.svg").read_text()


def test_the_same_sweep_is_the_same_picture(tt_here, folder, tmp_path):
    for name in ("a.svg", "b.svg"):
        assert tt_here("plot", folder, "--x", "mem", "--lines", "alloc", "-o", tmp_path / name).returncode == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize(
    "words, why",
    [
        (["--metric", "reed"], "no metric reed; did you mean read? there are: read"),
        (["--exp", "bandwith"], "did you mean bandwidth?"),
        (["--x", "men"], "--x men: no such axis; did you mean mem? there are: arch, boot"),
        (["--x", "seed"], "differ in their seed are pooled"),
        (["--lines", "alloc,x"], "--lines x: no such axis"),
        (["--lines", "bytes"], "--lines bytes: that axis is on x"),
        (["--only", "mem"], "--only mem: expected AXIS=VALUE"),
        (["--only", "mem="], "expected AXIS=VALUE"),
        (["--only", "mem=1G"], "no such value; there are: 256M, 64M"),
        (["--only", "memory=1G"], "--only memory: no such axis"),
        (["--boot", "1"], "one boot a log"),
        (["-o", "a.gif"], ".png or .svg"),
    ],
)
def test_wrong_words_are_named(tt_here, folder, tmp_path, words, why):
    done = tt_here("plot", folder, "-o", tmp_path / "a.png", *words)
    assert (done.returncode, why in done.stderr.decode()) == (2, True), done.stderr
    assert not (tmp_path / "a.png").exists()


def test_too_many_lines_and_panels_are_refused_with_a_way_out(tmp_path):
    folder = write(tmp_path / "d", [({"mem": f"{64 + i}M", "seed": 1}, made(1, levels=("alloc=a", "alloc=b"))) for i in range(13)])
    with pytest.raises(Usage, match="26 lines; at most 24: --lines"):
        drawn(folder)
    with pytest.raises(Usage, match="13 panels, one for each mem; at most 12: --only"):
        drawn(folder, lines="alloc")


@pytest.mark.parametrize("words", [["--x", "mem"], ["--lines", "mem"], ["--only", "mem=64M"]])
def test_a_logs_picture_has_no_axes_to_choose(tt_here, tmp_path, words):
    (tmp_path / "a.log").write_bytes(made(1))
    done = tt_here("plot", tmp_path / "a.log", "-o", tmp_path / "a.png", *words)
    assert done.returncode == 2 and f"{words[0]} is for a directory of tt sweep" in done.stderr.decode()
