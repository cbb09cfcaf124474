/*
 * Statistics of small samples: the same code on the target and in the host tests.
 *
 * Every function takes raw samples and says its method; none divides by zero, and zero variance
 * is a valid result (an interval of width zero). Differences between values must not be smaller
 * than 1e-150 or larger than 1e150, where their squares leave the range of double. Reference:
 * scipy and exact fractions, in tests/data.
 */
#ifndef TT_LAB_STATS_H
#define TT_LAB_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct stats {
    size_t n;
    double mean;
    double s; /* sample standard deviation, n - 1; 0 for n < 2 */
    double median, min, max;
};

/* Reorders nothing: v is const; scratch holds n doubles. */
struct stats stats_of(const double *v, size_t n, double *scratch);

/* 95% interval of a difference; valid only when known is true (n >= 2). */
struct interval {
    bool known;
    double diff;   /* point estimate: mean of b[i] - a[i] */
    double lo, hi; /* 95% confidence interval of diff */
};

/*
 * Paired by block: a[i] and b[i] come from the same block of a randomised complete block design.
 * Student's t on the differences b[i] - a[i], n - 1 degrees of freedom.
 */
struct interval stats_paired_t(const double *a, const double *b, size_t n);
#define STATS_PAIRED_T_METHOD "paired t by block"

/* Two-sided 95% quantile of Student's t with df >= 1 degrees of freedom. */
double stats_t95(double df);

#endif
