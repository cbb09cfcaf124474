"""The kernel under the cache model of a DS10: it finds it, believes its caches, and repeats itself."""

import functools

import pytest
from boots import ARCH, Boot, boot_machine, machine

PAGE = {"x86_64": 4096, "alpha": 8192}[ARCH]
CACHE = 2 << 20
LINES = CACHE // 64

MAIN = "run=bandwidth alloc=buddy,va age=4:95:50 reps=1 warmup=0 passes=2 subject=64M"
SHORT = "run=bandwidth alloc=va page_color=256,1 subject=16M reps=1 warmup=0 passes=1"


@functools.cache
def modelled(words) -> Boot:
    under = machine(words)
    under.model = "ds10"
    done = boot_machine(under)
    assert done.ok, (done.reasons, done.text)
    return done


def value(done, level, metric, x):
    (found,) = [f["value"] for f in done.of("sample", level=level, metric=metric, x=x)]
    return found


def test_the_machine_is_named_and_every_time_is_the_models():
    done = modelled(MAIN)
    assert done.only("machine", what="model")["machine"] == "ds10"
    clock = done.only("machine", what="clock")
    assert (clock["source"], clock["hz"]) == ("model", 466000000)
    samples = done.of("sample")
    assert {f["source"] for f in samples} == {"model", "count"}
    assert {f["machine"] for f in samples} == {"ds10"}


def test_auto_takes_the_modelled_cache():
    levels = modelled(MAIN).of("experiment", what="level")
    assert {f["cache_bytes"] for f in levels} == {CACHE}
    assert {f["colors"] for f in levels} == {CACHE // PAGE}
    assert {f["color_source"] for f in levels} == {"model ds10, L2"}


def test_colored_pages_fill_the_cache_without_a_miss_and_buddy_pages_do_not():
    done = modelled(MAIN)
    assert value(done, "alloc=va", "read.L2.miss", CACHE) <= 0.005 * LINES
    # every page that shares its colour misses in all its lines
    conflict = value(done, "alloc=buddy", "conflict", CACHE)
    misses = value(done, "alloc=buddy", "read.L2.miss", CACHE)
    assert conflict > 0.3 * CACHE / PAGE
    assert misses == pytest.approx(conflict * PAGE / 64, abs=0.005 * LINES)


def test_misses_are_the_sum_of_their_kinds():
    done = modelled(MAIN)
    for level in ("alloc=va", "alloc=buddy"):
        for x in (CACHE // 16, CACHE, 4 * CACHE):
            kinds = sum(value(done, level, f"read.L2.{k}", x) for k in ("compulsory", "capacity", "conflict"))
            assert kinds == pytest.approx(value(done, level, "read.L2.miss", x), abs=0.01)


def test_a_working_set_beyond_a_direct_mapped_cache_misses_in_every_line():
    done = modelled(MAIN)
    x = 4 * CACHE
    assert value(done, "alloc=va", "read.L2.miss", x) == pytest.approx(x // 64, rel=0.001)


def test_two_runs_are_the_same_byte_for_byte():
    again = machine(SHORT)
    again.model = "ds10"
    one, two = modelled(SHORT), boot_machine(again)
    assert one.data == two.data


def test_misses_total_counts_without_kinds():
    split, total = (modelled(f"{SHORT} misses={how}") for how in ("kinds", "total"))

    def metrics(done):
        return {f["metric"] for f in done.of("sample")}

    assert {m.split(".", 1)[1] for m in metrics(split) - metrics(total)} == {
        "L2.compulsory",
        "L2.capacity",
        "L2.conflict",
    }
    for x in {f["x"] for f in total.of("sample")}:
        # the kernel's own few lines lie elsewhere, with more metrics, and may meet the working set's
        one, two = (value(done, "all", "read.L2.miss", x) for done in (split, total))
        assert one == pytest.approx(two, abs=8)


def test_the_machines_own_counter_can_be_asked_for():
    counter = {"x86_64": "tsc", "alpha": "rpcc"}[ARCH]
    done = modelled(f"{SHORT} clock={counter}")
    assert done.only("machine", what="clock")["source"] == "emulation"
    assert {f["source"] for f in done.of("sample", metric="read")} == {"emulation"}


def test_a_profile_weighs_functions_by_modelled_cycles():
    """latency's chase is one instruction a load and waits at each: nearly all samples must lie there."""
    words = "run=latency alloc=buddy,va page_color=256,1 subject=16M reps=1 warmup=0 passes=8 misses=total"
    done = modelled(f"{words} profile=500")
    for level in ("alloc=buddy", "alloc=va"):
        found = done.of("profile", level=level)
        assert {f["source"] for f in found} == {"model"} and {f["of"] for f in found} == {found[0]["of"]}
        assert [f["samples"] for f in found] == sorted((f["samples"] for f in found), reverse=True)
        assert sum(f["samples"] for f in found) <= found[0]["of"]
        assert found[0]["samples"] > 0.5 * found[0]["of"]
        assert found[0]["function"] in ("measure", "chase")
    assert not modelled(words).of("profile")
