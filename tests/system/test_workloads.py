"""The workloads that compute, and the count that theory predicts."""

import math
import subprocess

import pytest
from boots import ARCH, KERNEL, boot, good
from scipy import stats

PAGE = {"x86_64": 4096, "alpha": 8192}[ARCH]
CACHE = 2048 << 10

CONFLICT = "run=conflict alloc=random,va,buddy age=4:95:50 reps=24 warmup=0 page_color="


def values(done, exp, level, metric):
    """{x: [value of each block]}"""
    e = done.experiments[exp]
    return {x: e.values(level, metric, x) for x in e.xs(metric)}


# ---- conflict ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cache, ways", [("2048,1", 1), ("2048,2", 2), ("2048,16", 16), ("768,3", 3)])
def test_random_is_as_theory_has_it(cache, ways):
    """24 seeds: for each size the mean difference is in its 99.9% interval around 0."""
    done = good(CONFLICT + cache)
    excess = values(done, "conflict", "alloc=random", "excess")
    conflict = values(done, "conflict", "alloc=random", "conflict")
    assert len(excess) == 7
    t = stats.t.ppf(0.9995, 23)
    spread = 0
    for x, v in excess.items():
        assert len(v) == 24
        mean = sum(v) / 24
        s = math.sqrt(sum((e - mean) ** 2 for e in v) / 23)
        if len(set(conflict[x])) > 1:
            spread += 1
            assert abs(mean) <= t * s / math.sqrt(24), (x, mean, s)
        else:
            # Too rare to have happened: a conflict is at least ways + 1 pages at once, and of seven
            # expected ones none happens once in a thousand (e^-7).
            assert 24 * abs(mean) < 7 * (ways + 1), (x, mean)
    # With Alpha's pages there are half as many, and fewer sizes where chance decides.
    assert spread >= {"x86_64": 3, "alpha": 1}[ARCH]


