"""tt report shows every kind of record that HACKING.md has, and its pictures and tables hold many long levels."""

import re
import warnings

import pytest
from paths import ROOT
from synthetic import Builder, experiment
from test_plot import Page

from ttlib import colors, figure, report, series
from ttlib.log import read_log

EXP = {"exp": "bandwidth"}
BUDDY = {**EXP, "level": "buddy"}
# (kind, what) -> members, and the words of the page that come from them
RECORDS = {
    ("boot", "kernel"): ({}, ["Kernel test, x86_64, booted by pvh, CHECK=0"]),
    ("boot", "cmdline"): ({}, ["run=bandwidth"]),
    ("machine", "cpus"): (dict(found=9, running=7, why="odd MADT"), ["7 of 9 run: odd MADT"]),
    ("machine", "timer"): (dict(source="deadline", hz=2_500_000_000), ["deadline, 2500.0 MHz"]),
    ("machine", "offset"): (dict(cpu=3, cycles=-64, error=182), ["CPU 3: -64 cycles against CPU 0, ± 182"]),
    ("machine", "kind"): (dict(kind="efficient", cpus=[4, 6]), ["efficient: CPUs 4, 6"]),
    ("machine", "cpu"): ({}, ["Test Test CPU 6 1 0"]),
    ("machine", "cache"): ({}, ["L2: 256K, 1 ways, 64-byte lines (cpuid leaf 4)"]),
    ("machine", "clock"): ({}, ["1000.0 MHz by pit+acpi_pm, invariant, overhead 40 cycles, source tsc"]),
    ("machine", "pmu"): (dict(counters=4, events=["cycles", "r1234"]), ["cycles, r1234 (4 at once)"]),
    ("machine", "model"): (
        dict(machine="ds10", cpus=2, clock_khz=466000, page_bytes=8192, memory_latency_cycles=88, outstanding_misses=6, not_modelled="tides"),
        ["ds10, 466 MHz, 2 processors, pages of 8192 bytes, memory 88 cycles away, 6 misses under way at most, not modelled: tides"],
    ),
    ("memory", "map"): (dict(first=0, of=1, ranges=["1000-9f000 ram"]), ["1000-9f000 ram"]),
    ("memory", "total"): ({}, ["256 MiB free for subjects"]),
    ("memory", "own"): (
        dict(start="0x1000", end="0x9000", used=4321, peak=5432, colors=64, allowed=8, any_color="image"),
        ["0x1000 to 0x9000, 4321 bytes used, 5432 at most; of 8 of 64 colours, but not image"],
    ),
    ("memory", "own_kind"): (dict(name="image", pages=370, got=60, wanted=8, outside=300), ["image: 370 pages of 60 colours (8 allowed, 300 pages outside"]),
    ("memory", "node"): (dict(node=1, ram_pages=777, cpus=[2, 3], distance=[20, 10]), ["node 1: 777 pages, CPUs 2, 3, distances 20, 10"]),
    ("memory", "own_pages"): (dict(colors=3, first=0, part=0, parts=1, v=[5, 0, 6]), ["11, of 2 of 3 colours"]),
    ("experiment", "plan"): ({}, ["5 blocks after 1 warm-up, seed 1, randomized complete blocks, 16384 pages of subject memory", "4 passes"]),
    ("experiment", "own"): ({**EXP, **dict(name="stacks", pages=17, wanted=8, got=5, outside=0)}, ["during a sample: stacks: 17 pages of 5 colours (8 allowed, 0 pages"]),
    ("experiment", "probe"): (
        {**EXP, **dict(cache_bytes=8 << 20, ways=16, colors=128, lines=12, frames=999, guessed=3, reads=5, near_cycles=44, far_cycles=282,
                       checked=512, wrong=2, right=24.4, known=25.5, verdict="differs", source="tsc")},
        ["128 of 8M in 999 frames (source tsc), 16 ways stated, 12 lines throw one out, 3 frames guessed, a hit 44 cycles, a miss 282",
         "2 of 512 checks contradict; address bits alone: differs, right for 24.4% of pairs, 25.5% of pairs known"],
    ),
    ("experiment", "linear"): ({**EXP, **dict(cache_bytes=1 << 20, masks="0x11,0x22", right=99.5, known=98.5)}, ["of 1M: page_color=xor:0x11,0x22, right for 99.5% of pairs, 98.5% known"]),
    ("experiment", "label"): ({**EXP, **dict(factor="hash", label="h1", part=0, parts=1, text="a long one")}, ["hash=h1 is a long one"]),
    ("experiment", "level"): ({}, ["64 256K, 1 ways command line"]),
    ("experiment", "descriptors"): ({**BUDDY, **dict(nodes=[512, 3], away=77)}, ["512, 3 pages; 77 descriptors away"]),
    ("experiment", "metric"): ({}, ["read, MB/s (higher is better)"]),
    ("sample", None): ({}, ["5 samples each"]),
    ("summary", None): ({**BUDDY, **dict(x=65536, metric="read", vs="va")}, ["the difference to va with"]),
    ("finding", None): (
        {**EXP, **dict(level="all", what="line", metric="read", source="tsc", found=64, above=56, step=3, p=0.01, says=32, rule="R", verdict="differs")},
        ["line found 64 bytes, by read (source tsc); the machine says 32 bytes: differs"],
    ),
    ("alloc", None): ({**BUDDY, **dict(counter="searches", value=4242)}, ["buddy: searches 4242"]),
    ("trace", None): (dict(trace="faults", events=31, lost=0, first=0, part=0, parts=1, words=[]), ["faults: 31 events, 0 lost"]),
    ("profile", None): ({**BUDDY, **dict(function="chase", samples=3, of=4, every_cycles=100, source="model", machine="ds10")}, ["chase 75.00%"]),
    ("note", None): (dict(level="warning", text="kinds differ"), ["Warning: kinds differ"]),
    ("end", None): ({}, ["log: ok", "1 passed, 0 failed, 0 skipped"]),
}


