"""own_colors=: the kernel's own memory keeps to some colours of the cache, and says what does not."""

import pytest
from boots import ARCH, boot, good

PAGE = {"x86_64": 4096, "alpha": 8192}[ARCH]
COLORS = 512
CACHE = COLORS * PAGE >> 10
WORDS = f"run=bandwidth,selftest page_color={CACHE},1 reps=1 warmup=0 passes=1"


def colors_of_own(done):
    """Colours of the kernel's own pages that are live at the end of the boot."""
    pages = [n for part in done.last.parts("memory", "v", what="own_pages") for n in part]
    assert len(pages) == COLORS
    assert sum(pages) > 8
    return {color for color, n in enumerate(pages) if n}


@pytest.mark.parametrize("first, last", [(0, 63), (100, 163), (448, 511)])
def test_pages_tables_and_heap_keep_to_the_colors(first, last):
    done = good(f"{WORDS} subject=16M own_colors={first}-{last}")
    allowed = set(range(first, last + 1))
    assert colors_of_own(done) <= allowed
    assert not colors_of_own(good(f"{WORDS} subject=16M")) <= allowed
    own = done.only("memory", what="own")
    assert (own["colors"], own["allowed"]) == (COLORS, 64)
    # walked from outside, page by page
    verdict = done.verdicts["selftest/own_colors"]
    assert verdict.ok and not verdict.skipped


def test_the_selftest_is_skipped_without_it():
    assert good("run=selftest").verdicts["selftest/own_colors"].skipped


def plan(done):
    return done.experiments["bandwidth"].plan


def test_the_descriptors_keep_to_them_where_they_fit_in_one_piece():
    small = good(f"{WORDS} subject=16M own_colors=0-255")
    large = good(f"{WORDS} subject=64M own_colors=0-63")
    assert plan(small)["descriptors"] == "own colors"
    assert plan(large)["descriptors"] == "any color"


def test_the_counts_of_experiments_do_not_change():
    """Where the kernel itself lies is no business of a placement, when the subject is alike."""
    words = f"{WORDS} subject=16M alloc=va"
    assert good(f"{words} own_colors=0-63").counts() == good(f"{words} own_colors=64-127").counts()


def test_a_color_that_the_cache_has_not_ends_the_boot():
    done = boot(f"{WORDS} own_colors=0-{COLORS}")
    assert not done.ok
    assert f"only 0 to {COLORS - 1}" in done.verdicts["own_colors"].reason


def test_the_first_level_of_page_color_is_the_one_meant():
    done = good(f"run=conflict page_color={CACHE // 2},1/{CACHE},1 subject=16M reps=1 warmup=0 own_colors=0-63")
    assert done.only("memory", what="own")["colors"] == COLORS // 2
