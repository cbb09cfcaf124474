"""Verdict lines: nesting, totals as the kernel's end record counts them."""

import pytest

from ttlib.ktap import Verdicts, is_ktap

NESTED = """KTAP version 1
1..3
  KTAP version 1
  1..3
  ok 1 wx
  ok 2 red_zone # SKIP no such thing
  not ok 3 poison # rax changed
not ok 1 selftest # 1 of 3 failed
ok 2 bandwidth
ok 3 odd # XFAIL known
""".splitlines()


def test_names_carry_their_parents():
    assert [v.name for v in Verdicts(NESTED).all] == [
        "selftest/wx",
        "selftest/red_zone",
        "selftest/poison",
        "selftest",
        "bandwidth",
        "odd",
    ]


def test_totals_are_over_leaves():
    assert Verdicts(NESTED).totals() == (3, 1, 1)


@pytest.mark.parametrize(
    "lines, expected",
    [
        ([], (0, 0, 0)),
        (["1..2", "ok 1 a"], (1, 1, 0)),  # planned, never reported
        (["ok 1 a", "not ok 2 b", "1..2"], (1, 1, 0)),  # plan at the end
        (["1..1", "  1..1", "  ok 1 a", "not ok 1 p # colours differ"], (1, 1, 0)),  # the parent's own failure
        (["1..1", "  1..2", "  ok 1 a", "not ok 1 p # short"], (1, 1, 0)),  # not twice
        (["1..1", "  1..1", "  1..1", "  ok 1 a", "ok 1 p"], (1, 0, 0)),
        (["ok 1 a # skip in lower case"], (0, 0, 1)),
        (["ok 1 - dash"], (1, 0, 0)),
        (["okay, nothing", "# ok 1 comment", "ok one"], (0, 0, 0)),
    ],
)
def test_totals(lines, expected):
    assert Verdicts(lines).totals() == expected


def test_a_panic_cuts_the_rest_of_the_plan_off():
    assert Verdicts(["1..3", "ok 1 a"]).totals(panicked=True) == (1, 0, 0)


def test_what_is_a_verdict_line():
    assert all(map(is_ktap, NESTED))
    assert not any(map(is_ktap, ["# ok 1", '{"tt":"end"', "PCI: ok", "1. one", ""]))
