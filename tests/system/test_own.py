"""own_colors=: everything of the kernel's own keeps to some colours of the cache, page by page."""

import re

import pytest
from boots import ARCH, NOT_OK, boot, boot_machine, good, machine

PAGE = {"x86_64": 4096, "alpha": 8192}[ARCH]
COLORS = 512
CACHE = COLORS * PAGE >> 10
WORDS = f"run=bandwidth,selftest page_color={CACHE},1 reps=1 warmup=0 passes=1"
KINDS = ["tables", "stacks", "heap", "arrays", "descriptors"]

# No two allowed frames follow each other.
APART = ",".join(str(color) for color in range(0, 160, 8))
# 64 colours: each bit the parity of two bits of the address, 7 apart.
XOR = "xor:" + ",".join(hex(PAGE << i | PAGE << i + 7) for i in range(6))


def by_color(done, what, **members):
    return [n for part in done.last.parts("memory", "v", what=what, **members) for n in part]


def colors_of_own(done):
    """Colours of the kernel's own pages that are live at the end of the boot."""
    pages = by_color(done, "own_pages")
    assert len(pages) == COLORS
    assert sum(pages) > 8
    return {color for color, n in enumerate(pages) if n}


def all_kinds_keep_to_them(done, exp, colors, allowed):
    """By walks of the page tables, while the experiment ran and at the end of the boot."""
    own = done.only("memory", what="own")
    assert (own["colors"], own["allowed"]) == (colors, allowed)
    for found in (done.of("experiment", what="own", exp=exp), [f for f in done.of("memory", what="own_kind") if f["name"] != "image"]):
        assert [f["name"] for f in found] == KINDS
        for f in found:
            assert f["outside"] == 0, f
            assert 0 < f["pages"] and 0 < f["got"] <= min(f["wanted"], f["pages"]), f
            assert f["wanted"] == allowed
    assert done.experiments[exp].plan["descriptors"] == "own colors"


def selftests_prove_it(done):
    names = ["own_colors", "own_stacks"] + (["ist"] if ARCH == "x86_64" else [])
    for name in names:
        verdict = done.verdicts[f"selftest/{name}"]
        assert verdict.ok and not verdict.skipped, name


@pytest.mark.parametrize("smp", [1, 2])
@pytest.mark.parametrize(
    "page_color, own, colors, allowed",
    [
        (f"{CACHE},1", "0-63", COLORS, 64),
        (f"{CACHE},1", "448-511", COLORS, 64),
        (f"{CACHE},1", APART, COLORS, 20),
        (XOR, "3,17-20,60", 64, 6),
    ],
)
def test_every_page_of_every_kind_has_an_allowed_color(page_color, own, colors, allowed, smp):
    done = good(f"run=bandwidth,selftest page_color={page_color} reps=1 warmup=0 passes=1 subject=64M own_colors={own}", smp=smp)
    all_kinds_keep_to_them(done, "bandwidth", colors, allowed)
    selftests_prove_it(done)
    descriptors = next(f for f in done.of("experiment", what="own") if f["name"] == "descriptors")
    assert descriptors["pages"] > 64  # longer than any run of allowed frames


