"""The caches of kernel/cache: what hashes and ways of noting use do to lookups, counted and modelled."""

import pytest
from boots import ARCH, boot, boot_machine, good, machine

from ttlib import run

PAGE = {"x86_64": 4096, "alpha": 8192}[ARCH]
PAGES = "run=pagehash page_color=256,4 page_struct=2.2"


def mean(done, name, level, metric, x=2500):
    values = done.experiments[name].values(level, metric, x)
    return sum(values) / len(values)


def modelled(words, smp=2):
    where = machine(f"{words} misses=total", smp=smp)
    where.model = "ppro"
    done = boot_machine(where)
    assert not run.judge(done.log, ARCH, done.status), done.text[-3000:]
    return done


# ---- how pages are spread ----------------------------------------------------------------------


def crowd(done, level):
    """Pages met on the way, over what random buckets would give (metric `expected`)."""
    probes, expected = (mean(done, "pagehash", level, m) for m in ("probes", "expected"))
    return (probes - 1) / (expected - 1)


def test_hashes_depend_on_where_inodes_lie():
    words = f"{PAGES} hash=2.2:11,2.2.16:11,2.2:15,mul:15 age=off,4:95:50 reps=3 warmup=0 passes=1"
    done = good(words)
    crowds = {(h, a): crowd(done, f"age={a} hash={h}") for h in ("2.2:11", "2.2.16:11", "2.2:15", "mul:15") for a in ("off", "4:95:50")}
    for age in ("off", "4:95:50"):
        assert 0.8 < crowds["2.2:11", age] < 1.2
        assert crowds["2.2.16:11", age] > 3
        assert crowds["mul:15", age] < 1.15
    # The posted hash of a large table: inodes of a fresh allocator crowd, scattered ones do not.
    assert crowds["2.2:15", "off"] > 1.2 > crowds["2.2:15", "4:95:50"] > 0.8


def test_swap_entries_crowd_but_where_they_have_a_hash_of_their_own():
    done = good(f"{PAGES} hash=2.2:14,swap:14 swap=quarter,none age=off reps=2 warmup=0 passes=1")
    swap = {h: mean(done, "pagehash", f"hash={h}:14 swap=quarter", "swap_probes") for h in ("2.2", "swap")}
    together = PAGE >> 8  # entries that differ in bits which the shift drops
    assert (together + 1) / 2 <= swap["2.2"] < (together + 1) / 2 + 1
    assert swap["swap"] < 2
    assert [f["value"] for f in done.of("sample", metric="swap_probes", level="hash=2.2:14 swap=none")] == [None] * 2


def test_expected_is_theory_and_the_rest_is_counted():
    metrics = good(f"{PAGES} hash=2.2:14,swap:14 swap=quarter,none age=off reps=2 warmup=0 passes=1").experiments["pagehash"].metrics
    assert metrics["expected"].source == "theory"
    assert {metrics[m].source for m in ("probes", "used", "longest", "swap_probes")} == {"count"}


