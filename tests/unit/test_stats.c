/*
 * Statistics against scipy and exact fractions (tests/data/stats_reference.h), and properties that
 * hold for all samples.
 */
#include "host.h"

#include "core/rng.h"
#include "lab/stats.h"
#include "lab/student.h"

#include "../data/stats_reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* |got - want| within rel of |want|, or within abs. */
static void assert_close(double got, double want, double rel, double abs, const char *what)
{
    if (!(fabs(got - want) <= rel * fabs(want) + abs))
        fail_msg("%s: %.17g is not %.17g", what, got, want);
}

/* For 1 and 2 degrees of freedom the quantile can be written down. */
static void quantiles_in_closed_form(void **state)
{
    (void)state;
    assert_close(stats_t95(1), tan(0.475 * M_PI), 1e-14, 0, "t95(1)");
    assert_close(stats_t95(2), 0.95 * sqrt(2 / (1 - 0.95 * 0.95)), 1e-14, 0, "t95(2)");
}

static void quantiles_are_scipys(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(reference_t95); i++)
        assert_close(stats_t95(reference_t95[i].df), reference_t95[i].t95, 1e-12, 0, "t95");
}

static void tails_are_scipys(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(reference_tails); i++)
        assert_close(student_two_tails(reference_tails[i].t, reference_tails[i].df),
                     reference_tails[i].p, 1e-9, 1e-15, "two tails");
}

static void samples_are_as_computed_exactly(void **state)
{
    (void)state;
    double scratch[32];
    for (size_t i = 0; i < ARRAY_SIZE(reference_samples); i++) {
        __typeof__(&reference_samples[0]) r = &reference_samples[i];
        struct stats s = stats_of(r->a, r->n, scratch);
        assert_int_equal(s.n, r->n);
        assert_close(s.mean, r->mean, 1e-15, 0, r->name);
        assert_close(s.s, r->s, 1e-12, 0, r->name);
        assert_close(s.median, r->median, 1e-15, 0, r->name);
        assert_true(s.min == r->min && s.max == r->max);
        struct interval d = stats_paired_t(r->a, r->b, r->n);
        assert_true(d.known);
        double width =
            r->hi - r->lo; /* the error of a bound is one of the width, not of the value */
        assert_close(d.diff, r->diff, 1e-13, 1e-13 * width, r->name);
        assert_close(d.lo, r->lo, 0, 1e-12 * width, r->name);
        assert_close(d.hi, r->hi, 0, 1e-12 * width, r->name);
    }
}

static void too_few(void **state)
{
    (void)state;
    double v = 7, scratch;
    struct stats s = stats_of(&v, 0, &scratch);
    assert_true(s.n == 0 && s.mean == 0 && s.s == 0);
    s = stats_of(&v, 1, &scratch);
    assert_true(s.n == 1 && s.mean == 7 && s.s == 0 && s.median == 7 && s.min == 7 && s.max == 7);
    assert_false(stats_paired_t(&v, &v, 0).known);
    assert_false(stats_paired_t(&v, &v, 1).known);
}

/* 0.1 has no exact double: a mean by summing and dividing would differ from it. */
static void zero_variance_is_exact(void **state)
{
    (void)state;
    double a[10], b[10], scratch[10];
    for (size_t n = 2; n <= 10; n++) {
        for (size_t i = 0; i < n; i++) {
            a[i] = 0.1;
            b[i] = 0.4;
        }
        struct stats s = stats_of(a, n, scratch);
        assert_true(s.mean == 0.1 && s.s == 0 && s.median == 0.1);
        struct interval d = stats_paired_t(a, b, n);
        assert_true(d.known && d.diff == 0.4 - 0.1 && d.lo == d.diff && d.hi == d.diff);
        d = stats_paired_t(a, a, n);
        assert_true(d.known && d.diff == 0 && d.lo == 0 && d.hi == 0);
    }
}

static void properties(void **state)
{
    (void)state;
    struct rng g = rng_stream(11, 11);
    for (int round = 0; round < 5000; round++) {
        double a[40], b[40], copy[40], scratch[40];
        size_t n = 2 + rng_below(&g, 39);
        for (size_t i = 0; i < n; i++) {
            a[i] = (double)(int64_t)rng_next(&g) / (double)(1 + rng_below(&g, 1000000));
            b[i] = a[i] + rng_below(&g, 1000);
        }
        memcpy(copy, a, sizeof(copy));
        struct stats s = stats_of(a, n, scratch);
        assert_memory_equal(copy, a, n * sizeof(*a)); /* reorders nothing */
        assert_true(s.min <= s.median && s.median <= s.max);
        assert_true(s.min <= s.mean && s.mean <= s.max);
        assert_true(s.s >= 0 && s.s <= (s.max - s.min));
        struct interval d = stats_paired_t(a, b, n), e = stats_paired_t(b, a, n);
        assert_true(d.known && d.lo <= d.diff && d.diff <= d.hi);
        assert_true(d.diff == -e.diff && d.lo == -e.hi && d.hi == -e.lo);
    }
}

/* The interval must hold the true difference in 95 of 100 trials: checked, not derived. */
static void coverage(void **state)
{
    (void)state;
    struct rng g = rng_stream(12, 12);
    const int trials = 20000;
    for (size_t n = 2; n <= 8; n += 3) {
        int held = 0;
        for (int t = 0; t < trials; t++) {
            double a[8], b[8];
            for (size_t i = 0; i < n; i++) {
                double sum = 0; /* of 12 uniform numbers: nearly normal, variance 1 */
                for (int k = 0; k < 12; k++)
                    sum += (double)(rng_next(&g) >> 11) / 9007199254740992.0;
                a[i] = 50;
                b[i] = 50 + 3 + sum - 6;
            }
            struct interval d = stats_paired_t(a, b, n);
            held += d.lo <= 3 && 3 <= d.hi;
        }
        /* Standard error of the rate is 0.15%: four of them. */
        assert_in_range(held, trials * 944 / 1000, trials * 956 / 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_in_closed_form),
        cmocka_unit_test(quantiles_are_scipys),
        cmocka_unit_test(tails_are_scipys),
        cmocka_unit_test(samples_are_as_computed_exactly),
        cmocka_unit_test(too_few),
        cmocka_unit_test(zero_variance_is_exact),
        cmocka_unit_test(properties),
        cmocka_unit_test(coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
