"""What several CPUs do to one line: under the cache model, against what its machine file says."""

import re

import pytest
from boots import ARCH, NOT_OK, boot_machine, machine

from ttlib import run

# file name: CPUs, bytes in a line, ns from one CPU's cache to another's (tools/machines)
MACHINES = {"cobra": (2, 64, 120), "piii4": (4, 32, 190)}


# Of walk's subject of 128M.
DESCRIPTORS = {"x86_64": 32768, "alpha": 16384}[ARCH]


# Two nodes; of each pair of CPUs that txpage makes, 0 and 1 or 2 and 3, one sits on either.
NODES = ["-object", "memory-backend-ram,id=m0,size=128M", "-numa", "node,nodeid=0,memdev=m0,cpus=0,cpus=2"]
NODES += ["-object", "memory-backend-ram,id=m1,size=128M", "-numa", "node,nodeid=1,memdev=m1,cpus=1,cpus=3"]

X86_NODES = pytest.mark.skipif(ARCH != "x86_64", reason="no Alpha that QEMU has tells of nodes")


def modelled(name, words, smp=None):
    where = machine(f"{words} misses=total", smp=smp or MACHINES[name][0])
    where.model = name
    done = boot_machine(where)
    assert not run.judge(done.log, ARCH, done.status), done.text[-3000:]
    return done


def by_x(done, name, level, metric):
    exp = done.experiments[name]
    return {x: exp.values(level, metric, x) for x in exp.xs(metric)}


@pytest.mark.parametrize("name", MACHINES)
def test_falseshare_finds_the_line(name):
    _, line, _ = MACHINES[name]
    done = modelled(name, "run=falseshare reps=2 warmup=1", smp=2)
    transfers = by_x(done, "falseshare", "all", "transfers")
    times = by_x(done, "falseshare", "all", "add")
    for distance, values in transfers.items():
        # CPUs that take turns after every addition: the line comes once for each of two additions
        assert all(abs(v - (2 if distance < line else 0)) < 0.02 for v in values), distance
    assert min(times[line - 8]) > 5 * max(times[line])
    found = done.only("finding", what="line")
    assert (found["found"], found["above"], found["says"], found["verdict"]) == (line, line - 8, line, "agrees")
    # cobra fetches two lines at a time; the machine file says so, and so do the times
    pair = {"cobra": 128}.get(name, line)
    found = done.only("finding", what="fetch")
    assert (found["found"], found["says"], found["verdict"]) == (pair, pair, "agrees")


def test_falseshare_of_one_block_says_nothing():
    done = modelled("cobra", "run=falseshare reps=1 warmup=0", smp=2)
    assert [(f["what"], f["verdict"]) for f in done.of("finding")] == [("line", "unknown"), ("fetch", "unknown")]


def test_falseshare_without_a_model_claims_nothing():
    done = boot_machine(machine("run=falseshare reps=3 warmup=0 passes=1 page_color=256,1", smp=2))
    assert not run.judge(done.log, ARCH, done.status), done.text[-3000:]
    assert {f["source"] for f in done.of("finding")} == {"emulation"}
    assert {f["verdict"] for f in done.of("finding")} <= {"no difference seen", "not comparable"}



def test_falseshare_depends_on_how_often_cpus_take_turns():
    done = modelled("cobra", "run=falseshare reps=1 warmup=1 interleave=1,10")
    often, rarely = (by_x(done, "falseshare", f"interleave={n}", "transfers")[8][0] for n in (1, 10))
    assert often == pytest.approx(10 * rarely, rel=0.02)
    for n in (1, 10):  # the transfers say that CPUs really took turns that often; so says the mean slice
        assert mean(done, "falseshare", f"interleave={n}", "add.slice", 8) == pytest.approx(n, rel=0.01)
    cycles = [mean(done, "falseshare", f"interleave={n}", "add.slice_cycles", 128) for n in (1, 10)]
    assert cycles[1] == pytest.approx(10 * cycles[0], rel=0.25)


def test_counters_are_all_cpus_together():
    """Every transfer is a miss of some CPU's outermost cache: only the sum over the CPUs has them all."""
    done = modelled("piii4", "run=falseshare reps=1 warmup=1 passes=2", smp=2)
    all_cpus, most = (mean(done, "falseshare", "all", f"add.L2.miss.{n}", 8) for n in ("all_cpus", "max_cpu"))
    moved = mean(done, "falseshare", "all", "transfers", 8)  # per addition of each CPU; 2000 in a pass
    assert all_cpus == pytest.approx(2000 * moved, rel=0.01)
    assert most == pytest.approx(all_cpus / 2, rel=0.01)


