"""tt compare: finds what differs, sees nothing where nothing is, refuses what cannot be compared."""

import json

import pytest
from synthetic import experiment, record


def level_value(scale_va):
    return lambda level, x: 1000.0 * (scale_va if level == "va" else 1.0)


@pytest.fixture
def files(tmp_path):
    def write(a, b):
        paths = tmp_path / "a.log", tmp_path / "b.log"
        for path, log in zip(paths, (a, b)):
            path.write_bytes(log if isinstance(log, bytes) else log.bytes("\r\n"))
        return paths

    return write


def base(**how):
    return experiment(level_value(1.0), **{"reps": 8, "noise": 2.0, "seed": 1, **how})


def rows(done):
    """{(level, x): columns} of the table lines."""
    lines = [line.split() for line in done.stdout.decode().splitlines()]
    return {(w[0], w[1]): w for w in lines if len(w) > 6 and w[0] in ("buddy", "va")}


def test_a_real_difference_is_seen_and_only_there(tt_here, files):
    slower = experiment(level_value(0.9), reps=8, noise=2.0, seed=2)
    done = tt_here("compare", *files(base(), slower))
    assert done.returncode == 0, done.stderr
    found = rows(done)
    assert set(found) == {("buddy", "64K"), ("buddy", "256K"), ("va", "64K"), ("va", "256K")}
    for (level, x), words in found.items():
        assert (words[4] == "~") == (level == "buddy"), words
        assert words[-1] == "8+8"
    assert -10.6 < float(found["va", "64K"][4].rstrip("%")) < -9.4
    assert b"4 comparisons, 2 differences seen" in done.stdout


def test_the_same_log_twice_differs_nowhere(tt_here, files):
    done = tt_here("compare", *files(base(), base()))
    assert done.returncode == 0
    assert b"0 differences seen" in done.stdout


def test_few_false_alarms_among_many_comparisons(tt_here, files):
    xs = tuple(4096 << i for i in range(10))
    alarms = 0
    for seed in range(10):
        done = tt_here("compare", *files(base(xs=xs, seed=seed), base(xs=xs, seed=100 + seed)))
        alarms += b" 0 differences seen" not in done.stdout
    assert alarms <= 2  # 5% of ten families expected; 3 or more have p = 0.01


def test_fail_above_is_a_finding(tt_here, files):
    paths = files(base(), experiment(level_value(0.9), reps=8, noise=2.0, seed=2))
    done = tt_here("compare", *paths, "--fail-above", "5%")
    assert done.returncode == 1
    assert b"bandwidth va 64K read: -" in done.stderr
    assert tt_here("compare", *paths, "--fail-above", "20").returncode == 0


def test_better_is_no_failure(tt_here, files):
    better = experiment(level_value(1.5), reps=8, noise=2.0, seed=2)
    assert tt_here("compare", *files(base(), better), "--fail-above", "5").returncode == 0
    cycles = dict(metric="time", unit="cycles", reps=8, noise=2.0)
    paths = files(experiment(level_value(1.0), **cycles), experiment(level_value(1.5), **cycles, seed=2))
    assert tt_here("compare", *paths, "--fail-above", "5").returncode == 1


@pytest.mark.parametrize(
    "b, why",
    [
        (base(source="emulation"), "from emulation in B"),
        (base(check=2), "CHECK levels: 0 against 2"),
        (base(arch="alpha"), "different machines: arch"),
        (base().bytes().replace(b'"block":3', b'"block":4', 1), "damaged record"),
        (base().bytes()[:-150], "no end record"),
        (base(metric="read", unit="cycles"), "read is MB/s"),
    ],
    ids=["source", "check", "arch", "damaged", "cut", "unit"],
)
def test_what_cannot_be_compared_is_refused_unless_told_to(tt_here, files, b, why):
    paths = files(base(), b)
    done = tt_here("compare", *paths)
    assert (done.returncode, done.stdout) == (2, b"")
    assert why in done.stderr.decode()
    done = tt_here("compare", *paths, "--anyway")
    assert done.returncode == 0
    assert why in done.stderr.decode()


def test_another_processor_is_another_machine(tt_here, files):
    other = base()
    place = next(i for i, line in enumerate(other.lines) if '"what":"cpu"' in line)
    members = json.loads(other.lines[place])
    other.lines[place] = record("machine", members["seq"], what="cpu", vendor="Test", cpu="Other CPU")
    done = tt_here("compare", *files(base(), other))
    assert done.returncode == 2
    assert b"different machines: cpu" in done.stderr


def test_what_only_one_log_has_is_told(tt_here, files):
    other = experiment(level_value(1.0), levels=("buddy", "random"), reps=8, noise=2.0, seed=5)
    done = tt_here("compare", *files(base(), other))
    assert done.returncode == 0
    assert b"only in A: bandwidth: cells of level va" in done.stderr
    assert b"only in B: bandwidth: cells of level random" in done.stderr


def test_nothing_in_common(tt_here, files):
    done = tt_here("compare", *files(base(), base(exp="latency")))
    assert done.returncode == 2
    assert b"nothing in common" in done.stderr


def test_too_few_samples_have_no_interval(tt_here, files):
    done = tt_here("compare", *files(base(reps=3), base(reps=3, seed=2)))
    assert done.returncode == 0
    assert b"[too few]" in done.stdout


@pytest.mark.parametrize("words", [["--fail-above", "x"], ["--fail-above", "-3"], ["--exp", "nope"], ["--metric", "nope"]])
def test_wrong_usage(tt_here, files, words):
    assert tt_here("compare", *files(base(), base()), *words).returncode == 2
