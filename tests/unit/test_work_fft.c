/*
 * The FFT against its defining sum in long double, against closed forms, and its own checks
 * against transforms that are wrong on purpose.
 */
#include "host.h"

#include "work/fft_check.h"
#include "work/fft_core.h"
#include "work/fft_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define U 0x1p-53

/* A transform's memory. */
struct fft {
    uint32_t n;
    double *x;
    struct fft_twiddle *t;
};

static struct fft fft_of(uint32_t n)
{
    struct fft f = {n, malloc(2 * sizeof(double) * n),
                    malloc(fft_twiddles_count(n) * sizeof(struct fft_twiddle))};
    assert_non_null(f.x);
    assert_non_null(f.t);
    fft_twiddles(f.t, n);
    return f;
}

static void fft_free(struct fft f)
{
    free(f.x);
    free(f.t);
}

/* Relative error in the 2-norm of f.x as the transform of in. O(n^2). */
static double error_of(struct fft f, const double *in)
{
    uint32_t n = f.n;
    long double difference = 0, size = 0, *c = malloc(n * sizeof *c), *s = malloc(n * sizeof *s);
    for (uint32_t k = 0; k < n; k++) {
        c[k] = cosl(2 * acosl(-1) * k / n);
        s[k] = sinl(2 * acosl(-1) * k / n);
    }
    for (uint32_t k = 0; k < n; k++) {
        long double re = 0, im = 0;
        for (uint32_t j = 0; j < n; j++) {
            uint32_t a = (uint32_t)((uint64_t)j * k % n);
            re += in[2 * j] * c[a] + in[2 * j + 1] * s[a];
            im += in[2 * j + 1] * c[a] - in[2 * j] * s[a];
        }
        long double dr = f.x[2 * k] - re, di = f.x[2 * k + 1] - im;
        difference += dr * dr + di * di;
        size += re * re + im * im;
    }
    free(c);
    free(s);
    return (double)sqrtl(difference / size);
}

/* Errors add up at random, so they grow as sqrt(log n): 0.6 is what is seen at all sizes. */
static void forward_is_the_defining_sum(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 2048; n *= 2) {
        struct fft f = fft_of(n);
        double *in = malloc(2 * sizeof(double) * n);
        fft_fill(in, n, rng_stream(n, 1));
        memcpy(f.x, in, 2 * sizeof(double) * n);
        fft_forward(f.x, f.t, n);
        double error = error_of(f, in), bound = 0.75 * U * sqrt(log2(n));
        if (!(error <= bound))
            fail_msg("%u points: error %g is above %g", n, error, bound);
        free(in);
        fft_free(f);
    }
}

/* The inverse is the forward transform of the conjugates, conjugated: the same roundings. */
static void inverse_is_the_conjugate(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 4096; n *= 2) {
        struct fft f = fft_of(n), g = fft_of(n);
        fft_fill(f.x, n, rng_stream(n, 2));
        for (uint32_t k = 0; k < n; k++) {
            g.x[2 * k] = f.x[2 * k];
            g.x[2 * k + 1] = -f.x[2 * k + 1];
        }
        fft_inverse(f.x, f.t, n);
        fft_forward(g.x, g.t, n);
        for (uint32_t k = 0; k < n; k++) {
            assert_true(f.x[2 * k] == g.x[2 * k]);
            assert_true(f.x[2 * k + 1] == -g.x[2 * k + 1]);
        }
        fft_free(f);
        fft_free(g);
    }
}

/* exp(2 pi i j m / n) has one output, n, at m: every index ends where it should, large n too. */
static void one_frequency_is_one_output(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 1u << 16; n *= 2) {
        struct fft f = fft_of(n);
        for (uint32_t m = n / 3, step = n < 64 ? 1 : n / 7; m < n; m += step) {
            for (uint32_t j = 0; j < n; j++) {
                double a = 2 * M_PI * (double)((uint64_t)j * m % n) / n;
                f.x[2 * j] = cos(a);
                f.x[2 * j + 1] = sin(a);
            }
            fft_forward(f.x, f.t, n);
            for (uint32_t k = 0; k < n; k++) {
                double off = hypot(f.x[2 * k] - (k == m ? n : 0), f.x[2 * k + 1]);
                assert_true(off < 1e-14 * n);
            }
        }
        fft_free(f);
    }
}

static uint32_t reversed(uint32_t k, uint32_t n)
{
    uint32_t r = 0;
    for (uint32_t bit = 1; bit < n; bit *= 2)
        r = 2 * r | !!(k & bit);
    return r;
}

static void order_is_bit_reversed(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 1u << 14; n *= 2) {
        double *x = malloc(2 * sizeof *x * n);
        for (uint32_t k = 0; k < 2 * n; k++)
            x[k] = k;
        fft_bit_reverse(x, n);
        for (uint32_t k = 0; k < n; k++) {
            assert_true(x[2 * k] == 2 * reversed(k, n));
            assert_true(x[2 * k + 1] == 2 * reversed(k, n) + 1);
        }
        free(x);
    }
}

