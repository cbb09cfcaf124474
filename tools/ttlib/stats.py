"""Statistics of small samples. Every function says its method, and None means "cannot be known".

Between the levels of one log, values are paired by block (Student's t on the differences). Between two
logs nothing is paired: ranks (Mann-Whitney), and the interval that belongs to them
(Hodges-Lehmann). Zero variance is a valid result.
"""

import functools
import math

CONFIDENCE = 0.95


def median(values):
    v = sorted(values)
    middle = len(v) // 2
    return v[middle] if len(v) % 2 else (v[middle - 1] + v[middle]) / 2


def mean(values):
    return math.fsum(values) / len(values)


def deviation(values):
    """Sample standard deviation; 0 for a single value."""
    if len(values) < 2 or min(values) == max(values):
        return 0.0  # of equal values exactly: their mean may be off by a rounding
    m = mean(values)
    return math.sqrt(math.fsum((v - m) ** 2 for v in values) / (len(values) - 1))


def t_quantile(df):
    from scipy.stats import t

    return float(t.ppf((1 + CONFIDENCE) / 2, df))


def mean_interval(values):
    """(mean, lo, hi): 95% interval by Student's t; lo and hi None below two values."""
    m = mean(values)
    if len(values) < 2:
        return m, None, None
    half = t_quantile(len(values) - 1) * deviation(values) / math.sqrt(len(values))
    return m, m - half, m + half


def paired_difference(a, b):
    """(mean of b - a, lo, hi): 95% interval by paired t; as the kernel's summary."""
    return mean_interval([y - x for x, y in zip(a, b, strict=True)])


def welch_interval(m0, s0, n0, m1, s1, n1):
    """95% interval of m1 - m0 from means, deviations and numbers alone (Welch); (None, None) below two."""
    if min(n0, n1) < 2:
        return None, None
    v0, v1 = s0**2 / n0, s1**2 / n1
    if not v0 + v1:
        return m1 - m0, m1 - m0
    df = (v0 + v1) ** 2 / (v0**2 / (n0 - 1) + v1**2 / (n1 - 1))
    half = t_quantile(df) * math.sqrt(v0 + v1)
    return m1 - m0 - half, m1 - m0 + half


def mann_whitney(a, b):
    """Two-sided p; exact without ties, else the normal approximation with correction for ties."""
    from scipy.stats import mannwhitneyu

    if len(set(a) | set(b)) == 1:
        return 1.0  # all alike: no rank tells them apart
    ties = len(set(a) | set(b)) < len(a) + len(b)
    method = "exact" if not ties and min(len(a), len(b)) <= 50 else "asymptotic"
    return float(mannwhitneyu(a, b, alternative="two-sided", method=method).pvalue)


@functools.lru_cache(maxsize=64)
def _rank_sum_counts(n, m):
    """How many of the C(n+m, n) orders give U = 0, 1, ... n*m (the two samples' null distribution)."""
    counts = [1]
    for i in range(1, n + 1):
        # multiply by (1 - q^(m+i)) and divide by (1 - q^i): Gaussian binomial coefficients
        longer = counts + [0] * m
        for k in range(len(longer) - 1, m + i - 1, -1):
            longer[k] -= longer[k - m - i]
        for k in range(i, len(longer)):
            longer[k] += longer[k - i]
        counts = longer
    return counts


def shift_interval(a, b):
    """
    (Hodges-Lehmann estimate of b - a, lo, hi): the median of all differences, and the 95% interval
    between two of them by the exact distribution of U (normal above 50 values). lo and hi are None
    when the samples are too few for any interval of that confidence (3 against 4, say).
    """
    differences = sorted(y - x for x in a for y in b)
    n, m = len(a), len(b)
    tail = (1 - CONFIDENCE) / 2
    if max(n, m) <= 50:
        counts = _rank_sum_counts(n, m)
        allowed, total, k = tail * math.comb(n + m, n), 0, 0
        while total + counts[k] <= allowed:
            total += counts[k]
            k += 1
    else:
        from scipy.stats import norm

        k = math.floor(n * m / 2 + norm.ppf(tail) * math.sqrt(n * m * (n + m + 1) / 12))
    if k < 1:
        return median(differences), None, None
    return median(differences), differences[k - 1], differences[-k]


def holm(p_values):
    """Holm's correction: each p so that all of them together keep their error rate."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected, worst = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1.0, p_values[i] * (len(p_values) - rank)))
        corrected[i] = worst
    return corrected
