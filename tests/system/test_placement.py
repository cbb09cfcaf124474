"""What the testbed is for: placements, counted exactly, alike whatever else runs in the boot."""

from itertools import combinations, permutations

import pytest
from boots import ARCH, QUICK, good

PAGE = {"x86_64": 4096, "alpha": 8192}[ARCH]

CACHE = 2048 << 10
MAIN = "run=bandwidth alloc=buddy,random,va page_color=2048,1 age=4:95:50 reps=3 warmup=0 passes=1"


def by_level(done, metric):
    """{level: {x: [values over blocks]}}"""
    exp = done.experiments["bandwidth"]
    return {level: {x: exp.values(level, metric, x) for x in exp.xs(metric)} for level in exp.levels}


# ---- the result that `make qemu` shows ---------------------------------------------------------


def test_va_puts_every_working_set_up_to_the_cache_on_distinct_colors():
    conflict, colors = (by_level(good(MAIN), m) for m in ("conflict", "colors"))
    sizes = [x for x in conflict["alloc=va"] if x <= CACHE]
    assert len(sizes) >= 4 and CACHE in sizes
    for x in sizes:
        assert conflict["alloc=va"][x] == [0, 0, 0]
        assert colors["alloc=va"][x] == [x // PAGE] * 3


def test_va_gets_every_color_it_wants():
    distance = by_level(good(MAIN), "distance")["alloc=va"]
    assert all(values == [0, 0, 0] for values in distance.values())
    account = [f for f in good(MAIN).of("alloc", level="alloc=va") if "distance_max" in f][0]
    assert (account["distance_max"], account["missed"], account["failed"]) == (0, 0, 0)
    assert account["wishes"] == account["pages"] > 0


@pytest.mark.parametrize("level", ["alloc=buddy", "alloc=random"])
def test_an_aged_buddy_and_random_do_not(level):
    conflict = by_level(good(MAIN), "conflict")[level]
    for block in range(3):
        assert conflict[CACHE][block] > 0.4 * (CACHE // PAGE)
        assert conflict[CACHE // 4][block] > 0


def test_random_is_as_theory_has_it():
    """Of W random pages on C colours, one shares its colour with probability 1 - (1 - 1/C)^(W-1)."""
    colors = CACHE // PAGE
    done = good("run=bandwidth alloc=random page_color=2048,1 age=4:95:50 reps=20 warmup=0 passes=1")
    (values,) = [v[CACHE] for v in by_level(done, "conflict").values()]
    mean = sum(values) / len(values) / colors
    expected = 1 - (1 - 1 / colors) ** (colors - 1)
    # the mean of 20 placements: sd of one is about 2.1 points, so 4 standard errors are 1.9
    assert abs(mean - expected) < 0.019 + 0.003  # and 0.3 for drawing without replacement


def test_a_fresh_buddy_is_colored_by_accident():
    done = good("run=bandwidth alloc=buddy page_color=2048,1 age=off reps=2 warmup=0 passes=1")
    (conflict,) = by_level(done, "conflict").values()
    # consecutive pages but for the odd pieces at the ends of memory, that come first; random: 63%
    assert max(conflict[CACHE]) < 0.2 * (CACHE // PAGE)


# ---- accounting --------------------------------------------------------------------------------


def array(done, name, level):
    """An array of the accounting, put together from its records; None when there is none."""
    parts = done.last.parts("alloc", "v", level=level, array=name)
    return parts and [n for part in parts for n in part]


def test_the_accounting_adds_up():
    done = good(MAIN)
    for level in done.experiments["bandwidth"].levels:
        (total,) = [f for f in done.of("alloc", level=level) if "pages" in f]
        got = array(done, "got", level)
        assert len(got) == total["colors"] == CACHE // PAGE
        assert sum(got) == total["pages"]


def test_wanted_is_recorded_for_a_policy_that_wants():
    done = good(MAIN)
    assert array(done, "wanted", "alloc=va") == array(done, "got", "alloc=va")
    assert array(done, "wanted", "alloc=buddy") is None


def test_ageing_leaves_the_free_lists_it_says():
    done = good(MAIN)
    blocks = array(done, "free_blocks", "alloc=buddy")
    assert blocks[0] > 1000  # half of memory freed at random: mostly single pages
    plan = done.experiments["bandwidth"].plan
    free = sum(n << order for order, n in enumerate(blocks))
    assert abs(free / plan["subject_pages"] - 0.5) < 0.01  # LO = 50


# ---- nothing leaks from one level into the next ------------------------------------------------

FACTORS = {
    "alloc": ["buddy", "random", "va"],
    "age": ["off", "4:95:50", "2:90:20"],
    "page_struct": ["2.2", "2.2l", "2.6", "2.6v", "2.6v:128+64"],
    "empty": ["next", "nearest"],
}

BASE = f"{QUICK} reps=3"


def values(done, factor):
    """Counts by level value, whatever place the level had."""
    return {
        (level.split(f"{factor}=")[-1].split()[0], metric, x, block): v
        for (_, level, metric, x, block), v in done.counts().items()
    }


PAIRS = [(f, a, b) for f, levels in FACTORS.items() for a, b in combinations(levels, 2)]


@pytest.mark.parametrize("factor, a, b", PAIRS, ids=[f"{f}={a},{b}" for f, a, b in PAIRS])
def test_each_pair_of_levels_counts_the_same_in_both_orders(factor, a, b):
    extra = "" if factor == "alloc" else " alloc=va" if factor == "empty" else " alloc=random"
    one = good(f"{BASE}{extra} {factor}={a},{b}")
    two = good(f"{BASE}{extra} {factor}={b},{a}")
    assert values(one, factor) == values(two, factor)
    assert len(values(one, factor)) >= 2 * 3 * 3 * 4  # levels, blocks, metrics, points


@pytest.mark.parametrize("order", list(permutations(FACTORS["alloc"])), ids=",".join)
def test_three_levels_count_the_same_in_every_order(order):
    assert values(good(f"{BASE} alloc={','.join(order)}"), "alloc") == values(
        good(f"{BASE} alloc=buddy,random,va"), "alloc"
    )


def test_a_level_counts_the_same_alone():
    together = values(good(f"{BASE} alloc=buddy,random,va"), "alloc")
    for level in FACTORS["alloc"]:
        alone = good(f"{BASE} alloc={level}").counts()
        alone = {(metric, x, block): v for (_, _, metric, x, block), v in alone.items()}
        assert alone == {k[1:]: v for k, v in together.items() if k[0] == level}


@pytest.mark.parametrize("stride", ["2.2", "2.2l", "2.6", "2.6v:128", "2.6v:200+24"])
def test_the_descriptors_layout_does_not_change_the_placement(stride):
    """All levels own the same frames and the policies draw the same: so do their counts."""
    assert values(good(f"{BASE} alloc=random page_struct=2.6v,{stride}"), "page_struct") == {
        (level, *rest): v
        for (_, *rest), v in values(good(f"{BASE} alloc=random page_struct=2.6v,{stride}"), "page_struct").items()
        for level in ("2.6v", stride)
    }


# ---- seeds -------------------------------------------------------------------------------------


def test_the_same_seed_is_the_same_experiment():
    import boots

    again = boots.boot_machine(boots.machine(f"{BASE} alloc=random,buddy seed=7"))
    assert again.counts() == good(f"{BASE} alloc=random,buddy seed=7").counts()


def test_another_seed_is_another():
    assert good(f"{BASE} alloc=random seed=7").counts() != good(f"{BASE} alloc=random seed=8").counts()


def test_latency_and_bandwidth_see_the_same_placement():
    done = good(f"{QUICK} run=bandwidth,latency alloc=random")
    counts = done.counts()
    shared = {k[1:]: v for k, v in counts.items() if k[0] == "bandwidth"}.items()
    for key, value in shared:
        if ("latency", *key) in counts:
            assert counts[("latency", *key)] == value


def test_neighbouring_seeds_share_no_placement():
    def placements(seed):
        words = f"run=bandwidth alloc=random page_color=2048,1 subject=64M warmup=0 passes=1 reps=4 seed={seed}"
        blocks = {}
        for (_, _, metric, x, block), v in good(words).counts().items():
            if metric in ("conflict", "colors"):
                blocks.setdefault(block, []).append((metric, x, v))
        return {tuple(sorted(b)) for b in blocks.values()}

    one, two = placements(1), placements(2)
    assert len(one) == len(two) == 4
    assert not one & two
