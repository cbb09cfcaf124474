"""tt sweep, with a QEMU of our own: what runs, what does not run again, and what is kept.

The fake QEMU finds the boot's seed on the command line, and for that seed a log, a status and a time
to sleep, or to hang. It counts its calls and how many of it are there at once.
"""

import json
import os
import signal
import subprocess
import time

import pytest
from paths import ROOT
from synthetic import Builder, experiment

FAKE_QEMU = r"""#!/bin/sh
cd "$FAKE" || exit 99
seed=$(printf '%s\n' "$@" | sed -n 's/.*seed=\([0-9]*\).*/\1/p')
for_seed() { if [ -e "$1.$seed" ]; then cat "$1.$seed"; else cat "$1"; fi; }
printf '%s\n' "$*" >> calls
echo x > "here.$$"
ls -d here.* 2> /dev/null | wc -l >> at_once
for_seed log
hang=$(for_seed hang)
[ "$hang" = 0 ] || exec sleep "$hang" # whoever kills this shell has killed the sleep
sleep "$(for_seed sleep)"
rm "here.$$"
exit "$(for_seed status)"
"""


def value(seed):
    """A boot's own level, so that boots differ: between them s is far larger than in one."""
    return lambda level, x: (1000.0 + 10 * seed) * (1.1 if level == "va" else 1.0)


def log(seed, **how):
    return experiment(value(seed), **{"seed": seed, "reps": 4, "noise": 1.0, **how}).bytes("\r\n")


class Fake:
    def __init__(self, folder):
        self.folder = folder
        path = folder / "qemu-system-x86_64"
        path.write_text(FAKE_QEMU)
        path.chmod(0o755)
        self.kernel = folder / "kernel.elf"
        self.kernel.write_text("one kernel")
        self.out = folder / "out"
        self.env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "FAKE": str(folder)}
        self.set("status", 33)
        self.set("sleep", 0)
        self.set("hang", 0)
        for seed in range(1, 9):
            self.set("log", log(seed), seed)

    def set(self, what, value, seed=None):
        name = what if seed is None else f"{what}.{seed}"
        (self.folder / name).write_bytes(value if isinstance(value, bytes) else str(value).encode())

    def argv(self, *words):
        return [ROOT / "tools" / "tt", "sweep", "-o", self.out, f"kernel={self.kernel}", *words]

    def sweep(self, *words):
        return subprocess.run(self.argv(*words), env=self.env, capture_output=True, text=True, timeout=120)

    def calls(self):
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def index(self):
        return [json.loads(line) for line in (self.out / "index.jsonl").read_text().splitlines()]

    def status(self):
        return {entry["parameters"]["seed"]: entry["status"] for entry in self.index()}


@pytest.fixture
def fake(tmp_path):
    return Fake(tmp_path)


def good(done):
    assert done.returncode == 0, done.stderr
    return done


def test_every_combination_runs_once_with_its_own_log(fake):
    good(fake.sweep("seed=1..3", "mem=64M,1G", 'cmdline=run=bandwidth alloc=buddy', "--", "-name", "a b"))
    calls = fake.calls()
    assert len(calls) == 6
    for mem in ("64M", "1G"):
        for seed in (1, 2, 3):
            wanted = f"-append run=bandwidth alloc=buddy seed={seed} exit=qemu"
            assert sum(f"-m {mem} " in c and wanted in c and c.endswith("-name a b") for c in calls) == 1
    index = fake.index()
    assert len({entry["log"] for entry in index}) == 6
    for entry in index:
        assert (entry["status"], entry["verdict"], entry["exit"]) == ("ok", "ok", 0)
        assert (fake.out / entry["log"]).read_bytes() == log(entry["parameters"]["seed"])


def test_words_and_options_in_any_order(fake):
    done = subprocess.run(
        [ROOT / "tools" / "tt", "sweep", "seed=1", "-j", "1", f"kernel={fake.kernel}", "-o", fake.out, "mem=64M,1G"],
        env=fake.env, capture_output=True, text=True, timeout=60,
    )
    assert len(good(done).stderr.splitlines()) == 4 and len(fake.calls()) == 2
    assert fake.sweep("seed=1", "--no-such", "mem=1G").returncode == 2


def test_an_index_entry_s_command_is_that_boot(fake):
    good(fake.sweep("seed=7", "smp=2"))
    (entry,) = fake.index()
    kept = (fake.out / entry["log"]).read_bytes()
    (fake.out / entry["log"]).unlink()
    subprocess.run(entry["command"], shell=True, env=fake.env, check=True, capture_output=True, cwd=os.getcwd())
    assert (fake.out / entry["log"]).read_bytes() == kept
    assert fake.calls()[0] == fake.calls()[1]


