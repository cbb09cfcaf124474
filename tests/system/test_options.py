"""Each option of the command line changes the log, in the way that it says."""

import re

import pytest
from boots import ARCH, QUICK, boot, boot_machine, good, machine

from ttlib import qemu


def plan(done):
    return done.experiments["bandwidth"].plan


def names(done):
    return list(done.experiments["bandwidth"].levels)


def level(done):
    return next(iter(done.experiments["bandwidth"].levels.values()))


def level_record(done):
    return done.of("experiment", what="level")[0]


def totals(done, member):
    """One member of each level's accounting; 0 when nobody wanted a colour."""
    return [f.get(member, 0) for f in done.of("alloc") if "pages" in f]


def axis(done, exp):
    return sorted({f["x"] for f in done.of("sample", exp=exp)})


def fixed(factor):
    return lambda done: re.search(rf"{factor}=(\S+)", plan(done)["fixed"]).group(1)


def nonzero(done, array):
    """Colours that an array of the accounting counts at all."""
    parts = done.last.parts("alloc", "v", array=array)
    return [color for color, n in enumerate(n for part in parts for n in part) if n]


# Nearly all memory is allocated, so that wanted colours run out.
TIGHT = "run=bandwidth page_color=1024,1 subject=4M age=4:95:90 reps=2 warmup=0 passes=1 alloc=va"

# option: (words without it, the word, what is read from both logs, its value with the word or None)
CASES = {
    "run": (QUICK, "run=latency", lambda d: list(d.experiments), ["latency"]),
    "reps": (QUICK, "reps=3", lambda d: (plan(d)["reps"], len({f["block"] for f in d.of("sample")})), (3, 3)),
    "warmup": (QUICK, "warmup=2", lambda d: (plan(d)["warmup"], d.text.count("warm-up")), (2, 2)),
    "passes": (QUICK, "passes=3", lambda d: plan(d)["passes"], 3),
    "seed": (f"{QUICK} alloc=random", "seed=99", lambda d: d.counts(), None),
    "subject": (QUICK, "subject=32M", lambda d: plan(d)["subject_pages"] * 4096, 32 << 20),
    "alloc": (QUICK, "alloc=random,va", names, ["alloc=random", "alloc=va"]),
    "page_color": (QUICK, "page_color=512,2", lambda d: (level(d)["cache_bytes"], level(d)["ways"]), (512 << 10, 2)),
    "page_struct": (QUICK, "page_struct=2.2:64+32", fixed("page_struct"), "2.2:64+32"),
    "age": (QUICK, "age=off", lambda d: (fixed("age")(d), d.last.parts("alloc", "v", array="free_blocks")), None),
    "colors": (f"{QUICK} alloc=set colors=0-3", "colors=4-9", lambda d: nonzero(d, "wanted"), list(range(4, 10))),
    "pcp": (QUICK, "pcp=4:8", lambda d: (fixed("pcp")(d), level_record(d).get("pcp_batch")), ("4:8", 4)),
    "numa": (QUICK, "numa=off", fixed("numa"), "off"),
    "pages": (f"{QUICK} age=off", "pages=all", lambda d: len(names(d)), 2),
    "trace": (
        "run=faults page_color=64,1 subject=16M reps=1 warmup=0 passes=1",
        "trace=record",
        lambda d: len(d.of("trace")) > 0,
        True,
    ),
    "clock": (QUICK, "clock=model", lambda d: d.last.end["verdict"], "fail"),  # plain QEMU has no model
    "pmu": (QUICK, "pmu=off", lambda d: d.only("machine", what="pmu")["why"], "pmu=off"),
    "empty": (TIGHT, "empty=nearest", lambda d: totals(d, "distance_max"), None),
    "mem": (QUICK, "mem=128M", lambda d: d.only("memory", what="total")["ram_pages"], None),
    "hole": (QUICK, "hole=1M@100M", lambda d: [f["ranges"] for f in d.of("memory", what="map")], None),
    "proc": (QUICK, "proc=on", lambda d: "# pages allocated: " in d.text, True),
    "help": (QUICK, "help", lambda d: "# reps=N" in d.text, True),
    "crash": (QUICK, "crash=panic", lambda d: d.last.end["verdict"], "panic"),
}

# Options of one workload: the same, with its words as base.
FFT = "run=fft page_color=256,1 subject=16M reps=1 warmup=0 passes=1"
MATMUL = "run=matmul page_color=256,1 subject=16M reps=1 warmup=0 passes=1"
CASES |= {
    "points": (FFT + " points=1K", "points=2K,4K", lambda d: axis(d, "fft"), [2048, 4096]),
    "irq_desc": (QUICK, "irq_desc=32", fixed("irq_desc"), "32"),
    "levels": (
        QUICK,
        "levels=ref/small:page_struct=2.2:40/both:page-struct=2.2:40+alloc=va",
        lambda d: (names(d), [f["text"] for f in d.of("experiment", what="label")]),
        (
            ["levels=ref", "levels=small", "levels=both"],
            ["alloc=buddy page_struct=2.6v:64", "alloc=buddy page_struct=2.2:40", "alloc=va page_struct=2.2:40"],
        ),
    ),
    "n": (MATMUL + " n=16", "n=24,32", lambda d: axis(d, "matmul"), [24, 32]),
    "rows": (MATMUL + " n=16", "rows=all,eighth", lambda d: list(d.experiments["matmul"].levels), ["rows=all", "rows=eighth"]),
    "loop": (MATMUL + " n=16", "loop=ikj,blocked", lambda d: list(d.experiments["matmul"].levels), ["loop=ikj", "loop=blocked"]),
}

