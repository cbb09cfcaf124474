/*
 * The three loop orders against products known exactly and against long double, and the check of
 * a product against products that are wrong on purpose.
 */
#include "host.h"

#include "core/rng.h"
#include "work/matmul_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    matmul_fn multiply;
} orders[] = {{"ijk", matmul_ijk}, {"ikj", matmul_ikj}, {"blocked", matmul_blocked}};

/* Around the block's size, and around small powers of two. */
static const size_t sizes[] = {1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 97};

struct product {
    size_t n;
    double *a, *b, *c, *v, *scratch;
};

static double fraction(struct rng *rng)
{
    return (double)(int64_t)rng_next(rng) * 0x1p-63;
}

static struct product random_product(size_t n, uint64_t seed)
{
    struct product p = {.n = n};
    struct rng rng = rng_stream(seed, n);
    double **part[] = {&p.a, &p.b, &p.c};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++) {
        *part[i] = malloc(n * n * sizeof(double));
        for (size_t k = 0; k < n * n; k++)
            (*part[i])[k] = fraction(&rng);
    }
    p.v = malloc(n * sizeof(double));
    p.scratch = malloc(2 * n * sizeof(double));
    for (size_t k = 0; k < n; k++)
        p.v[k] = copysign(0.5, fraction(&rng)) * (2 - fabs(fraction(&rng)));
    return p;
}

static void product_free(struct product p)
{
    free(p.a);
    free(p.b);
    free(p.c);
    free(p.v);
    free(p.scratch);
}

static size_t wrong_row(struct product p)
{
    return matmul_wrong_row(p.c, p.a, p.b, p.n, p.n, p.v, p.scratch);
}

/* a[i][k] = i + k and b[k][j] = j - k: c[i][j] is a polynomial of i, j, n, exact in doubles. */
static void integers_are_exact(void **state)
{
    (void)state;
    for (size_t o = 0; o < ARRAY_SIZE(orders); o++) {
        for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
            size_t n = sizes[s];
            struct product p = random_product(n, 1);
            for (size_t i = 0; i < n * n; i++) {
                p.a[i] = (double)(i / n) + (double)(i % n);
                p.b[i] = (double)(i % n) - (double)(i / n);
            }
            orders[o].multiply(p.c, p.a, p.b, n, n);
            double sum = (double)(n * (n - 1) / 2), squares = sum * (2 * (double)n - 1) / 3;
            for (size_t i = 0; i < n * n; i++) {
                double row = (double)(i / n), column = (double)(i % n);
                double want = row * column * (double)n + (column - row) * sum - squares;
                if (p.c[i] != want)
                    fail_msg("%s, n = %zu: element %zu is %g, not %g", orders[o].name, n, i, p.c[i],
                             want);
            }
            assert_int_equal(wrong_row(p), n);
            product_free(p);
        }
    }
}

/* Each sum of n products is off by at most n u times the sum of magnitudes. */
static void fractions_are_within_rounding(void **state)
{
    (void)state;
    for (size_t o = 0; o < ARRAY_SIZE(orders); o++) {
        for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
            size_t n = sizes[s];
            struct product p = random_product(n, 2);
            orders[o].multiply(p.c, p.a, p.b, n, n);
            for (size_t i = 0; i < n * n; i++) {
                long double sum = 0, magnitude = 0;
                for (size_t k = 0; k < n; k++) {
                    long double term = (long double)p.a[i / n * n + k] * p.b[k * n + i % n];
                    sum += term;
                    magnitude += fabsl(term);
                }
                assert_true(fabsl(p.c[i] - sum) <= 1.01L * n * 0x1p-53L * magnitude);
            }
            product_free(p);
        }
    }
}

static void check_accepts_what_is_right(void **state)
{
    (void)state;
    for (size_t o = 0; o < ARRAY_SIZE(orders); o++) {
        for (uint64_t seed = 0; seed < 50; seed++) {
            struct product p = random_product(1 + seed * 2, seed);
            orders[o].multiply(p.c, p.a, p.b, p.n, p.n);
            assert_int_equal(wrong_row(p), p.n);
            product_free(p);
        }
    }
}

/* The first rows are those of the whole product, and nothing behind them is touched or checked. */
static void a_part_of_the_rows(void **state)
{
    (void)state;
    for (size_t o = 0; o < ARRAY_SIZE(orders); o++) {
        for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
            size_t n = sizes[s], rows = (n + 1) / 2;
            struct product whole = random_product(n, 4), part = random_product(n, 4);
            orders[o].multiply(whole.c, whole.a, whole.b, n, n);
            for (size_t i = 0; i < n * n; i++)
                part.c[i] = 7;
            orders[o].multiply(part.c, part.a, part.b, n, rows);
            assert_memory_equal(part.c, whole.c, rows * n * sizeof(double));
            for (size_t i = rows * n; i < n * n; i++)
                assert_true(part.c[i] == 7);
            assert_int_equal(
                matmul_wrong_row(part.c, part.a, part.b, n, rows, part.v, part.scratch), rows);
            part.c[rows * n - 1] += 1;
            assert_int_equal(
                matmul_wrong_row(part.c, part.a, part.b, n, rows, part.v, part.scratch), rows - 1);
            product_free(whole);
            product_free(part);
        }
    }
}

/* One element, anywhere, by one part in 10^9 of the largest product: its row is named. */
static void check_finds_a_wrong_element(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct product p = random_product(40, seed);
        matmul_ikj(p.c, p.a, p.b, p.n, p.n);
        struct rng rng = rng_stream(seed, 9);
        uint32_t at = rng_below(&rng, 40 * 40);
        p.c[at] += seed % 2 ? 1e-9 : -1e-9;
        assert_int_equal(wrong_row(p), at / 40);
        p.c[at] = NAN;
        assert_int_equal(wrong_row(p), at / 40);
        product_free(p);
    }
}

static void check_finds_typical_mistakes(void **state)
{
    (void)state;
    struct product p = random_product(33, 3);
    matmul_ijk(p.c, p.b, p.a, p.n, p.n); /* B A */
    assert_int_not_equal(wrong_row(p), p.n);
    matmul_ijk(p.c, p.a, p.b, p.n, p.n);
    memset(p.c + 32 * 33, 0,
           33 * sizeof(double)); /* the row behind the last whole block left out */
    assert_int_equal(wrong_row(p), 32);
    matmul_ijk(p.c, p.a, p.b, p.n, p.n);
    double t = p.c[5]; /* two elements of a row exchanged: their sum is right */
    p.c[5] = p.c[6];
    p.c[6] = t;
    assert_int_equal(wrong_row(p), 0);
    product_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(fractions_are_within_rounding),
        cmocka_unit_test(check_accepts_what_is_right),
        cmocka_unit_test(a_part_of_the_rows),
        cmocka_unit_test(check_finds_a_wrong_element),
        cmocka_unit_test(check_finds_typical_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