def test_auto_under_the_cache_model():
    where = machine("run=bandwidth,selftest reps=1 warmup=0 passes=1 subject=16M own_colors=5-9,40-50 misses=total")
    where.model = "ds10"
    done = boot_machine(where)
    assert done.ok, done.text[-3000:]
    all_kinds_keep_to_them(done, "bandwidth", (2 << 20) // PAGE, 16)
    selftests_prove_it(done)


@pytest.mark.parametrize("first, last", [(0, 63), (100, 163)])
def test_the_count_of_live_pages_agrees(first, last):
    done = good(f"{WORDS} subject=64M own_colors={first}-{last}")
    allowed = set(range(first, last + 1))
    assert colors_of_own(done) <= allowed
    assert not colors_of_own(good(f"{WORDS} subject=64M")) <= allowed
    walked = sum(f["pages"] for f in done.of("memory", what="own_kind") if f["name"] != "image")
    # what is no kind's: nothing, when no page is held for a moment
    assert walked == sum(by_color(done, "own_pages"))


def test_the_image_is_counted_with_and_without():
    """Its pages by colour, so that colours can be chosen that it does not have."""
    for words in ("", " own_colors=0-63"):
        done = good(f"{WORDS} subject=64M{words}")
        pages = by_color(done, "own_kind", name="image")
        head = done.of("memory", what="own_kind", name="image")[0]
        assert len(pages) == COLORS and sum(pages) == head["pages"] > 100
        assert sum(n > 0 for n in pages) == head["got"]
        if words:
            assert head["outside"] == sum(pages[64:])


def test_the_selftest_is_skipped_without_it():
    assert good("run=selftest").verdicts["selftest/own_colors"].skipped


def test_the_counts_of_experiments_do_not_change():
    """Where the kernel itself lies is no business of a placement, when the subject is alike."""
    words = f"{WORDS} subject=16M alloc=va"
    assert good(f"{words} own_colors=0-63").counts() == good(f"{words} own_colors=64-127").counts()


def test_several_experiments_share_the_place_of_descriptors():
    """The second needs fewer pages of them, the third more: the place grows, and is never two."""
    words = f"page_color={CACHE},1 reps=1 warmup=0 passes=1 own_colors={APART}"
    done = good(f"run=latency,bandwidth,conflict {words} subject=32M")
    for exp in ("latency", "bandwidth", "conflict"):
        all_kinds_keep_to_them(done, exp, COLORS, 20)
    alone = good(f"run=conflict {words} subject=32M")
    together = {key: value for key, value in done.counts().items() if key[0] == "conflict"}
    assert together == alone.counts()


def test_colors_that_are_too_few_end_in_advice_that_helps():
    words = f"run=bandwidth page_color={CACHE},1 reps=1 warmup=0 passes=1 subject=64M"
    colors = 1
    for _ in range(4):  # one thing after the other may be missing
        done = boot(f"{words} own_colors=0-{colors - 1}")
        if done.ok:
            break
        (reason,) = [v.reason for v in done.verdicts.values() if v.reason]
        advice = re.search(r"own_colors= leaves \d+ pages, \d+ of them free, \d+ needed: name (\d+) colours or more", reason)
        assert advice and int(advice.group(1)) > colors, reason
        colors = int(advice.group(1))
    assert 1 < colors < 32
    assert done.ok, reason
    all_kinds_keep_to_them(done, "bandwidth", COLORS, colors)


def test_a_color_that_the_cache_has_not_ends_the_boot():
    done = boot(f"{WORDS} own_colors=0-{COLORS}")
    assert not done.ok
    assert f"only 0 to {COLORS - 1}" in done.verdicts["own_colors"].reason


def test_the_first_level_of_page_color_is_the_one_meant():
    done = good(f"run=conflict page_color={CACHE // 2},1/{CACHE},1 subject=16M reps=1 warmup=0 own_colors=0-63")
    assert done.only("memory", what="own")["colors"] == COLORS // 2


@pytest.mark.skipif(ARCH != "x86_64", reason="this machine cannot protect the end of a stack from traps")
def test_stacks_of_exceptions_work_where_they_are():
    done = boot(f"crash=stack page_color={CACHE},1 own_colors=0-63")
    assert done.status == NOT_OK
    assert re.search(r"#DF double fault at descend", done.only("end")["reason"])
    assert " rsp ffffd0" in done.text


def test_scattered_descriptors_are_counted_apart_by_the_model():
    """Transfers of descriptors' lines: the same pages, wherever the descriptors lie."""

    def transfers(words):
        where = machine(f"run=txpage,pagevec reps=1 warmup=1 passes=1 subject=64M misses=total page_color={CACHE},1 {words}", smp=2)
        where.model = "cobra"
        done = boot_machine(where)
        assert done.ok, done.text[-3000:]
        tx, vec = done.experiments["txpage"], done.experiments["pagevec"]
        return tx.values("all", "desc_transfers", 1)[0], vec.values("all", "lru_transfers", None)[0], done

    tx, vec, _ = transfers("")
    own_tx, own_vec, done = transfers(f"own_colors={APART}")
    assert tx > 1 and own_tx == pytest.approx(tx, rel=0.02)
    assert vec > 0 and own_vec == pytest.approx(vec, rel=0.1)
    all_kinds_keep_to_them(done, "txpage", COLORS, 20)
    arrays = [f["pages"] for f in done.of("experiment", what="own", exp="pagevec") if f["name"] == "arrays"]
    assert arrays[0] > 3  # the interrupts' descriptors, rings, pagevecs
