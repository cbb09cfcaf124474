"""What several CPUs do to one line: under the cache model, against what its machine file says."""

import pytest
from boots import ARCH, boot_machine, machine

from ttlib import run

pytestmark = pytest.mark.skipif(ARCH != "x86_64", reason="further CPUs are x86_64's so far")

# file name: CPUs, bytes in a line, ns from one CPU's cache to another's (tools/machines)
MACHINES = {"cobra": (2, 64, 120), "piii4": (4, 32, 190)}


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


def test_falseshare_depends_on_how_often_cpus_take_turns():
    done = modelled("cobra", "run=falseshare reps=1 warmup=1 interleave=1,10")
    often, rarely = (by_x(done, "falseshare", f"interleave={n}", "transfers")[8][0] for n in (1, 10))
    assert often == pytest.approx(10 * rarely, rel=0.02)


@pytest.mark.parametrize("name", MACHINES)
def test_lineping_takes_one_transfer_and_its_time(name):
    cpus, _, transfer_ns = MACHINES[name]
    done = modelled(name, "run=lineping reps=2 warmup=1")
    hops = by_x(done, "lineping", "all", "hop")
    assert sorted(hops) == sorted(10 * b + a for b in range(cpus) for a in range(b))
    for pair, values in hops.items():
        assert all(transfer_ns <= v < 1.35 * transfer_ns for v in values), pair
    for values in by_x(done, "lineping", "all", "transfers").values():
        assert all(1 <= v < 1.02 for v in values)


def test_one_cpu_shares_nothing():
    done = boot_machine(machine("run=lineping,falseshare reps=1"))
    assert done.status == 35
    assert not done.verdicts["lineping"].ok and "one CPU" in done.verdicts["lineping"].reason
    assert not done.of("sample")


def test_a_level_of_fewer_cpus_leaves_pairs_out():
    done = modelled("piii4", "run=lineping reps=1 warmup=0 cpus=2,4")
    exp = done.experiments["lineping"]
    measured = {level: [x for x in exp.xs("hop") if exp.values(level, "hop", x) not in ([], [None])] for level in exp.levels}
    assert measured["cpus=2"] == [10] and len(measured["cpus=4"]) == 6