def documented():
    """{(kind, what)} of the table in HACKING.md."""
    text = (ROOT / "HACKING.md").read_text()
    for kind, cell in re.findall(r"^\| ([a-z]+) \| (.*) \|$", text[: text.index("## A sweep's index")], re.M):
        if kind == "kind":
            continue
        whats = re.findall(r"`([a-z_]+)` \(", cell) if kind in ("boot", "machine", "memory", "experiment") else [None]
        yield from ((kind, what) for what in whats if what not in ("v", "way", "check", "subject_nodes"))


def test_every_kind_of_record_has_its_example_here():
    assert set(documented()) == set(RECORDS)


def made(**how):
    log = experiment(lambda level, x: 100.0 if level == "buddy" else 150.0, **how)
    log.lines.pop()
    log._seq -= 1
    return log


@pytest.fixture
def page(tt_here, tmp_path):
    def make(log):
        (tmp_path / "a.log").write_bytes(log.end().bytes())
        done = tt_here("report", tmp_path / "a.log", "-o", tmp_path / "a.html")
        assert done.returncode == 0, done.stderr
        return Page((tmp_path / "a.html").read_text()).words

    return make


@pytest.fixture
def everything(page):
    log = made()
    for (kind, what), (members, _) in RECORDS.items():
        if members:
            log.record(kind, **({"what": what} if what else {}), **members)
    return page(log)


def test_every_kind_of_record_is_on_the_page(everything):
    for key, (_, texts) in RECORDS.items():
        for text in texts:
            assert text in everything, key


def test_a_kind_that_is_not_there_is_not_on_the_page(page):
    words = page(made())
    for key, (members, texts) in RECORDS.items():
        if members:
            assert not any(text in words for text in texts), key


def test_where_levels_differ_each_has_its_row(page):
    log = made()
    log.record("experiment", **BUDDY, what="descriptors", nodes=[1, 2], away=3)
    words = page(log)
    assert "buddy 64 256K, 1 ways command line 1, 2 pages; 3 descriptors away from their frame va 64 256K" in words
    assert "all 64 256K, 1 ways command line" in page(made())


