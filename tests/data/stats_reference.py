#!/usr/bin/env python3
"""Writes stats_reference.h: what scipy and Python's statistics module (exact fractions) say about
samples that tests/unit/test_stats.c gives to kernel/lab/stats.c. Run by hand when a case is added;
the output is checked in, so that the unit tests need no Python.

    tests/data/stats_reference.py > tests/data/stats_reference.h
"""

import platform
import statistics

import numpy as np
import scipy
from scipy import optimize, stats

SEED = 20240501  # any; fixed, so that the output is always the same


def c_array(values):
    return "{" + ", ".join(float(v).hex() for v in values) + "}"


def t95(df):
    """scipy's tail, inverted here: its own ppf is wrong in the eighth digit for some df (13)."""
    return optimize.brentq(lambda t: 2 * stats.t.sf(t, df) - 0.05, 1.9, 13, xtol=1e-15)


def cases(rng):
    """Pairs of samples: (name, a, b)."""
    yield "two", [1.0, 2.0], [1.5, 3.5]
    yield "small integers", [1, 2, 3, 4, 5], [2, 2, 4, 4, 7]
    yield "negative differences", [5.0, 6.0, 7.5], [4.0, 4.5, 7.0]
    yield "tiny", [1e-140, 2e-140, 4e-140], [2e-140, 3e-140, 9e-140]
    yield "huge and close", [1e15 + 1, 1e15 + 2, 1e15 + 4], [1e15 + 2, 1e15 + 5, 1e15 + 6]
    for n in (3, 4, 5, 7, 10, 20, 31):
        yield f"normal {n}", rng.normal(100, 5, n), rng.normal(101, 5, n)
    for n in (5, 12):
        yield f"skewed {n}", rng.lognormal(3, 1, n), rng.lognormal(3.2, 1, n)
    yield "ties", np.round(rng.normal(10, 1, 16)), np.round(rng.normal(10, 1, 16))


def main():
    rng = np.random.default_rng(SEED)
    print("/*\n * Made by tests/data/stats_reference.py: reference values. Do not edit.")
    print(f" * Python {platform.python_version()}, scipy {scipy.__version__}.\n */")
    print("/* clang-format off */")
    print("static const struct {\n    double df, t95;\n} reference_t95[] = {")
    dfs = list(range(1, 61)) + [100, 120, 250, 1000, 10000, 1.5, 2.25, 7.9, 33.3, 512.75]
    for df in dfs:
        print(f"    {{{float(df).hex()}, {t95(df).hex()}}},")
    print("};\n")
    print("static const struct {\n    double t, df, p;\n} reference_tails[] = {")
    for df in (1, 2, 3, 4.5, 9, 30, 299, 5000):
        for t in (0, 1e-8, 0.1, 0.7, 1, 2, 3.3, 10, 50):
            p = 2 * stats.t.sf(t, df)
            if p > 1e-280:
                print(f"    {{{float(t).hex()}, {float(df).hex()}, {float(p).hex()}}},")
    print("};\n")
    print("static const struct {")
    print("    const char *name;\n    size_t n;\n    double a[32], b[32];")
    print("    double mean, s, median, min, max; /* of a */")
    print("    double diff, lo, hi;              /* of b - a, paired */")
    print("} reference_samples[] = {")
    for name, a, b in cases(rng):
        a, b = [float(v) for v in a], [float(v) for v in b]
        n = len(a)
        d = [y - x for x, y in zip(a, b)]
        half = t95(n - 1) * statistics.stdev(d) / n**0.5
        middle = statistics.mean(d)
        summary = [statistics.mean(a), statistics.stdev(a), statistics.median(a), min(a), max(a)]
        interval = [middle, middle - half, middle + half]
        print(f'    {{"{name}", {n},\n     {c_array(a)},\n     {c_array(b)},')
        print("     " + ", ".join(float(v).hex() for v in summary + interval) + "},")
    print("};")


if __name__ == "__main__":
    main()