def test_what_is_there_does_not_run_again_and_more_seeds_add_to_it(fake):
    good(fake.sweep("seed=1..2"))
    first = {e["log"]: (fake.out / e["log"]).stat().st_mtime_ns for e in fake.index()}
    good(fake.sweep("seed=1..4"))
    assert len(fake.calls()) == 4
    assert {name: (fake.out / name).stat().st_mtime_ns for name in first} == first
    good(fake.sweep("seed=1..4"))
    assert len(fake.calls()) == 4
    good(fake.sweep("seed=1..4", "--force"))
    assert len(fake.calls()) == 8
    assert set(fake.status()) == {1, 2, 3, 4}


@pytest.mark.parametrize("harm", ["cut", "damaged", "gone", "another verdict"])
def test_a_log_that_is_not_whole_any_more_runs_again_whatever_the_index_says(fake, harm):
    good(fake.sweep("seed=1..2"))
    path = fake.out / fake.index()[1]["log"]
    data = path.read_bytes()
    if harm == "gone":
        path.unlink()
    else:
        changed = {"cut": data[:-200], "damaged": data.replace(b'"block":2', b'"block":3', 1), "another verdict": b""}
        path.write_bytes(changed[harm] or experiment(value(2)).bytes().replace(b'"ok"', b'"no"'))
    good(fake.sweep("seed=1..2"))
    assert len(fake.calls()) == 3
    assert path.read_bytes() == data


def test_a_boot_that_fails_is_named_and_the_others_are_kept(fake):
    fake.set("status", 35, seed=2)
    bad = Builder()
    for line in ("# error: x=1: no such key", "1..2", "not ok 1 cmdline # bad words", "ok 2 other"):
        bad.text(line)
    fake.set("log", bad.end("fail", 1, 1).bytes(), seed=2)
    fake.set("log", b"BIOS\r\n", seed=3)
    done = fake.sweep("seed=1..4")
    assert done.returncode == 1
    assert fake.status() == {1: "ok", 2: "failed", 3: "failed", 4: "ok"}
    last = done.stderr.splitlines()[-2:]
    assert "seed=2: the kernel ended not ok (QEMU's status 35)" in last[0]
    assert "error: x=1: no such key; not ok cmdline: bad words (" in last[0]
    assert "seed=3: no record at all" in last[1]
    assert (fake.out / fake.index()[2]["log"]).read_bytes() == b"BIOS\r\n"
    assert "means of 2 boots" in done.stdout
    # mended, only those run again
    fake.set("status", 33, seed=2)
    fake.set("log", log(2), seed=2)
    fake.set("log", log(3), seed=3)
    good(fake.sweep("seed=1..4"))
    assert len(fake.calls()) == 6


def test_a_boot_that_hangs_meets_its_limit(fake):
    fake.set("hang", 60, seed=2)
    start = time.monotonic()
    done = fake.sweep("seed=1..3", "--timeout", "2", "-j", "3")
    assert time.monotonic() - start < 30
    assert done.returncode == 1
    assert fake.status() == {1: "ok", 2: "failed", 3: "ok"}
    assert "seed=2: time limit of 2 s reached" in done.stderr
    assert (fake.out / fake.index()[1]["log"]).read_bytes() == log(2)  # what came is kept


@pytest.mark.parametrize("jobs", [1, 3])
def test_no_more_than_so_many_at_once(fake, jobs):
    fake.set("sleep", 0.5)
    good(fake.sweep("seed=1..6", "-j", str(jobs)))
    assert max(map(int, (fake.folder / "at_once").read_text().split())) == jobs


def wait_for(condition, limit_s=40):
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def nobody_sleeps(text):
    return text not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_killed_midway_leaves_no_qemu_and_goes_on_where_it_was(fake, which):
    fake.set("hang", f"77.{which.value}", seed=3)
    fake.set("hang", f"77.{which.value}", seed=4)
    process = subprocess.Popen(fake.argv("seed=1..4", "-j", "2"), env=fake.env, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: len(fake.calls()) == 4)
    process.send_signal(which)
    errors = process.communicate(timeout=40)[1]
    if which == signal.SIGKILL:
        assert process.returncode == -which
    else:
        assert process.returncode == 1
        assert "interrupted: 2 of 4 boots are still to run" in errors
    wait_for(lambda: nobody_sleeps(f"77.{which.value}"))
    assert fake.status() == {1: "ok", 2: "ok", 3: "pending", 4: "pending"}
    fake.set("hang", 0, seed=3)
    fake.set("hang", 0, seed=4)
    good(fake.sweep("seed=1..4"))
    assert len(fake.calls()) == 6
    assert set(fake.status().values()) == {"ok"}