def test_lineping_takes_turns_by_waiting_only():
    done = modelled("cobra", "run=lineping reps=1 warmup=0")
    assert [f["value"] for f in done.of("sample", metric="hop.slice")] == [None]
    assert mean(done, "lineping", "all", "hop.slice_cycles", 10) > 0


@pytest.mark.parametrize("name", ["lineping", "falseshare", "irqdesc", "pagevec"])
def test_passes_are_all_measured(name):
    """passes=3 does three times as much and gives the mean of it: misses and times stay what they are."""
    done = {n: modelled("piii4", f"run={name} reps=1 warmup=1 passes={n}", smp=4 if name == "pagevec" else 2) for n in (1, 3)}
    exp = done[1].experiments[name]
    time = next(iter(exp.metrics))
    x = exp.xs(time)[0]
    for metric in (time, f"{time}.L2.miss.all_cpus"):
        one, three = (mean(done[n], name, "all", metric, x) for n in (1, 3))
        assert three == pytest.approx(one, rel=0.1), metric


@pytest.mark.parametrize("name", MACHINES)
def test_lineping_takes_one_transfer_and_its_time(name):
    cpus, _, transfer_ns = MACHINES[name]
    done = modelled(name, "run=lineping reps=2 warmup=1")
    hops = by_x(done, "lineping", "all", "hop")
    assert sorted(hops) == sorted(10 * b + a for b in range(cpus) for a in range(b))
    # Beside it a round of waiting, which on Alpha takes a few loads more (addresses are data there).
    most = {"x86_64": 1.35, "alpha": 1.45}[ARCH] * transfer_ns
    for pair, values in hops.items():
        assert all(transfer_ns <= v < most for v in values), pair
    for values in by_x(done, "lineping", "all", "transfers").values():
        assert all(1 <= v < 1.02 for v in values)
    rows = [line.split()[2:] for line in done.lines if re.match(r"#   \d  +[-\d]", line)]
    assert len(rows) == cpus
    for a in range(cpus):  # the matrix for people: symmetric, the pairs' medians
        assert [cell == "-" for cell in rows[a]] == [a == b for b in range(cpus)]
        for b in range(a):
            assert rows[a][b] == rows[b][a]
            assert float(rows[a][b]) == pytest.approx(sum(hops[10 * a + b]) / 2, abs=0.01)


def test_two_runs_on_several_cpus_are_the_same_byte_by_byte():
    words = "run=txpage,irqdesc irq_rate=0,20000 subject=16M reps=1 warmup=0 passes=1"
    assert modelled("cobra", words).data == modelled("cobra", words).data


def test_one_cpu_shares_nothing():
    done = boot_machine(machine("run=lineping,falseshare reps=1 page_color=256,1"))
    assert done.status == NOT_OK
    assert not done.verdicts["lineping"].ok and "one CPU" in done.verdicts["lineping"].reason
    assert not done.of("sample")


def test_a_level_of_fewer_cpus_leaves_pairs_out():
    done = modelled("piii4", "run=lineping reps=1 warmup=0 cpus=2,4")
    exp = done.experiments["lineping"]
    measured = {level: [x for x in exp.xs("hop") if exp.values(level, "hop", x) not in ([], [None])] for level in exp.levels}
    assert measured["cpus=2"] == [10] and len(measured["cpus=4"]) == 6


def mean(done, name, level, metric, x=None):
    values = done.experiments[name].values(level, metric, x)
    return sum(values) / len(values)


def test_irqdesc_neighbours_in_a_line_cost_transfers():
    """Seed 000: two 16-byte descriptors share a line of 32 bytes, so the line comes every time."""
    done = modelled("xeon4", "run=irqdesc reps=2 warmup=1 irq_desc=16,32,64,16+16", smp=4)
    moved = {w: mean(done, "irqdesc", f"irq_desc={w}", "desc_transfers", 0) for w in ("16", "32", "64", "16+16")}
    assert moved["16"] == pytest.approx(1, abs=0.02)
    assert moved["32"] < 0.02 and moved["64"] < 0.02
    # Half a line further the first and the last of the four CPUs have a line to themselves.
    assert moved["16+16"] == pytest.approx(0.5, abs=0.02)
    # The line of the table's one lock comes for every interrupt, and nothing else does.
    for w, desc in moved.items():
        assert mean(done, "irqdesc", f"irq_desc={w}", "transfers", 0) == pytest.approx(1 + desc, abs=0.03), w
    cost = {w: mean(done, "irqdesc", f"irq_desc={w}", "interrupt", 0) for w in ("16", "32")}
    assert cost["32"] < 0.95 * cost["16"]


