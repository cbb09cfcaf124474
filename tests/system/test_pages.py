"""pages=: large pages under a working set, and the accounting of blocks above one page."""

import re

import pytest
from boots import ARCH, boot, good

BASE, LARGE = {"x86_64": ("4K", "2M"), "alpha": ("8K", "4M")}[ARCH]
PAGE = {"4K": 4096, "8K": 8192}[BASE]
LARGE_BYTES = {"2M": 2 << 20, "4M": 4 << 20}[LARGE]
CACHE = LARGE_BYTES  # one large page has every colour of it once

WORDS = f"run=conflict page_color={CACHE >> 10},1 reps=2 warmup=0 passes=1"


def values(done, level, metric):
    exp = done.experiments["conflict"]
    return {x: exp.values(level, metric, x) for x in exp.xs(metric)}


@pytest.mark.parametrize("alloc", ["buddy", "random", "va"])
def test_one_large_page_has_all_colors(alloc):
    """Whatever the policy, which has only its first frame to choose: no conflict up to the cache."""
    done = good(f"{WORDS} alloc={alloc} age=off pages={BASE},{LARGE}")
    conflict = values(done, f"pages={LARGE}", "conflict")
    colors = values(done, f"pages={LARGE}", "colors")
    below = [x for x in conflict if x <= CACHE]
    assert min(below) < CACHE == max(below)  # also parts of one page
    for x in below:
        assert conflict[x] == [0, 0]
        assert colors[x] == [x // PAGE] * 2  # only the part that the working set asked for


def test_small_pages_at_random_do_conflict():
    done = good(f"{WORDS} alloc=random age=off pages={BASE},{LARGE}")
    assert min(values(done, f"pages={BASE}", "conflict")[CACHE]) > 0.4 * CACHE // PAGE


def test_aged_memory_has_no_large_page_and_says_so():
    done = good(f"{WORDS} alloc=va age=4:95:50 pages={BASE},{LARGE}")
    assert all(v == [] or v == [None, None] for v in values(done, f"pages={LARGE}", "conflict").values())
    (total,) = [f for f in done.of("alloc", level=f"pages={LARGE}") if "pages" in f]
    assert (total["pages"], total["blocks"], total["failed"]) == (0, 0, 2)


def test_blocks_are_accounted_frame_by_frame():
    done = good(f"{WORDS} alloc=va age=off pages={BASE},{LARGE}")
    (total,) = [f for f in done.of("alloc", level=f"pages={LARGE}") if "pages" in f]
    got = [n for part in done.last.parts("alloc", "v", level=f"pages={LARGE}", array="got") for n in part]
    assert total["pages"] == total["blocks"] * (LARGE_BYTES // PAGE) == sum(got)
    assert got == [total["blocks"]] * (CACHE // PAGE)


def test_an_unknown_size_names_the_known():
    done = boot(f"{WORDS} pages=16K")
    assert not done.ok
    assert f"valid: {BASE} {LARGE}" in done.text


def test_an_experiment_without_a_working_set_refuses_large_pages():
    assert "pages=" in boot(f"run=pair page_color=256,1 reps=1 warmup=0 age=off pages={LARGE}").verdicts["pair"].reason


# ---- counters of a policy's own ----------------------------------------------------------------


def counters(done, level):
    return {f["counter"]: f["value"] for f in done.of("alloc", level=level) if "counter" in f}


# So tight that colours run out.
TIGHT = "run=bandwidth page_color=1024,1 subject=8M age=4:95:60 reps=1 warmup=0 passes=1"


def test_posted_counts_hits_and_misses_its_own_way():
    done = good(f"{TIGHT} alloc=posted,va proc=on")
    (total,) = [f for f in done.of("alloc", level="alloc=posted") if "pages" in f]
    own = counters(done, "alloc=posted")
    assert own["hits"] == total["blocks"]  # every success, of whatever colour
    assert own["misses"] >= total["missed"] > 0  # every colour probed in vain
    assert counters(done, "alloc=va") == {}


def test_proc_prints_them_in_the_layout_of_the_patch():
    done = good(f"{TIGHT} alloc=posted,va proc=on")
    own = counters(done, "alloc=posted")
    found = re.findall(r"^# colors: (\d+)\n# hits: (\d+)\n# misses: (\d+)\n# pages allocated: (\d+)\n", done.text, re.M)
    assert (str(1024 * 1024 // PAGE), str(own["hits"]), str(own["misses"]), str(own["hits"])) in found
    assert len(found) == 2  # of each level
