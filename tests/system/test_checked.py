"""Every policy, shape and self-test on a small memory: made for a kernel with every check on (CHECK=3),
whose validators look at the whole instance around each operation. make test runs it on that one too."""

import re

import pytest
from boots import ARCH, KERNEL, good

SMALL = "page_color=64,1 subject=16M reps=1 warmup=0 passes=1"


def test_the_log_says_how_much_is_checked():
    level = re.search(r"-check(\d)/", KERNEL)
    done = good(f"run=bandwidth {SMALL} age=off")
    assert done.only("boot", what="kernel")["check"] == (int(level[1]) if level else 0)


def test_every_policy():
    done = good(f"run=bandwidth {SMALL} alloc=all colors=0-3 age=2:90:50")
    assert len(done.experiments["bandwidth"].levels) >= 15


def test_every_shape_and_fallback():
    done = good(f"run=bandwidth {SMALL} alloc=va page_struct=all empty=next,nearest,skip19 age=2:90:50")
    assert len(done.experiments["bandwidth"].levels) >= 12


def test_faults_and_copies():
    done = good(f"run=faults {SMALL} alloc=buddy,va age=off")
    assert done.verdicts["faults"].ok


def test_selftests():
    done = good("run=selftest")
    assert done.only("end")["failed"] == 0


def test_per_cpu_lists():
    done = good(f"run=faults {SMALL} alloc=buddy,va,bestbin age=off pcp=4:8")
    assert done.verdicts["faults"].ok


def test_page_cache():
    words = "run=pagehash page_struct=2.2 files=50,100 swap=quarter lru=all hash=2.2,mul page_color=64,1 subject=8M"
    done = good(f"{words} reps=1 warmup=0 passes=1 age=off", smp=2)
    assert len(done.experiments["pagehash"].levels) == 6


def test_pages_between_cpus():
    """Freed in an interrupt by another CPU than allocated them, four at a time. Each of the 98,000
    operations is followed by a look at the whole instance, which is as small as can be."""
    subject = {"x86_64": "4M", "alpha": "8M"}[ARCH]
    done = good(f"run=txpage page_color=64,1 subject={subject} cpus=4 reps=1 warmup=0 passes=1", smp=4)
    assert done.verdicts["txpage"].ok


@pytest.mark.parametrize("words", ["run=getblk lru=all", "run=reclaim cache=5,10 lru=all", "run=names hash=2.2,mul,mul11"])
def test_other_caches(words):
    done = good(f"{words} page_struct=2.2 page_color=64,1 subject=24M reps=1 warmup=0 passes=1", smp=2)
    (experiment,) = done.experiments.values()
    assert len(experiment.levels) == 3


@pytest.mark.parametrize("lists", ["off", "4:8"])
def test_several_cpus_at_once(lists):
    """Whoever checks the whole stops the others first; between their operations nothing is broken."""
    words = f"run=pagestruct page_color=64,1 subject=8M reps=1 warmup=0 passes=1 alloc=buddy,va age=off pcp={lists}"
    done = good(words, smp=2)
    assert len(done.experiments["pagestruct"].levels) == 2
