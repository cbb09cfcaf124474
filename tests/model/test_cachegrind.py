"""The model's core against a tool we did not write: one program's accesses, recorded by valgrind's
lackey, must give cachegrind's counts for the same geometry, exactly.

Both runs start the program without address randomisation. What cachegrind does otherwise than a
machine is in tests/model/lackey_trace.c; with write-backs as a machine has them ("w") LL differs
by a fraction of a percent, because a write-back refreshes a line that cachegrind lets age."""

import re
import subprocess

import pytest

from guest_run import MODEL

PROGRAM = ["/bin/ls", "/usr/share"]
GEOMETRIES = [
    # D1 (and I1) bytes, ways; LL bytes, ways; line
    (16384, 4, 262144, 8, 64),
    (8192, 2, 262144, 4, 32),
    (65536, 2, 2097152, 1, 64),
]

MACHINE = """name = cachegrind # source: test
cpus = 1 # source: test
clock_mhz = 1000 # source: test
page_bytes = 4096 # source: test
line_bytes = {line} # source: test
levels = 2 # source: test
l1_size = {d1} # source: test
l1_ways = {d1_ways} # source: test
l1_latency = 3 # source: test
l1_bandwidth = 8 # source: test
l1_write = back # source: test
l1_write_allocate = yes # source: test
l2_size = {ll} # source: test
l2_ways = {ll_ways} # source: test
l2_latency = 10 # source: test
l2_bandwidth = 8 # source: test
l2_write = back # source: test
l2_write_allocate = yes # source: test
memory_latency = 100 # source: test
memory_bandwidth = 8 # source: test
outstanding_misses = 8 # source: test
"""


def valgrind(*args):
    return subprocess.run(["setarch", "-R", "valgrind", *args, *PROGRAM], check=True,
                          env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr


@pytest.fixture(scope="module", name="trace")
def fixture_trace(tmp_path_factory):
    path = tmp_path_factory.mktemp("lackey") / "trace"
    valgrind("--tool=lackey", "--trace-mem=yes", f"--log-file={path}")
    return path


def cachegrind(d1, d1_ways, ll, ll_ways, line):
    text = valgrind("--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null",
                    f"--I1={d1},{d1_ways},{line}", f"--D1={d1},{d1_ways},{line}",
                    f"--LL={ll},{ll_ways},{line}")
    found = {}
    for key, label in (("accesses", r"D\s+refs"), ("d1_misses", r"D1\s+misses"),
                       ("ll_misses", r"LLd misses")):
        found[key] = int(re.search(label + r":\s+([\d,]+)", text).group(1).replace(",", ""))
    return found


def model(trace, conf, *options):
    with open(trace, "rb") as file:
        text = subprocess.run([f"{MODEL}/lackey_trace", conf, *options], stdin=file, check=True,
                              capture_output=True, text=True).stdout
    return {key: int(value) for key, value in (line.split() for line in text.splitlines())}


@pytest.mark.parametrize("d1, d1_ways, ll, ll_ways, line", GEOMETRIES)
def test_equal_to_cachegrind(trace, tmp_path, d1, d1_ways, ll, ll_ways, line):
    conf = tmp_path / "machine.conf"
    conf.write_text(MACHINE.format(d1=d1, d1_ways=d1_ways, ll=ll, ll_ways=ll_ways, line=line))
    theirs = cachegrind(d1, d1_ways, ll, ll_ways, line)
    ours = model(trace, conf)
    as_a_machine = model(trace, conf, "w")
    print(f"cachegrind {theirs}\nmodel      {ours}\nwith write-backs {as_a_machine}")
    assert theirs["d1_misses"] > 3000
    assert ours == theirs
    assert as_a_machine["d1_misses"] == theirs["d1_misses"]
