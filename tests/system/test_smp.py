"""Several processors: found, started, numbered, left out, stopped."""

import re

import pytest
from boots import ARCH, LIMIT_S, NOT_OK, boot, boot_machine, good, machine

pc = pytest.mark.skipif(ARCH != "x86_64", reason="no ACPI and no HPET on Alpha, and four CPUs")

# One host thread for all CPUs, the same run every time; they take turns at pause and hlt.
ICOUNT = ("-icount", "shift=0,sleep=off", "-rtc", "base=2000-01-01,clock=vm")


def cpus(done):
    return done.only("machine", what="cpus")


@pytest.mark.parametrize("smp", [1, 2, 4])
def test_all_cpus_run(smp):
    done = good("run=list", smp=smp)
    assert (cpus(done)["found"], cpus(done)["running"]) == (smp, smp)
    assert "why" not in cpus(done)


@pytest.mark.parametrize("extra", [(), ICOUNT], ids=["threads", "icount"])
@pytest.mark.parametrize("smp", [2, 4])
def test_selftests_with_several_cpus(smp, extra):
    done = good("run=selftest", smp=smp, extra=extra)
    for name in ("cpus", "locks", "console_cpus", "newlib_cpus", "own_cpus", "irq_route"):
        assert done.verdicts[f"selftest/{name}"].ok and not done.verdicts[f"selftest/{name}"].skipped


@pytest.mark.parametrize("smp", [1, 2, 4])
def test_interrupts_arrive(smp):
    done = good("run=selftest", smp=smp, extra=ICOUNT)
    names = ["irq_ipi", "irq_timer", "irq_rtc", "irq_uart"]
    names += ["irq_level"] if ARCH == "x86_64" else []
    names += ["irq_route"] if smp > 1 else []
    for name in names:
        verdict = done.verdicts[f"selftest/{name}"]
        assert verdict.ok and not verdict.skipped


@pc
def test_the_timer_says_what_it_counts():
    timer = good("run=selftest", smp=2, extra=ICOUNT).only("machine", what="timer")
    assert timer["source"] == "count" and timer["hz"] > 1000000


@pc
def test_levels_arrive_while_the_host_is_busy():
    """Without icount deadlines pass while they are set: none is lost, none counted twice."""
    for _ in range(3):
        verdict = boot_machine(machine("run=selftest", smp=4)).verdicts["selftest/irq_level"]
        assert verdict.ok and not verdict.skipped


@pc
@pytest.mark.parametrize("extra, why", [(("-no-hpet",), "no HPET"), (("-M", "pc"), "line of its own")])
def test_machines_without_a_line_for_the_hpet(extra, why):
    done = good("run=selftest", smp=2, extra=extra)
    assert done.verdicts["selftest/irq_level"].skipped
    assert any("irq_level # SKIP" in line and why in line for line in done.lines)


def test_selftests_of_several_cpus_are_skipped_on_one():
    done = good("run=selftest")
    assert done.verdicts["selftest/locks"].skipped


@pytest.mark.parametrize("smp", [2, 4])
def test_lines_of_several_cpus_stay_whole(smp):
    done = good("run=selftest", smp=smp)
    said = [line for line in done.lines if "console_cpus: " in line]
    form = re.compile(
        r"# console_cpus: CPU (\d+) says (\d+) of 20, and nothing of it may be lost or mixed up; "
        r"it is longer than one piece of kprintf"
    )
    whole = [form.fullmatch(line) for line in said]
    assert all(whole)
    assert sorted((int(m[1]), int(m[2])) for m in whole) == [(c, n) for c in range(smp) for n in range(20)]


@pytest.mark.parametrize("words, running", [("cpus=2", 2), ("cpus=1", 1), ("nosmp", 1), ("cpus=4", 4)])
def test_as_many_cpus_as_asked_for(words, running):
    done = good(f"run=list {words}", smp=4)
    assert (cpus(done)["found"], cpus(done)["running"]) == (4, running)


@pytest.mark.parametrize("words", ["cpus=3", "cpus=2 nosmp"])
def test_more_cpus_than_run_is_an_error(words):
    done = boot(f"run=list {words}", smp=2)
    assert done.status == NOT_OK
    assert "CPUs run" in done.text
    assert not done.verdicts["cpus"].ok


@pc
def test_cpus_without_acpi_are_not_guessed():
    done = good("run=list", smp=2, extra=("-M", "q35,acpi=off"))
    assert cpus(done)["running"] == 1
    assert "MADT" in cpus(done)["why"]


def test_offsets_are_measured():
    done = good("run=list", smp=4, extra=ICOUNT)
    offsets = done.of("machine", what="offset")
    assert [o["cpu"] for o in offsets] == [1, 2, 3]
    # QEMU's CPUs share one counter under icount: the truth is 0, and has to be in the interval
    for o in offsets:
        assert abs(o["cycles"]) <= o["error"]


def test_a_panic_of_another_cpu_ends_the_boot():
    done = boot("crash=cpu", smp=4)
    assert done.status == NOT_OK
    assert done.last.end["verdict"] == "panic"
    assert "# on CPU 3 of 4" in done.lines
    assert any("panic_there" in line for line in done.lines)


@pytest.mark.parametrize("extra", [(), ICOUNT], ids=["threads", "icount"])
def test_the_watchdog_ends_a_boot_that_hangs_and_says_where_all_cpus_are(extra):
    done = boot("crash=hang watchdog=1", smp=4, extra=extra)
    assert done.status == NOT_OK
    assert done.last.end["reason"] == "watchdog: no sample ended for 1 seconds"
    assert any("crash_hang+" in line for line in done.lines)
    for cpu in (1, 2, 3):
        (line,) = [line for line in done.lines if line.startswith(f"# CPU {cpu}:")]
        assert "hang_there+" in line and "cpu_main+" in line


def test_the_watchdog_lets_a_boot_alone_that_gets_on():
    done = good("run=pair age=off reps=40 warmup=1 watchdog=1 page_color=256,1", smp=2, extra=ICOUNT)
    assert len(done.experiments["pair"].values("all", "pair", 0)) == 40


@pytest.mark.parametrize("smp", [2, 4])
def test_idle_cpus_do_not_touch_an_experiment(smp):
    """Under icount a tick is an instruction: with idle CPUs beside it, the same number of them."""
    words = "run=pair age=off reps=2 warmup=1 page_color=256,1"

    def times(n):
        exp = good(words, smp=n, extra=ICOUNT).experiments["pair"]
        return {(m, x): exp.values("all", m, x) for m in ("pair", "split") for x in exp.xs(m)}

    assert times(smp) == times(1)


@pc
@pytest.mark.long
def test_64_cpus():
    done = boot_machine(machine("run=selftest", "1G", 64, ("-cpu", "max", *ICOUNT)), limit_s=4 * LIMIT_S)
    assert done.ok, done.text[-3000:]
    assert cpus(done)["running"] == 64
    for name in ("newlib_cpus", "locks", "irq_ipi", "irq_timer", "irq_rtc", "irq_uart", "irq_level"):
        verdict = done.verdicts[f"selftest/{name}"]
        assert verdict.ok and not verdict.skipped