RATES = "run=irqdesc reps=1 warmup=0"


def test_irqdesc_at_a_rate_costs_what_it_moves():
    """Far below what can be reached, all strides and turns of any length: one line less costs less, always the same."""
    words = f"{RATES} irq_rate=2000,20000 irq_desc=16,32,64,128 interleave=1,8"
    done = modelled("xeon4", words, smp=4)
    cells = [(n, w, x) for n in (1, 8) for w in (16, 32, 64, 128) for x in (2000, 20000)]
    value = {
        (metric, *cell): mean(done, "irqdesc", f"interleave={cell[0]} irq_desc={cell[1]}", metric, cell[2])
        for metric in ("cost", "rate", "desc_transfers")
        for cell in cells
    }
    for n, w, x in cells:
        assert value["rate", n, w, x] == pytest.approx(x, rel=0.001)
        assert value["desc_transfers", n, w, x] == pytest.approx(w == 16, abs=0.001)
        assert value["cost", n, w, x] == pytest.approx(value["cost", 1, min(w, 32), 2000], rel=0.01)
        # By the machine file 220 ns for a line from another CPU's cache, and as much to take it away from there.
        assert value["cost", n, 16, x] - value["cost", n, 32, x] == pytest.approx(2 * 220, rel=0.05)
    assert "is too much" not in done.text


def test_irqdesc_on_one_cpu_costs_the_same_at_every_rate():
    """Nobody to wait for: back to back or with a hundred times as much work in between, an interrupt is an interrupt."""
    done = modelled("xeon4", f"{RATES} irq_rate=0,1000,10000,100000 cpus=1 interleave=1,8", smp=4)
    for n in (1, 8):
        cost = {x: mean(done, "irqdesc", f"interleave={n}", "cost", x) for x in (0, 1000, 10000, 100000)}
        assert all(c == pytest.approx(cost[10000], rel=0.03) for c in cost.values()), cost
        assert mean(done, "irqdesc", f"interleave={n}", "transfers", 1000) == 0


def test_a_rate_beyond_reach_is_reported_as_it_came():
    done = modelled("xeon4", f"{RATES} irq_rate=0,10000000", smp=4)
    came, at_most = (mean(done, "irqdesc", "all", "rate", x) for x in (10000000, 0))
    assert came == pytest.approx(at_most, rel=0.02) and came < 10**6
    assert f"# irqdesc, all: irq_rate=10000000 is too much: {came:.0f} per s came" in done.lines


def test_walk_in_order_favours_56_bytes_and_at_random_64():
    done = modelled("cobra", "run=walk reps=2 warmup=0 passes=1 page_struct=2.6:56,2.6:64", smp=1)
    small, large = "page_struct=2.6:56", "page_struct=2.6:64"
    assert mean(done, "walk", small, "one_line", 0) == 25
    assert mean(done, "walk", large, "one_line", 0) == 100
    assert mean(done, "walk", small, "lines", 0) == pytest.approx(56 / 64, abs=0.001)
    assert mean(done, "walk", small, "lines", 1) == 1.75
    assert mean(done, "walk", large, "lines", 1) == 1
    assert mean(done, "walk", small, "read", 0) < mean(done, "walk", large, "read", 0)
    assert mean(done, "walk", small, "read", 1) > mean(done, "walk", large, "read", 1)
    for x in (0, 1):  # what the model saw is what was counted; a page table line or so comes on top
        for level in (small, large):
            misses = mean(done, "walk", level, "read.L1.miss", x) / DESCRIPTORS
            assert misses == pytest.approx(mean(done, "walk", level, "lines", x), rel=0.01)


def test_pagevec_larger_ones_take_the_lock_less_often():
    done = modelled("piii4", "run=pagevec reps=2 warmup=1 pagevec=4,16p32,15p32,31 page_struct=2.2", smp=4)
    moved = {w: mean(done, "pagevec", f"pagevec={w}", "lru_transfers") for w in ("4", "16p32", "15p32", "31")}
    # two lines of lock, head and count come once per pagevec
    for word, capacity in (("4", 4), ("16p32", 16), ("15p32", 15), ("31", 31)):
        assert moved[word] == pytest.approx(2 / capacity, rel=0.15), word


