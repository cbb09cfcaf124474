/*
 * Statistics of small samples. See stats.h.
 */
#include "lab/stats.h"

#include "lab/student.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean_of(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return n ? sum / (double)n : 0;
}

/* Sample standard deviation, in two passes: the squares of large close values would cancel. */
static double deviation_of(const double *v, size_t n, double mean)
{
    double squares = 0, rest = 0;
    if (n < 2)
        return 0;
    for (size_t i = 0; i < n; i++) {
        squares += (v[i] - mean) * (v[i] - mean);
        rest += v[i] - mean; /* what rounding left in the mean */
    }
    squares -= rest * rest / (double)n;
    return squares > 0 ? sqrt(squares / (double)(n - 1)) : 0;
}

struct stats stats_of(const double *v, size_t n, double *scratch)
{
    struct stats s = {.n = n};
    if (!n)
        return s;
    memcpy(scratch, v, n * sizeof(*v));
    qsort(scratch, n, sizeof(*scratch), by_value);
    s.min = scratch[0];
    s.max = scratch[n - 1];
    s.median = n % 2 ? scratch[n / 2] : scratch[n / 2 - 1] / 2 + scratch[n / 2] / 2;
    if (s.min == s.max) { /* exactly alike: no rounding error may look like a spread */
        s.mean = s.min;
        return s;
    }
    s.mean = mean_of(v, n);
    s.s = deviation_of(v, n, s.mean);
    return s;
}

double stats_t95(double df)
{
    /* P(|T| > t) falls with t. 12.7 is the quantile of 1 degree of freedom, 1.96 of infinitely
     * many. */
    double lo = 1.9, hi = 12.8;
    for (int i = 0; i < 60; i++) { /* 10.9 / 2^60: the doubles' own resolution */
        double middle = (lo + hi) / 2;
        if (student_two_tails(middle, df) > 0.05)
            lo = middle;
        else
            hi = middle;
    }
    return (lo + hi) / 2;
}

struct interval stats_paired_t(const double *a, const double *b, size_t n)
{
    struct interval r = {0};
    double sum = 0, squares = 0, rest = 0;
    bool alike = true;

    if (n < 2)
        return r;
    for (size_t i = 0; i < n; i++) {
        alike &= b[i] - a[i] == b[0] - a[0];
        sum += b[i] - a[i];
    }
    r.known = true;
    r.diff = alike ? b[0] - a[0] : sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        double d = b[i] - a[i] - r.diff;
        squares += d * d;
        rest += d;
    }
    squares -= rest * rest / (double)n;
    /* Differences that are exactly alike are a valid result: an interval of width zero. */
    double error = alike || squares <= 0 ? 0 : sqrt(squares / (double)(n - 1) / (double)n);
    double half = error > 0 ? stats_t95((double)(n - 1)) * error : 0;
    r.lo = r.diff - half;
    r.hi = r.diff + half;
    return r;
}
