"""tt run's verdicts, with a QEMU of our own that prints a given log and ends with a given status."""

import os
import signal
import subprocess
import time

import pytest
from paths import ROOT
from synthetic import Builder, experiment

FAKE_QEMU = """#!/bin/sh
printf '%s\\n' "$@" > "$FAKE/argv"
cat "$FAKE/log"
[ "$(cat "$FAKE/sleep")" = 0 ] || exec sleep "$(cat "$FAKE/sleep")"
exit "$(cat "$FAKE/status")"
"""


class Fake:
    def __init__(self, folder, tt):
        self.folder = folder
        self._tt = tt
        for arch in ("x86_64", "alpha"):
            path = folder / f"qemu-system-{arch}"
            path.write_text(FAKE_QEMU)
            path.chmod(0o755)
        self.kernel = folder / "kernel.elf"
        self.kernel.write_text("")
        self.env = {"PATH": f"{folder}:{os.environ['PATH']}", "FAKE": str(folder)}

    def prepare(self, log, status=33, sleep=0):
        (self.folder / "log").write_bytes(log)
        (self.folder / "status").write_text(str(status))
        (self.folder / "sleep").write_text(str(sleep))

    def run(self, *words, **kept):
        self.prepare(**kept)
        return self._tt("run", "--kernel", self.kernel, *words, env=self.env)

    def argv(self):
        return (self.folder / "argv").read_text().splitlines()


@pytest.fixture
def fake(tmp_path, tt):
    return Fake(tmp_path, tt)


def good():
    return experiment(lambda level, x: 100.0)


def test_a_whole_log_and_status_33_is_success(fake):
    done = fake.run(log=good().bytes("\r\n"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == good().bytes()


def test_the_log_is_kept_byte_by_byte(fake, tmp_path):
    kept = tmp_path / "deep" / "er" / "serial.log"
    fake.run("--log", kept, log=good().bytes("\r\n"))
    assert kept.read_bytes() == good().bytes("\r\n")


@pytest.mark.parametrize(
    "status, why",
    [(0, "reset or switched off"), (1, "did not start"), (35, "ended not ok"), (3, "status is 3"), (124, "124")],
)
def test_another_status_is_failure_whatever_the_log_says(fake, status, why):
    done = fake.run(log=good().bytes(), status=status)
    assert done.returncode == 1
    assert why in done.stderr.decode()


def test_alpha_ends_with_status_0(fake):
    assert fake.run("--arch", "alpha", log=good().bytes(), status=0).returncode == 0
    assert fake.run("--arch", "alpha", log=good().bytes(), status=1).returncode == 1


def without(number):
    log = good()
    del log.lines[number]
    return log.bytes()


@pytest.mark.parametrize(
    "log, why",
    [
        (b"", "no record"),
        (good().bytes()[:-200], "no end record"),
        (without(0), "lost seq 0"),
        (without(-8), "lost seq"),
        (without(-1), "no end record"),
        (good().bytes().replace(b'"value":', b'"value":1', 1), "damaged record"),
        (good().bytes() * 2, "2 boots in one run"),
        (Builder().end(verdict="fail", failed=2).bytes(), "verdict fail: 2 failed"),
        (Builder().end(verdict="panic").bytes(), "verdict panic"),
        (Builder(v=9).end().bytes(), "grammar v=9"),
    ],
)
def test_a_log_that_is_not_whole_is_failure_whatever_qemu_says(fake, log, why):
    done = fake.run(log=log)
    assert done.returncode == 1
    assert why in done.stderr.decode()


def test_the_time_limit_ends_qemu(fake):
    start = time.monotonic()
    done = fake.run("--timeout", "1", log=good().bytes(), sleep=60)
    assert time.monotonic() - start < 20
    assert done.returncode == 1
    assert b"time limit of 1 s reached" in done.stderr
    assert done.stdout == good().bytes()


def test_output_is_streamed_and_sigterm_ends_qemu(fake):
    fake.prepare(log=good().bytes(), sleep=61.25)
    process = subprocess.Popen(
        [ROOT / "tools" / "tt", "run", "--kernel", fake.kernel], stdout=subprocess.PIPE, env={**os.environ, **fake.env}
    )
    assert b'"tt":"boot"' in process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) != 0
    process.stdout.close()
    processes = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert "sleep 61.25" not in processes  # what the fake QEMU had become


def test_exit_qemu_is_added_once(fake):
    fake.run("--cmdline", "run=list", log=good().bytes())
    assert "run=list exit=qemu" in fake.argv()
    fake.run("--cmdline", "exit=qemu run=list", log=good().bytes())
    assert "exit=qemu run=list" in fake.argv()
    fake.run(log=good().bytes())
    assert "exit=qemu" in fake.argv()


def test_arguments_reach_qemu(fake):
    fake.run("--mem", "64M", "--smp", "3", "--", "-icount", "shift=0", log=good().bytes())
    argv = fake.argv()
    assert argv[argv.index("-m") + 1] == "64M"
    assert argv[argv.index("-smp") + 1] == "3"
    assert argv[-2:] == ["-icount", "shift=0"]


@pytest.mark.parametrize(
    "words, why",
    [
        (["--cmdline", "exit=halt"], "exit=halt"),
        (["--cmdline", "x" * 2040], "takes 2047"),
        (["--arch", "alpha", "--cmdline", "x" * 250], "takes 254"),
        (["--smp", "0"], "above 0"),
        (["--timeout", "0"], "above 0"),
        (["--arch", "vax"], "invalid choice"),
        (["run=list"], "tt run: error: unrecognized arguments: run=list"),
        (["--model", "ds11"], "did you mean ds10? there are: cobra, ds10"),
        (["--mem", "64Q"], "memory of 64Q"),
        (["--arch", "alpha", "--boot", "bios"], "x86_64 only"),
        (["--log", "/proc/nothing/here"], "/proc/nothing/here"),
        (["--kernel", "/no/such/kernel"], "no such kernel"),
    ],
)
def test_wrong_usage_is_status_2_and_named(fake, words, why):
    done = fake.run(*words, log=good().bytes())
    assert done.returncode == 2
    assert why in done.stderr.decode()


def test_qemu_that_is_not_installed_is_named(fake, tt):
    done = tt("run", "--kernel", fake.kernel, env={"PATH": "/nowhere"})
    assert done.returncode == 2
    assert b"qemu-system-x86_64 is not installed" in done.stderr