def test_txpage_moves_fewer_lines_at_64_bytes():
    words = "run=txpage page_struct=2.6:56,2.6v:64 tx_irq=other,same reps=2 warmup=0 passes=1"
    done = modelled("cobra", words, smp=2)
    moved = {
        (size, who): mean(done, "txpage", f"page_struct={size} tx_irq={who}", "desc_transfers", 4)
        for size in ("2.6:56", "2.6v:64")
        for who in ("other", "same")
    }
    # one line there and back, and not a line more
    assert moved["2.6v:64", "other"] == pytest.approx(2, abs=0.05)
    assert moved["2.6:56", "other"] > 2.5
    assert moved["2.6:56", "same"] == moved["2.6v:64", "same"] == 0


@X86_NODES
def test_descriptors_on_two_nodes_move_the_same_lines():
    """Descriptors by node are in pieces for the model, which counts all of them."""
    words = "run=txpage page_struct=2.6:56,2.6v:64 subject=64M reps=1 warmup=0 passes=1"
    moved = []
    # The model has all of memory in one file; only older machines split that by size.
    nodes = ["-M", "pc-q35-5.0", "-numa", "node,mem=128M,cpus=0,cpus=2", "-numa", "node,mem=128M,cpus=1,cpus=3"]
    for extra in ((), nodes):
        where = machine(f"{words} misses=total", smp=4, extra=extra)
        where.model = "xeon4"
        done = boot_machine(where)
        assert not run.judge(done.log, ARCH, done.status), done.text[-3000:]
        assert len(done.of("experiment", what="descriptors")) == (2 if extra else 0)
        moved.append([mean(done, "txpage", f"page_struct={s}", "desc_transfers", 4) for s in ("2.6:56", "2.6v:64")])
    assert moved[1] == pytest.approx(moved[0], rel=0.1)


def test_pagestruct_of_64_bytes_moves_fewer_lines_than_as_posted():
    words = "run=pagestruct page_struct=2.2:40,2.2:48,2.2:64 reps=4 warmup=1 passes=1"
    done = modelled("xeon4", words, smp=4)
    moved = [mean(done, "pagestruct", f"page_struct=2.2:{n}", "page_transfers") for n in (40, 48, 64)]
    assert moved[0] > 1.05 * moved[1] > 1.05 * 1.05 * moved[2]


def test_four_kernels_as_four_levels():
    """levels=: what each of ref, p-al, irq, both sets shows in the lines it moves; each against ref."""
    levels = "levels=ref/p-al:page_struct=2.2:64/irq:irq_desc=32/both:page_struct=2.2:64+irq_desc=32"
    done = modelled("xeon4", f"run=pagestruct {levels} page_struct=2.2:40 reps=4 warmup=1 passes=1", smp=4)
    moved = {
        (name, metric): mean(done, "pagestruct", f"levels={name}", metric)
        for name in ("ref", "p-al", "irq", "both")
        for metric in ("page_transfers", "irq_transfers")
    }
    for name, other in (("p-al", "ref"), ("both", "irq")):
        assert 1.1 * moved[name, "page_transfers"] < moved[other, "page_transfers"]
    for name, other in (("irq", "ref"), ("both", "p-al")):
        assert moved[name, "irq_transfers"] < 0.001 < 0.05 < moved[other, "irq_transfers"]
    assert {f["vs"] for f in done.of("summary") if "vs" in f} == {"levels=ref"}
    assert {f["level"] for f in done.of("summary") if "diff" in f} == {"levels=p-al", "levels=irq", "levels=both"}


def test_pagestruct_counts_irq_descriptors_apart():
    done = modelled("xeon4", "run=pagestruct irq_desc=16,32 reps=2 warmup=1 passes=1", smp=4)
    assert mean(done, "pagestruct", "irq_desc=16", "irq_transfers") == pytest.approx(1 / 16, rel=0.05)
    assert mean(done, "pagestruct", "irq_desc=32", "irq_transfers") < 0.001


@pytest.mark.parametrize("smp", [2, 4])
def test_pages_freed_by_other_cpus_are_not_lost(smp):
    """Host threads for CPUs: whatever order they take, the checks after each sample find nothing."""
    done = boot_machine(machine("run=txpage,pagestruct reps=2 warmup=0 passes=2 page_color=256,1", smp=smp))
    assert not run.judge(done.log, ARCH, done.status), done.text[-3000:]