# Of experiments of several CPUs, which one can do alone.
CASES |= {
    "irq_rate": (f"{QUICK} run=irqdesc", "irq_rate=0,5000", lambda d: axis(d, "irqdesc"), [0, 5000]),
    "pagevec": (f"{QUICK} run=pagevec", "pagevec=4,31", lambda d: list(d.experiments["pagevec"].levels), ["pagevec=4", "pagevec=31"]),
}

# Of the caches; the default descriptors have no hash chains.
HASH = f"{QUICK} run=pagehash page_struct=2.2 subject=64M files=500"
CASES |= {
    "hash": (HASH, "hash=2.2:9", lambda d: d.of("experiment", what="level")[0]["tables_bytes"], 2048),
    "lru": (HASH, "lru=list,none", lambda d: list(d.experiments["pagehash"].levels), ["lru=list", "lru=none"]),
    "files": (HASH, "files=100,200", lambda d: axis(d, "pagehash"), [100, 200]),
    "lookup": (HASH, "lookup=page,file", lambda d: list(d.experiments["pagehash"].levels), ["lookup=page", "lookup=file"]),
    "buffer": (
        f"{QUICK} run=getblk",
        "buffer=none,flushtime",
        lambda d: list(d.experiments["getblk"].levels),
        ["buffer=none", "buffer=flushtime"],
    ),
    "cache": (f"{QUICK} run=reclaim page_struct=2.2 subject=32M", "cache=5,20", lambda d: axis(d, "reclaim"), [5, 20]),
    "names": (f"{QUICK} run=names", "names=50,500", lambda d: axis(d, "names"), [50, 500]),
    "dirty": (f"{QUICK} run=getblk", "dirty=0,50", lambda d: axis(d, "getblk"), [0, 50]),
    "swap": (HASH, "swap=quarter", lambda d: [f["value"] is None for f in d.of("sample", metric="swap_probes")], [False, False]),
}

# Those that need a machine or a test of their own: below, in test_console.py, test_smp.py, test_own.py, test_cache_model.py,
# test_sharing.py.
ELSEWHERE = {"console", "exit", "cpus", "nosmp", "watchdog", "own_colors", "misses", "interleave", "profile", "tx_irq", "tx_ring"}


@pytest.mark.parametrize("option", CASES)
def test_the_option_changes_the_log(option):
    base, word, read, expected = CASES[option]
    before, after = read(good(base)), read(boot(f"{base} {word}"))
    assert before != after
    if expected is not None:
        assert after == expected


def test_no_option_is_without_such_a_test():
    listed = re.findall(r"^# (\w+)(?:=\S+)? {1,}", good("help").text, re.M)
    options = {name for name in listed if name not in ("Tintype",)}
    assert options == CASES.keys() | ELSEWHERE


def test_empty_fail_shows_as_failed_allocations():
    done = boot(f"{TIGHT} empty=fail")
    assert sum(totals(done, "failed")) > 0
    assert sum(totals(done, "distance_max")) == 0


# ---- exit --------------------------------------------------------------------------------------

pytestmark = pytest.mark.skipif(ARCH != "x86_64", reason="exit of the PC")


def exit_status(monkeypatch, words):
    plain = qemu.with_exit
    monkeypatch.setattr(qemu, "with_exit", lambda cmdline: cmdline)
    done = boot_machine(machine(f"run=list {words}"), limit_s=30)
    monkeypatch.setattr(qemu, "with_exit", plain)
    assert done.last.end["verdict"] == "ok"
    return done.status


def test_exit_poweroff_and_reboot_leave_the_machine(monkeypatch):
    assert exit_status(monkeypatch, "exit=poweroff") == 0
    assert exit_status(monkeypatch, "exit=reboot") == 0  # -no-reboot
    assert exit_status(monkeypatch, "exit=qemu") == 33


@pytest.mark.parametrize("words", ["exit=halt", ""])
def test_halt_is_the_default(monkeypatch, words):
    """The end record comes, QEMU stays: the time limit has to end it."""
    from ttlib import run

    monkeypatch.setattr(qemu, "with_exit", lambda cmdline: cmdline)
    log, status, late = run.boot(machine(f"run=list {words}"), 3)
    assert late
    assert log.boots[-1].end["verdict"] == "ok"