def test_blocks_by_node_are_there(page):
    log = made()
    log.record("alloc", **BUDDY, pages=9, colors=4, wishes=9, missed=0, failed=0, local=6, remote=3)
    log.record("alloc", **BUDDY, array="got", first=0, part=0, parts=1, v=[3, 3, 3, 0])
    for array, v in (("node_wanted", [8, 1]), ("node_got", [6, 3])):
        log.record("alloc", **BUDDY, array=array, first=0, part=0, parts=1, v=v)
    words = page(log)
    assert "buddy: asked for by node 8, 1; got by node 6, 3" in words
    assert "local remote buddy 9 4 9 0 - - 0 6 3" in words


# ---- many levels with long names -------------------------------------------------------------------

LONG = tuple(f"page_struct=2.6v:64 interleave={i} tx_irq=other" for i in range(20))


def of_long(count, **how):
    log = made(**{"levels": LONG[:count], "reps": 2, "xs": (1, 4, 16), "axis": "pages of a packet", **how})
    for name in LONG[:count]:
        who = dict(**EXP, level=name)
        log.record("alloc", **who, pages=256, colors=4, wishes=0, missed=0, failed=0)
        log.record("alloc", **who, array="got", first=0, part=0, parts=1, v=[64] * 4)
        log.record("alloc", **who, array="free_blocks", first=0, part=0, parts=1, v=[100, 20, 3])
    boot = read_log(log.end().bytes()).boots[0]
    return boot, series.experiments(boot)["bandwidth"]


def assert_all_is_inside(fig, names, least=100):
    """Every level is named, and every text is in the picture, none cut at its edge."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fig.canvas.draw()
    texts = [t for t in fig.findobj(lambda a: hasattr(a, "get_text")) if re.search(r"[a-z]", t.get_text())]  # no ticks: some are outside
    said = [t.get_text().replace("\n", " ") for t in texts]
    width, height = fig.get_size_inches() * fig.dpi
    for t in texts:
        box = t.get_window_extent()
        assert -1 <= box.x0 and box.x1 <= width + 1 and -1 <= box.y0 and box.y1 <= height + 1, t.get_text()
    assert all(name in said for name in names)
    plot = max((ax.get_window_extent() for ax in fig.axes), key=lambda b: b.width * b.height)
    assert plot.width > 300 and plot.height > least
    figure.pyplot().close(fig)


@pytest.mark.parametrize("count", [2, 8, 20])
@pytest.mark.parametrize("xs", [(1, 4, 16), (None,)])
def test_pictures_have_room_for_all_levels(count, xs):
    boot, exp = of_long(count, xs=xs)
    assert_all_is_inside(figure.draw(exp, exp.metrics["read"], []), LONG[:count])
    found = colors.accounts(boot, exp)
    assert_all_is_inside(colors.heat_map(found), LONG[:count], least=30)  # a row for each
    for fig in (colors.pages_per_color(found), colors.free_blocks(found)):
        assert_all_is_inside(fig, LONG[:count])


def test_a_wide_table_lies_down():
    _, exp = of_long(8)
    table = report.metric(exp, exp.metrics["read"], [])["table"]
    assert table["corner"] == "level \\ pages of a packet" and table["head"] == ["1", "4", "16"]
    assert [name for name, _ in table["rows"]] == list(LONG[:8])
    assert all(len(cells) == 3 for _, cells in table["rows"])
    boot = read_log(made(xs=(65536, 131072, 262144)).end().bytes()).boots[0]
    exp = series.experiments(boot)["bandwidth"]
    table = report.metric(exp, exp.metrics["read"], [])["table"]
    assert (table["corner"], table["head"]) == ("bytes", ["buddy", "va"])
    assert [name for name, _ in table["rows"]] == ["64K", "128K", "256K"]


def test_a_panic_has_no_levels_and_no_trouble(page):
    assert "log: panic" in page(type("Panic", (), {"end": lambda self: Builder().end(verdict="panic")})())
