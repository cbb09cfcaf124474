"""tt sweep with real boots: the log of each boot is that boot, and the tables are those logs' numbers."""

import json
import os
import signal
import subprocess

import pytest
from boots import ARCH, KERNEL, LIMIT_S
from paths import ROOT

from ttlib import series, stats
from ttlib.load import load

WORDS = "run=conflict alloc=buddy,va page_color=256,1 age=2:90:50 subject=8M reps=2 warmup=0"


@pytest.fixture
def sweep(tmp_path):
    def argv(*words):
        return [
            *(ROOT / "tools" / "tt", "sweep", "-o", tmp_path / "out", "-j", "2", "--timeout", str(LIMIT_S)),
            *(f"arch={ARCH}", f"kernel={KERNEL}", f"cmdline={WORDS}", *words),
        ]

    def call(*words):
        done = subprocess.run(argv(*words), capture_output=True, text=True, timeout=10 * LIMIT_S, cwd=ROOT)
        assert done.returncode == 0, done.stderr
        return done

    call.argv, call.out = argv, tmp_path / "out"
    return call


def index(sweep):
    return [json.loads(line) for line in (sweep.out / "index.jsonl").read_text().splitlines()]


def log_of(sweep, entry):
    return load(str(sweep.out / entry["log"])).boots[0]


def test_seeds_and_memories(sweep):
    done = sweep("seed=1..3", "mem=64M,128M")
    entries = index(sweep)
    assert len(entries) == 6
    ram, boots = set(), []
    for entry in entries:
        log, asked = log_of(sweep, entry), entry["parameters"]
        assert f"seed={asked['seed']} " in log.facts["cmdline"] + " "
        assert log.facts["arch"] == ARCH
        ram.add((asked["mem"], log.of("memory", what="total")[0].fields["ram_pages"]))
        if asked["mem"] == "64M":
            exp = series.experiments(log)["conflict"]
            boots.append(stats.mean(exp.values("alloc=buddy", "conflict", exp.xs("conflict")[-1])))
    assert len(ram) == 2  # the same memory, the same pages; another memory, others
    line = next(line for line in done.stdout.splitlines() if line.startswith("mem=64M alloc=buddy"))
    shown, half = line.split()[-1].split("±")
    assert abs(float(shown) - stats.mean(boots)) <= max(0.5, float(half) / 10)
    assert len(set(boots)) > 1  # a seed does change the placement


def test_killed_during_a_boot_it_goes_on(sweep):
    process = subprocess.Popen(sweep.argv("seed=1..4"), stderr=subprocess.PIPE, text=True, cwd=ROOT)
    while "ok" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=40)
    before = {e["log"]: os.stat(sweep.out / e["log"]).st_mtime_ns for e in index(sweep) if e["status"] == "ok"}
    assert 0 < len(before) < 4
    done = sweep("seed=1..4")
    assert f"{len(before)} there already, {4 - len(before)} to run" in done.stderr
    assert {e["status"] for e in index(sweep)} == {"ok"}
    assert {name: os.stat(sweep.out / name).st_mtime_ns for name in before} == before


def test_the_same_boots_again_place_the_same_pages(sweep):
    first = sweep("seed=5..6").stdout
    assert sweep("seed=5..6", "--force").stdout == first
