"""The host's statistics against scipy, against definitions, and on the awkward cases."""

import math
import random
import statistics
from itertools import combinations

import pytest
import scipy.stats

from ttlib import stats

GRID = [(3, 3), (4, 4), (5, 5), (5, 9), (10, 10), (12, 7), (30, 20)]


def samples(n, m, seed, shift=0.5):
    rng = random.Random(seed)
    return [rng.gauss(0, 1) for _ in range(n)], [rng.gauss(shift, 2) for _ in range(m)]


@pytest.mark.parametrize("seed", range(20))
def test_mean_interval_is_scipys_t_interval(seed):
    a, _ = samples(2 + seed, 1, seed)
    expected = scipy.stats.t.interval(0.95, len(a) - 1, loc=statistics.mean(a), scale=scipy.stats.sem(a))
    assert stats.mean_interval(a) == pytest.approx((statistics.mean(a), *expected))


@pytest.mark.parametrize("seed", range(20))
def test_paired_difference_is_scipys_paired_t(seed):
    a, b = samples(6, 6, seed)
    interval = scipy.stats.ttest_rel(b, a).confidence_interval(0.95)
    _, lo, hi = stats.paired_difference(a, b)
    assert (lo, hi) == pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize("seed", range(20))
def test_welch_interval_holds_what_scipys_test_does_not_reject(seed):
    a, b = samples(4 + seed % 3, 5, seed)
    moments = [f(v) for v in (a, b) for f in (statistics.mean, statistics.stdev, len)]
    for bound in stats.welch_interval(*moments):
        p = scipy.stats.ttest_ind([v - bound for v in b], a, equal_var=False).pvalue
        assert p == pytest.approx(0.05)


def test_welch_without_spread_or_runs():
    assert stats.welch_interval(1, 0, 3, 4, 0, 3) == (3, 3)
    assert stats.welch_interval(1, 0.5, 1, 4, 0.5, 3) == (None, None)


def test_zero_variance_is_an_interval_of_width_zero():
    assert stats.mean_interval([3, 3, 3]) == (3, 3, 3)
    assert stats.paired_difference([1, 2], [3, 4]) == (2, 2, 2)
    assert stats.shift_interval([1] * 5, [4] * 5) == (3, 3, 3)


def test_one_value_has_no_interval():
    assert stats.mean_interval([7]) == (7, None, None)
    assert stats.deviation([7]) == 0


@pytest.mark.parametrize("n, m", GRID)
def test_null_distribution_counts_every_order(n, m):
    counts = stats._rank_sum_counts(n, m)
    assert len(counts) == n * m + 1
    assert sum(counts) == math.comb(n + m, n)
    assert counts == counts[::-1]


def test_null_distribution_is_what_enumeration_gives():
    n, m = 4, 5
    enumerated = [0] * (n * m + 1)
    for places in combinations(range(n + m), n):
        enumerated[sum(places) - n * (n - 1) // 2] += 1
    assert stats._rank_sum_counts(n, m) == enumerated


@pytest.mark.parametrize("n, m", [g for g in GRID if min(g) > 3])
@pytest.mark.parametrize("seed", range(5))
def test_shift_interval_is_where_scipys_test_does_not_reject(n, m, seed):
    a, b = samples(n, m, seed)
    estimate, lo, hi = stats.shift_interval(a, b)
    assert lo < estimate < hi

    def p(shift):
        return scipy.stats.mannwhitneyu(a, [y - shift for y in b], method="exact").pvalue

    nudge = 1e-9
    assert p(lo + nudge) > 0.05 and p(hi - nudge) > 0.05
    assert p(lo - nudge) <= 0.05 and p(hi + nudge) <= 0.05


def test_shift_interval_of_many_values_agrees_with_the_exact_one():
    a, b = samples(50, 50, 1)
    exact = stats.shift_interval(a, b)
    a2, b2 = a + [0.0], b
    normal = stats.shift_interval(a2, b2)
    assert normal == pytest.approx(exact, abs=0.15)


def test_shift_interval_covers_the_truth_in_95_of_100():
    covered = 0
    for seed in range(400):
        _, lo, hi = stats.shift_interval(*samples(8, 8, seed, shift=1.0))
        covered += lo <= 1.0 <= hi
    assert 0.93 <= covered / 400 <= 0.99  # exact method: at least 95%, within the noise of 400 trials


def test_too_few_values_have_no_interval():
    estimate, lo, hi = stats.shift_interval([1, 2, 3], [11, 12, 13])
    assert (estimate, lo, hi) == (10, None, None)


@pytest.mark.parametrize("n, m", GRID)
def test_mann_whitney_is_scipys(n, m):
    a, b = samples(n, m, 7)
    assert stats.mann_whitney(a, b) == scipy.stats.mannwhitneyu(a, b, method="exact").pvalue


def test_mann_whitney_with_ties():
    assert stats.mann_whitney([1, 1, 1], [1, 1]) == 1.0
    assert stats.mann_whitney([1, 1, 1, 1, 1], [2, 2, 2, 2, 2]) < 0.01
    a, b = [1, 2, 2, 3, 4], [2, 5, 5, 6, 7]
    assert stats.mann_whitney(a, b) == scipy.stats.mannwhitneyu(a, b, method="asymptotic").pvalue


def test_holm_by_hand():
    assert stats.holm([]) == []
    assert stats.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert stats.holm([0.5, 0.6]) == [1.0, 1.0]
    assert stats.holm([0.001]) == [0.001]


def test_holm_keeps_the_family_error_rate():
    rng = random.Random(3)
    wrong = sum(min(stats.holm([rng.random() for _ in range(20)])) < 0.05 for _ in range(2000))
    assert 0.035 < wrong / 2000 < 0.065


def test_median():
    assert stats.median([3, 1, 2]) == 2
    assert stats.median([4, 1, 2, 3]) == 2.5