def test_the_expectation_is_what_the_whole_memory_gives_on_average():
    """scipy's hypergeometric law with every frame of the subject as population."""
    done = good(CONFLICT + "2048,1")
    expected = values(done, "conflict", "alloc=random", "expected")
    frames = done.experiments["conflict"].plan["subject_pages"]
    colors = CACHE // PAGE
    for x, v in expected.items():
        pages = x // PAGE
        alone = stats.hypergeom.pmf(1, frames, frames // colors, pages)
        whole = pages - colors * alone
        # the free frames of one seed have the colours of a sample of half of the subject
        assert sum(v) / len(v) == pytest.approx(whole, rel=0.003)


def test_theory_is_not_said_to_be_counted():
    metrics = good(CONFLICT + "2048,1").experiments["conflict"].metrics
    assert metrics["expected"].source == metrics["excess"].source == "theory"
    assert metrics["conflict"].source == "count"


def test_va_has_no_conflict_up_to_the_cache_and_buddy_has():
    done = good(CONFLICT + "2048,1")
    for x, v in values(done, "conflict", "alloc=va", "conflict").items():
        assert all(c == (0 if x <= CACHE else x // PAGE) for c in v)
    assert min(values(done, "conflict", "alloc=buddy", "conflict")[CACHE]) > 100


def test_every_policy_is_a_row():
    done = good("run=conflict alloc=all page_color=256,1 age=off,4:95:50 reps=2 warmup=0")
    (start,) = [i for i, line in enumerate(done.lines) if line.startswith("# conflict: conflict")]
    for level in done.experiments["conflict"].levels:
        assert any(line.startswith(f"# {level} ") for line in done.lines[start : start + 70])


# ---- pair --------------------------------------------------------------------------------------


def test_pair_on_aged_memory_neither_splits_nor_merges():
    """Counted instructions: as many as on fresh memory, a twentieth of a split; what there is not is missing."""
    icount = ("-icount", "shift=0,sleep=off")
    words = "run=pair page_color=256,1 subject=16M reps=2 warmup=0 alloc=buddy,va age=off,4:95:50 seed=1"
    done = good(words, extra=icount)
    exp = done.experiments["pair"]
    for alloc in ("buddy", "va"):
        fresh, aged = (f"alloc={alloc} age={age}" for age in ("off", "4:95:50"))
        for value in exp.values(aged, "pair", 0):
            assert value == pytest.approx(exp.values(fresh, "pair", 0)[0], rel=0.2)
            assert value < 0.2 * exp.values(fresh, "split", 0)[0]
        assert not exp.values(aged, "pair", 9)  # frames freed at random make no such block
        for order in (0, 3, 9):
            assert not exp.values(aged, "split", order)
            assert len(exp.values(fresh, "split", order)) == len(exp.values(fresh, "pair", order)) == 2
        assert f"# pair, {aged}: nothing to split: that takes age=off and pcp=off" in done.lines
        assert f"# pair, {fresh}: nothing" not in done.text


# ---- matmul and fft ----------------------------------------------------------------------------

MATMUL = "run=matmul loop=all n=1,31,64,100 alloc=buddy,va page_color=256,1 reps=2 warmup=0 passes=2"
FFT = "run=fft points=2,4,8,64,2K,32K alloc=buddy,va page_color=256,1 reps=2 warmup=0 passes=2"


def test_matmul_multiplies_in_each_loop_order():
    exp = good(MATMUL).experiments["matmul"]
    assert set(exp.levels) == {
        f"alloc={a} loop={l}" for a in ("buddy", "va") for l in ("ijk", "ikj", "blocked")
    }
    assert exp.metrics["multiply"].unit == "Mflop/s"
    for level in exp.levels:
        for x in (1, 31, 64, 100):
            assert len(exp.values(level, "multiply", x)) == 2
        assert min(exp.values(level, "multiply", 100)) > 0


def test_fft_transforms_every_size():
    exp = good(FFT).experiments["fft"]
    for level in ("alloc=buddy", "alloc=va"):
        for metric in ("forward", "inverse"):
            assert exp.metrics[metric].unit == "Mflop/s"
            for x in (2, 4, 8, 64, 2048, 32768):
                assert len(exp.values(level, metric, x)) == 2
            assert min(exp.values(level, metric, 32768)) > 0


@pytest.mark.parametrize(
    "cmdline, exp, x, size",
    [(MATMUL, "matmul", 100, 3 * 100 * 100 * 8), (FFT, "fft", 32768, 24 * 32768)],
)
def test_their_working_sets_are_placed_by_the_policy(cmdline, exp, x, size):
    done = good(cmdline)
    levels = [level for level in done.experiments[exp].levels if level.startswith("alloc=va")]
    pages = -(-size // PAGE)
    for level in levels:
        assert values(done, exp, level, "colors")[x] == [min(pages, 256 * 1024 // PAGE)] * 2
        assert values(done, exp, level, "distance")[x] == [0, 0]


def test_a_size_that_does_not_fit_is_missing():
    done = good("run=matmul n=8,1500 page_color=256,1 reps=1 warmup=0 passes=1", mem="64M")
    sample = {f["x"]: f["value"] for f in done.of("sample", metric="multiply")}
    assert sample[8] > 0 and sample[1500] is None


@pytest.mark.parametrize(
    "cmdline, says",
    [
        ("run=fft points=100", "points=100: valid: up to 32 powers of two from 2 to 4194304"),
        ("run=fft points=64,32", "ascending"),
        ("run=fft points=8M", "powers of two"),
        ("run=matmul n=0", "n=0: valid: up to 32 numbers from 1 to 4096"),
        ("run=matmul n=5,x", "numbers from 1 to 4096"),
        ("run=irqdesc irq_rate=50", "irq_rate=50: valid: up to 32 numbers, 0 or from 100 to 10000000, ascending, as 0,1000"),
        ("run=irqdesc irq_rate=100M", "0 or from 100 to 10000000"),
        ("run=irqdesc irq_rate=0,0", "ascending"),
        ("run=irqdesc irq_rate=1000,0", "ascending"),
        ("run=pagestruct irq_rate=1000", "irq_rate= belongs to irqdesc, which run= does not name"),
        ("run=matmul loop=ikk", "nearest: ijk; valid: ijk ikj blocked"),
        ("run=matmul loop=ijk,ijk", "level ijk is there twice"),
        ("run=fft loop=ijk", "loop= belongs to matmul, which run= does not name"),
        ("run=bandwidth,matmul points=64", "points= belongs to fft, which run= does not name"),
    ],
)
def test_wrong_words_are_named(cmdline, says):
    done = boot(cmdline)
    assert not done.ok and says in done.text
    assert done.only("end")["verdict"] == "fail"


def test_a_choice_makes_levels_of_its_own_workload_only():
    done = good("run=conflict,matmul loop=ijk,ikj n=8 page_color=64,1 reps=1 warmup=0")
    assert set(done.experiments["matmul"].levels) == {"loop=ijk", "loop=ikj"}
    assert set(done.experiments["conflict"].levels) == {"all"}


FUNCTIONS = {"transform", "butterflies", "fft_16", "fft_8", "matmul_ijk", "matmul_ikj", "matmul_blocked", "add_block"}


@pytest.mark.skipif(ARCH != "x86_64", reason="looks for SSE2's vector instructions")
def test_the_arithmetic_is_scalar():
    """fft_core.h and matmul_core.h promise it; so it is checked with the compiler at hand."""
    text = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", KERNEL], capture_output=True, text=True, check=True
    ).stdout
    found = {}
    for function in text.split("\n\n"):
        name = function.partition("<")[2].partition(">")[0]
        words = function.split()
        if name in FUNCTIONS:
            packed = [w for w in words if w in ("addpd", "subpd", "mulpd", "divpd")]
            found[name] = (packed, words.count("mulsd"))
    assert {"transform", "matmul_ijk", "matmul_ikj"} <= set(found)
    assert all(not packed for packed, _ in found.values()), found
    assert sum(scalar for _, scalar in found.values()) > 20
