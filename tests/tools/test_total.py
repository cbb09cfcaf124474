"""tools/test-total: its last line is the truth about what it ran."""

import subprocess

import pytest
from paths import ROOT


def total(*words, cwd=ROOT):
    done = subprocess.run([ROOT / "tools" / "test-total", *map(str, words)], capture_output=True, text=True, cwd=cwd)
    return done.returncode, done.stdout.splitlines()[-1]


@pytest.fixture
def binary(tmp_path):
    def make(text, status=0, name="unit"):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n[ $CMOCKA_MESSAGE_OUTPUT = TAP ] || exit 9\ncat <<'EOT'\n{text}\nEOT\nexit {status}\n")
        path.chmod(0o755)
        return path

    return make


@pytest.mark.parametrize(
    "text, status, line",
    [
        ("1..2\nok 1 - a\nok 2 - b", 0, "2 passed, 0 failed"),
        ("1..1\nok 1 - a\n1..1\nok 1 - b", 0, "2 passed, 0 failed"),  # two groups
        ("1..2\nok 1 - a\nnot ok 2 - b", 1, "1 passed, 1 failed"),
        ("1..2\nok 1 - a\nok 2 # SKIP b", 0, "1 passed, 0 failed, 1 skipped"),
        ("1..5\nok 1 - a", 134, "1 passed, 4 failed"),  # it died
        ("1..1\nok 1 - a", 23, "1 passed, 1 failed"),  # a leak found at its end
        ("", 0, "0 passed, 1 failed"),
        ("hello", 0, "0 passed, 1 failed"),
    ],
)
def test_unit_binaries_are_counted_by_case(binary, text, status, line):
    assert total("--unit", binary(text, status)) == (0 if " 0 failed" in line else 1, line)


def test_a_binary_that_is_not_there_has_failed():
    assert total("--unit", "/no/such/binary") == (1, "0 passed, 1 failed")


def test_nothing_ran_is_a_failure():
    assert total() == (1, "0 passed, 0 failed")


SUITE = """
import pytest
@pytest.mark.parametrize("n", [1, 2, 3])
def test_good(n): pass
@pytest.mark.skip
def test_skipped(): pass
@pytest.mark.long
def test_long(): pass
"""


@pytest.mark.parametrize(
    "more, words, line",
    [
        ("", [], "3 passed, 0 failed, 1 skipped"),
        ("", ["--long"], "1 passed, 0 failed"),
        ("def test_bad(): assert 0\n", [], "3 passed, 1 failed, 1 skipped"),
        ("@pytest.fixture\ndef f(): 1/0\ndef test_error(f): pass\n", [], "3 passed, 1 failed, 1 skipped"),
        ("import no_such_module\n", [], "0 passed, 1 failed"),
    ],
)
def test_pytest_suites_are_counted_by_case(tmp_path, more, words, line):
    (tmp_path / "test_x.py").write_text(SUITE + more)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = long\n")
    assert total(*words, "--pytest", tmp_path) == (0 if " 0 failed" in line else 1, line)


def test_everything_is_summed(tmp_path, binary):
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "test_x.py").write_text(SUITE)
    one, two = binary("1..1\nok 1 - a", name="one"), binary("1..1\nnot ok 1 - b", 1, name="two")
    assert total("--unit", f"{one} {two}", "--pytest", tmp_path / "suite") == (1, "4 passed, 1 failed, 1 skipped")


def test_a_long_run_says_what_took_longest(tmp_path, binary):
    """Unit binaries and pytest cases in one list, the slowest first; the sum stays the last line."""
    one = binary("1..1\nok 1 - a", name="one")
    one.write_text(one.read_text().replace("exit 0", "sleep 2\nexit 0"))
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "test_x.py").write_text(SUITE)
    words = ["--long", "--unit", one, "--pytest", f"A=1 {tmp_path / 'suite'}"]
    done = subprocess.run([ROOT / "tools/test-total", *words], capture_output=True, text=True)
    *_, head, first, second, last = done.stdout.splitlines()
    assert head.endswith(" s in all; the slowest:")
    names, seconds = {}, []
    for line in (first, second):
        number, unit, *name = line.split()
        assert unit == "s"
        seconds.append(float(number))
        names[name[-1].replace("/", ".").rpartition(".")[2]] = name[:-1], float(number)
    assert seconds == sorted(seconds, reverse=True)
    assert set(names) == {"one", "test_long"} and names["one"][1] >= 2
    assert names["test_long"][0] == ["A=1"]
    assert last == "2 passed, 0 failed"