def test_an_old_log_stays_until_the_new_one_has_ended(fake):
    good(fake.sweep("seed=1"))
    fake.set("log", b"half of", seed=1)
    fake.set("hang", 60, seed=1)
    process = subprocess.Popen(fake.argv("seed=1", "--force"), env=fake.env, stderr=subprocess.PIPE)
    wait_for(lambda: len(fake.calls()) == 2)
    process.kill()
    process.communicate(timeout=40)
    assert (fake.out / fake.index()[0]["log"]).read_bytes() == log(1)


def test_two_sweeps_do_not_write_to_one_directory(fake):
    fake.set("hang", 60)
    process = subprocess.Popen(fake.argv("seed=1"), env=fake.env, stderr=subprocess.PIPE)
    wait_for(fake.calls)
    done = fake.sweep("seed=2")
    process.terminate()
    process.communicate(timeout=40)
    assert done.returncode == 2
    assert "another tt sweep is at work there" in done.stderr


def test_a_kernel_built_anew_is_not_mixed_with_the_old_one(fake):
    good(fake.sweep("seed=1..2"))
    fake.kernel.write_text("another kernel")
    done = fake.sweep("seed=1..3")
    assert done.returncode == 2
    assert "since 2 of these boots ran, their kernel or cache model has changed" in done.stderr
    assert len(fake.calls()) == 2
    done = fake.sweep("seed=3..4")  # none of these ran before, but the tables would mix them
    assert done.returncode == 1
    assert "not pooled" in done.stderr and "the files had changed" in done.stderr
    good(fake.sweep("seed=1..4", "--force"))


def test_a_kernel_that_changes_during_its_boot_is_a_failure(fake):
    fake.set("hang", 60, seed=1)
    process = subprocess.Popen(fake.argv("seed=1", "--timeout", "3"), env=fake.env, stderr=subprocess.PIPE, text=True)
    wait_for(fake.calls)
    fake.kernel.write_text("another kernel")
    assert "changed while it ran" in process.communicate(timeout=40)[1]
    assert process.returncode == 1


def test_dry_run_lists_the_boots_and_runs_none(fake):
    done = good(fake.sweep("seed=1..3", "mem=64M,1G", "--dry-run"))
    lines = done.stdout.splitlines()
    assert len(lines) == 6 and all(line.startswith("run  ") for line in lines)
    assert sum("--mem 1G" in line for line in lines) == 3
    assert not fake.out.exists() and not fake.calls()
    good(fake.sweep("seed=2", "mem=1G"))
    lines = good(fake.sweep("seed=1..3", "mem=64M,1G", "--dry-run")).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["run"] * 4 + ["done", "run"]


@pytest.mark.parametrize(
    "words, why",
    [
        ([], "required: AXIS=VALUES"),
        (["models=ds10"], "did you mean model=?"),
        (["run=list"], "axes: arch, boot, kernel"),
        (["model=ds11"], "there are: cobra, ds10"),
        (["arch=vax"], "x86_64, alpha"),
        (["arch=alpha", "boot=kernel,bios"], "x86_64 only (1 of 2 boots: arch=alpha boot=bios"),
        (["seed=5..1"], "seed=5..1: expected a number or a range"),
        (["seed=1..100000"], "more than 10000 boots"),
        (["seed=1..5000", "smp=1..3"], "15000 boots"),
        (["seed=1,1"], "seed=1 is there twice"),
        (["seed=1", "cmdline=run=list seed=2"], "seed=2 on the command line"),
        (["smp=0"], "from 1 to 255"),
        (["mem=64Q"], "memory of 64Q"),
        (["mem=64M,"], "a value is missing"),
        (["check=3"], "check= chooses among make's kernels"),
        (["cmdline=exit=halt"], "exit=qemu"),
        (['qemu=-name "'], "No closing quotation"),
        (["seed=1", "-j", "0"], "above 0"),
        (["seed=1", "--timeout", "0"], "above 0"),
        (["seed=1", "kernel=/no/kernel"], "/no/kernel: no such kernel"),
    ],
)
def test_wrong_words_are_named_before_anything_runs(fake, words, why):
    argv = [w for w in fake.argv(*words) if words or not str(w).startswith("kernel=")]
    done = subprocess.run(argv, env=fake.env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert why in done.stderr
    assert not fake.calls() and not fake.out.exists()


@pytest.mark.parametrize("index", ["{", "[]\n", '{"log": "a.log"}\n'])
def test_a_damaged_index_is_named(fake, index):
    fake.out.mkdir()
    (fake.out / "index.jsonl").write_text(index)
    done = fake.sweep("seed=1")
    assert done.returncode == 2
    assert "index.jsonl" in done.stderr