@pytest.mark.parametrize("passes", [8, pytest.param(205, marks=pytest.mark.long)], ids=["short", "ten_million"])
@pytest.mark.parametrize(
    "extra, lists",
    [
        pytest.param((), "off", id="one_node"),
        pytest.param((), "16:64", id="one_node-lists"),
        pytest.param(NODES, "off", marks=X86_NODES, id="two_nodes"),
        pytest.param(NODES, "4:6", marks=X86_NODES, id="two_nodes-lists"),
    ],
)
def test_allocations_with_remote_frees(extra, lists, passes):
    """Every page is freed by another CPU than its own; the checker finds nothing, and all is accounted."""
    icount = ["-icount", "shift=0,sleep=off"]
    # 2 pairs of CPUs, 4096 pages a pass, 3 points, one pass more to settle; two levels
    pages = 2 * 4096 * 3 * (passes + 1)
    assert passes == 8 or 2 * pages > 10**7
    words = f"run=txpage cpus=4 reps=1 warmup=0 passes={passes} interleave=16 pcp={lists} alloc=va,buddy page_color=256,1"
    done = boot_machine(machine(words, smp=4, extra=[*icount, *extra]), limit_s=900)
    assert not run.judge(done.log, ARCH, done.status), done.text[-3000:]
    for level in ("alloc=va", "alloc=buddy"):
        (total,) = [f for f in done.of("alloc", level=level) if "pages" in f]
        assert (total["blocks"], total["failed"], total["missed"]) == (pages, 0, 0)
        assert sum(n for part in done.last.parts("alloc", "v", level=level, array="got") for n in part) == pages
        if extra:
            assert total["remote"] == 0
            assert done.last.parts("alloc", "v", level=level, array="node_got") == [[pages, 0]]


def test_pages_come_by_the_same_rule_with_per_cpu_lists():
    """One CPU that frees nothing: batches change who is asked, not what is delivered."""
    words = "run=bandwidth page_color=256,1 subject=16M reps=2 warmup=0 passes=1 alloc=va,buddy"
    plain, listed = [boot_machine(machine(f"{words} pcp={how}")) for how in ("off", "1:8")]
    assert plain.ok and listed.ok
    assert plain.counts() == listed.counts()


def test_page_faults_with_per_cpu_lists_share_less():
    done = modelled("xeon4", "run=pagestruct pcp=off,16:64 page_struct=2.2:40 reps=2 warmup=1 passes=1", smp=4)
    moved = [mean(done, "pagestruct", f"pcp={how}", "page_transfers") for how in ("off", "16:64")]
    assert moved[1] < 0.1 * moved[0]


def test_a_policy_that_picks_goes_past_the_lists():
    done = boot_machine(machine("run=txpage alloc=random,va page_color=256,1 reps=1 warmup=0 passes=1", smp=2))
    assert done.ok
    batches = [f.get("pcp_batch") for f in done.of("experiment", what="level")]
    assert batches == [None, 16]  # the experiment's own
    done = boot_machine(machine("run=bandwidth alloc=random page_color=256,1 pcp=16:64"))
    assert not done.ok and "pcp=16:64: alloc=random picks blocks past any lists; valid: off" in done.text


@pytest.mark.long
@pytest.mark.parametrize("seed, name, smp", [("seed000", "xeon4", 4), ("seed001", "cobra", 2), ("seed003", "ppro", 2), ("seed003_swap", "ppro", 2), ("seed004", "piii4", 4)])
def test_presets(seed, name, smp):
    where = machine(f"run={seed}", smp=smp)
    where.model = name
    done = boot_machine(where, limit_s=900)
    assert not run.judge(done.log, ARCH, done.status), done.text[-3000:]


@pytest.mark.parametrize("words", ["run=pagevec reps=2", "run=irqdesc reps=2 irq_rate=0,5000", "run=walk reps=2 subject=16M"])
@pytest.mark.parametrize("smp", [1, 2, 4])
def test_the_same_without_a_model(words, smp):
    done = boot_machine(machine(f"{words} page_color=256,1", smp=smp))
    assert not run.judge(done.log, ARCH, done.status), done.text[-3000:]
    name = words.split()[0].split("=")[1]
    assert all(f["value"] is None for f in done.of("sample", exp=name, metric="transfers"))


def test_the_rings_depth_is_a_factor():
    words = "run=txpage tx_ring=16,64 page_color=256,1 subject=16M reps=1 warmup=0 passes=1"
    done = boot_machine(machine(words, smp=2))
    assert done.ok, (done.reasons, done.text[-2000:])
    assert list(done.experiments["txpage"].levels) == ["tx_ring=16", "tx_ring=64"]