def test_files_are_added_from_point_to_point():
    done = good(f"{PAGES} files=100,200,1000 hash=2.2:10,2.2:ram age=off reps=1 warmup=0 passes=1")
    for level in ("hash=2.2:10", "hash=2.2:ram"):
        expected = [mean(done, "pagehash", level, "expected", x) for x in (100, 200, 1000)]
        assert 0 < 3 * (expected[0] - 1) < expected[2] - 1 and expected[0] < expected[1]
    tables = {f["name"]: f["tables_bytes"] for f in done.of("experiment", what="level")}
    # 128M: a bucket for four pages
    assert tables == {"hash=2.2:10": 4 << 10, "hash=2.2:ram": 4 * (128 << 20) // PAGE // 4}


@pytest.mark.parametrize("smp", [1, 2, 4])
@pytest.mark.parametrize("lookup", ["file", "page"])
def test_all_cpus_find_what_is_there(smp, lookup):
    """Host threads for CPUs; each sums the pages that it finds, and every page comes out again in the end."""
    words = f"{PAGES} lookup={lookup} swap=quarter lru=all hash=2.2,mul reps=2 warmup=0 passes=2"
    done = boot_machine(machine(words, smp=smp))
    assert not run.judge(done.log, ARCH, done.status), done.text[-3000:]
    assert len(done.experiments["pagehash"].levels) == 6
    assert all(f["value"] is None for f in done.of("sample", metric="transfers"))


@pytest.mark.parametrize(
    "words, says",
    [
        ("run=pagehash", "page_struct=2.2 and 2.2l"),
        ("run=pagehash page_struct=2.6:56", "page_struct=2.2 and 2.2l"),
        (f"{PAGES} hash=2.3", "hash=2.3: 2.3: valid, alone or with :BITS from 1 to 20 or :ram: 2.2 2.2.16 swap mul mul11"),
        (f"{PAGES} hash=2.2:21", "valid, alone or with :BITS"),
        (f"{PAGES} lru=lists", "nearest: list; valid: list referenced none"),
        (f"{PAGES} files=0", "files=0: valid: up to 32 numbers from 1 to 1000000"),
        (f"{PAGES} files=9000 subject=32M", "no memory left for 9000 files; valid: more subject=, fewer files="),
        (f"{PAGES} swap=half", "swap=half: half: nothing of that name; valid: none quarter"),
        ("run=getblk hash=swap", "this hash= is for pages only; valid for buffers: 2.2, 2.2.16, mul, mul11"),
        ("run=getblk buffer=flush", "nearest: flushtime; valid: flushtime none"),
        ("run=getblk dirty=101", "dirty=101: valid: up to 32 numbers, 0 or from 1 to 100"),
        ("run=getblk subject=8M", "no memory left for buffers; valid: a larger subject="),
        ("run=reclaim cache=0 page_struct=2.2", "cache=0: valid: up to 32 numbers from 1 to 100"),
        ("run=reclaim", "page_struct=2.2 and 2.2l"),
        ("run=reclaim page_struct=2.2 subject=8M cache=90", "valid: a larger subject="),
        ("run=names hash=swap", "this hash= is for pages only; valid for names: 2.2, 2.2.16, mul, mul11"),
        ("run=names names=20000 subject=8M", "no memory left for names; valid: more subject=, fewer names="),
        ("run=names lru=list", "lru= belongs to pagehash,getblk,reclaim, which run= does not name"),
        ("run=bandwidth hash=2.2", "hash= belongs to pagehash,getblk,reclaim,names, which run= does not name"),
        ("run=bandwidth lookup=page", "lookup= belongs to pagehash, which run= does not name"),
    ],
)
def test_wrong_words_are_named(words, says):
    done = boot(f"page_color=256,4 {words}")
    assert not done.ok and says in done.text, done.text[-2000:]
    assert done.only("end")["verdict"] == "fail"


# ---- how blocks are spread ---------------------------------------------------------------------


def test_bitmaps_and_inode_tables_crowd_by_dev_xor_block():
    """What Lever measured: most buckets unused, and many blocks in a few."""
    done = good("run=getblk page_color=256,4 hash=2.2,mul11,mul dirty=10 reps=2 warmup=0 passes=1")
    probes, used, longest = (
        {h: mean(done, "getblk", f"hash={h}", m, 10) for h in ("2.2", "mul11", "mul")} for m in ("probes", "used", "longest")
    )
    assert probes["2.2"] > 4 > 2 > probes["mul11"] > 1
    assert longest["2.2"] > 20 > 8 > longest["mul11"]
    assert used["2.2"] < 8 < used["mul11"] < 12.5
    assert mean(done, "getblk", "hash=2.2", "hits", 10) == pytest.approx(80, abs=1)


def test_a_bit_helps_as_much_as_a_list():
    """Zipf's law: hits of the clock are those of a true LRU, within a point or two; without either there are fewer."""
    done = good("run=reclaim page_color=256,4 page_struct=2.2 lru=list,referenced,none reps=5 warmup=0 passes=4")
    for x in (10, 25, 50):
        hits = {l: mean(done, "reclaim", f"lru={l}", "hits", x) for l in ("list", "referenced", "none")}
        assert hits["referenced"] == pytest.approx(hits["list"], abs=2.5)
        assert hits["none"] < hits["list"] - 1.5
        assert mean(done, "reclaim", "lru=list", "seen", x) == 1
        assert mean(done, "reclaim", "lru=referenced", "seen", x) > mean(done, "reclaim", "lru=none", "seen", x) > 1
    assert mean(done, "reclaim", "lru=list", "hits", 10) < mean(done, "reclaim", "lru=list", "hits", 50) - 10


def test_a_cache_of_everything_gives_nothing_up():
    done = good("run=reclaim page_color=256,4 page_struct=2.2 lru=all cache=100 reps=1 warmup=0 passes=1")
    for lru in ("list", "referenced", "none"):
        assert mean(done, "reclaim", f"lru={lru}", "hits", 100) > 90  # the rest is read for the first time
        assert done.experiments["reclaim"].values(f"lru={lru}", "seen", 100) in ([], [None])


@pytest.mark.parametrize("smp", [1, 2, 4])
def test_all_cpus_give_up_pages(smp):
    done = boot_machine(machine("run=reclaim page_color=256,4 page_struct=2.2 lru=all reps=2 warmup=0 passes=2", smp=smp))
    assert not run.judge(done.log, ARCH, done.status), done.text[-3000:]


@pytest.mark.parametrize("smp", [1, 2, 4])
def test_all_cpus_find_the_blocks_that_are_there(smp):
    words = "run=getblk page_color=256,4 lru=all buffer=all hash=2.2,mul11 reps=2 warmup=0 passes=2"
    done = boot_machine(machine(words, smp=smp))
    assert not run.judge(done.log, ARCH, done.status), done.text[-3000:]
    assert len(done.experiments["getblk"].levels) == 12


# ---- names --------------------------------------------------------------------------------------


def test_names_are_spread_but_for_two_to_the_sixteenth():
    """'dentry cache order 7 is broken' (Gaudet, February 2001): more buckets, longer chains."""
    done = good("run=names page_color=256,4 hash=2.2,2.2:15,2.2:16,2.2:17 reps=2 warmup=0 passes=1")
    probes, longest = (
        {h: mean(done, "names", f"hash={h}", m, 4000) for h in ("2.2", "2.2:15", "2.2:16", "2.2:17")} for m in ("probes", "longest")
    )
    assert probes["2.2"] == pytest.approx(1 + 3999 / 2 / 1024, rel=0.1)
    assert probes["2.2:16"] > 1.2 > 1.1 > probes["2.2:15"] > probes["2.2:17"] >= 1
    assert longest["2.2:16"] > 8 > longest["2.2:15"]
    # The posted inode hash has 2^8 buckets: about eight inodes on the way.
    assert mean(done, "names", "hash=2.2", "inode_probes", 4000) > 7


@pytest.mark.parametrize("smp", [1, 2, 4])
def test_all_cpus_find_the_names_that_are_there(smp):
    done = boot_machine(machine("run=names page_color=256,4 names=100,3000 hash=2.2,mul,mul11 reps=2 warmup=0 passes=2", smp=smp))
    assert not run.judge(done.log, ARCH, done.status), done.text[-3000:]


# ---- under the model of the post's machine -----------------------------------------------------


def test_chains_cost_time_and_a_local_hash_saves_misses():
    words = f"{PAGES} hash=2.2:11,2.2.16:11,2.2:14,mul:14 lookup=file age=off cpus=1 reps=2 warmup=0 passes=1"
    done = modelled(words, smp=1)
    ns = {h: mean(done, "pagehash", f"hash={h}", "lookup") for h in ("2.2:11", "2.2.16:11", "2.2:14")}
    assert ns["2.2.16:11"] > 1.2 * ns["2.2:11"] > 1.2 * ns["2.2:14"]
    # A file's pages are neighbours in the table by i + o; a multiplication takes them apart.
    misses = {h: mean(done, "pagehash", f"hash={h}", "table_misses") for h in ("2.2:14", "mul:14")}
    assert misses["mul:14"] > 1.5 * misses["2.2:14"] > 0
    assert mean(done, "pagehash", "hash=2.2:11", "transfers") == 0


def test_a_list_moves_more_lines_between_cpus_than_a_bit():
    words = f"{PAGES}:64 lru=none,referenced,list hash=2.2:14 age=off reps=2 warmup=0 passes=1"
    done = modelled(words)
    moved = {l: mean(done, "pagehash", f"lru={l}", "desc_transfers") for l in ("none", "referenced", "list")}
    ns = {l: mean(done, "pagehash", f"lru={l}", "lookup") for l in moved}
    # The bit lies beside the count, which is written in any case.
    assert moved["referenced"] == pytest.approx(moved["none"], rel=0.1)
    assert moved["list"] > moved["referenced"] + 1
    assert ns["list"] > 1.2 * ns["referenced"] >= 1.2 * ns["none"]


def test_what_a_hit_in_the_buffer_cache_costs():
    words = "run=getblk page_color=256,4 page_struct=2.2 lru=none,referenced,list buffer=none,flushtime cpus=1,2 age=off"
    done = modelled(f"{words} dirty=10,90 reps=2 warmup=0 passes=1")

    def value(metric, lru, buffer, cpus, dirty):
        return mean(done, "getblk", f"lru={lru} cpus={cpus} buffer={buffer}", metric, dirty)

    for cpus in (1, 2):
        ns = {l: value("getblk", l, "none", cpus, 10) for l in ("none", "referenced", "list")}
        assert ns["list"] > 1.1 * ns["referenced"] > 1.1 * 1.02 * ns["none"]
        # With most buffers dirty the list is seldom touched, the bit always.
        assert value("getblk", "list", "none", cpus, 90) < 0.9 * ns["list"]
        assert value("getblk", "referenced", "none", cpus, 90) == pytest.approx(ns["referenced"], rel=0.03)
        # A branch and a store beside what is touched in any case.
        for lru in ns:
            assert value("getblk", lru, "flushtime", cpus, 10) == pytest.approx(ns[lru], rel=0.05)
    assert value("page_misses", "list", "none", 2, 10) == value("page_misses", "none", "none", 2, 10) == 0
    assert value("page_misses", "referenced", "none", 2, 10) > 0.1
    assert value("head_transfers", "list", "none", 2, 10) > 1 + value("head_transfers", "none", "none", 2, 10)


def test_a_list_costs_more_than_a_bit_where_the_cache_is_most_of_memory():
    done = modelled("run=reclaim page_color=256,4 page_struct=2.2 lru=list,referenced hash=mul:13 cache=10,50 reps=2 warmup=0 passes=2")
    ns = {(l, x): mean(done, "reclaim", f"lru={l}", "read", x) for l in ("list", "referenced") for x in (10, 50)}
    assert ns["list", 50] > 1.2 * ns["referenced", 50]
    # Looking for a page goes over all descriptors, whoever has them.
    assert mean(done, "reclaim", "lru=referenced", "seen", 10) > 2 * mean(done, "reclaim", "lru=referenced", "seen", 50)
    assert ns["referenced", 10] > ns["list", 10]


@pytest.mark.parametrize(
    "words, name, time, x",
    [
        (PAGES, "pagehash", "lookup", 2500),
        ("run=getblk page_color=256,4 dirty=10", "getblk", "getblk", 10),
        ("run=names page_color=256,4", "names", "dentry", 4000),
    ],
)
def test_passes_are_all_measured(words, name, time, x):
    done = {n: modelled(f"{words} age=off reps=1 warmup=0 passes={n}") for n in (1, 3)}
    for metric in (time, f"{time}.L2.miss.all_cpus"):
        one, three = (mean(done[n], name, "all", metric, x) for n in (1, 3))
        assert three == pytest.approx(one, rel=0.1), metric


def test_two_runs_are_the_same_byte_by_byte():
    words = f"{PAGES} run=pagehash,getblk,reclaim,names files=300 subject=64M swap=quarter reps=1 warmup=0 passes=1"
    assert modelled(words).data == modelled(words).data