/* Factors of a larger size serve a smaller one, to the last bit. */
static void twiddles_hold_all_smaller_sizes(void **state)
{
    (void)state;
    struct fft large = fft_of(4096);
    for (uint32_t n = 1; n < 4096; n *= 2) {
        struct fft f = fft_of(n), g = fft_of(n);
        fft_fill(f.x, n, rng_stream(n, 3));
        memcpy(g.x, f.x, 2 * sizeof(double) * n);
        fft_forward(f.x, f.t, n);
        fft_forward(g.x, large.t, n);
        assert_memory_equal(f.x, g.x, 2 * sizeof(double) * n);
        fft_free(f);
        fft_free(g);
    }
    fft_free(large);
}

static void twiddles_are_right_to_the_last_place(void **state)
{
    (void)state;
    uint32_t n = 1 << 12;
    struct fft f = fft_of(n);
    for (uint32_t k = 0; k < n / 8; k++) {
        long double a = 2 * acosl(-1) * k / n;
        const struct fft_twiddle *t = &f.t[n / 8 + k];
        assert_true(fabsl(t->c1 - cosl(a)) <= 1.1L * U && fabsl(t->s1 - sinl(a)) <= 1.1L * U);
        assert_true(fabsl(t->c3 - cosl(3 * a)) <= 1.1L * U);
        assert_true(fabsl(t->s3 - sinl(3 * a)) <= 1.1L * U);
    }
    fft_free(f);
}

/* ---- the checks that the workload relies on ---------------------------------------------------
 */

static void round_trip(struct fft f)
{
    fft_inverse(f.x, f.t, f.n);
    for (size_t k = 0; k < 2 * (size_t)f.n; k++)
        f.x[k] /= f.n;
}

static void checks_accept_what_is_right(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 1u << 18; n *= 2) {
        struct fft f = fft_of(n);
        struct rng rng = rng_stream(n, 4);
        fft_fill(f.x, n, rng);
        assert_null(fft_check_round_trip(f.x, n, rng, 0));
        for (unsigned trip = 1; trip <= 4; trip++) {
            fft_forward(f.x, f.t, n);
            if (trip == 1)
                assert_null(fft_check_forward(f.x, n, rng));
            round_trip(f);
            assert_null(fft_check_round_trip(f.x, n, rng, trip));
        }
        fft_free(f);
    }
}

static void swap_outputs(double *x, uint32_t a, uint32_t b)
{
    for (unsigned part = 0; part < 2; part++) {
        double t = x[2 * a + part];
        x[2 * a + part] = x[2 * b + part];
        x[2 * b + part] = t;
    }
}

static void checks_refuse_what_is_wrong(void **state)
{
    (void)state;
    for (uint32_t n = 4; n <= 256; n *= 2) {
        struct fft f = fft_of(n);
        struct rng rng = rng_stream(n, 5);
        fft_fill(f.x, n, rng);
        fft_forward(f.x, f.t, n);
        swap_outputs(f.x, 1, n - 1); /* the inverse instead: Parseval still holds */
        assert_non_null(fft_check_forward(f.x, n, rng));
        swap_outputs(f.x, 1, n - 1);
        f.x[n] *= 1 + 1e-9;
        assert_non_null(fft_check_forward(f.x, n, rng));
        round_trip(f);
        assert_non_null(fft_check_round_trip(f.x, n, rng, 1));
        f.x[0] = NAN;
        assert_non_null(fft_check_forward(f.x, n, rng));
        assert_non_null(fft_check_round_trip(f.x, n, rng, 1));
        fft_free(f);
    }
}

/* Where only some outputs are looked at: all of them in the wrong place, or one damaged. */
static void checks_refuse_large_transforms_that_are_wrong(void **state)
{
    (void)state;
    uint32_t n = 1 << 16;
    struct fft f = fft_of(n);
    struct rng rng = rng_stream(n, 6);
    fft_fill(f.x, n, rng);
    fft_forward(f.x, f.t, n);
    fft_bit_reverse(f.x, n);
    assert_non_null(fft_check_forward(f.x, n, rng));
    fft_bit_reverse(f.x, n);
    assert_null(fft_check_forward(f.x, n, rng));
    f.x[12345] += 1;
    assert_non_null(fft_check_forward(f.x, n, rng));
    f.x[12345] -= 1;
    f.x[12345] += 1e-6;
    round_trip(f);
    assert_non_null(fft_check_round_trip(f.x, n, rng, 1));
    fft_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_is_the_defining_sum),
        cmocka_unit_test(inverse_is_the_conjugate),
        cmocka_unit_test(one_frequency_is_one_output),
        cmocka_unit_test(order_is_bit_reversed),
        cmocka_unit_test(twiddles_hold_all_smaller_sizes),
        cmocka_unit_test(twiddles_are_right_to_the_last_place),
        cmocka_unit_test(checks_accept_what_is_right),
        cmocka_unit_test(checks_refuse_what_is_wrong),
        cmocka_unit_test(checks_refuse_large_transforms_that_are_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
