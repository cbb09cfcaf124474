/*
 * Checks of a transform. Contract in fft_check.h.
 *
 * Bounds. u = 2^-53. An FFT computed with factors that are right to u satisfies |F' - F| <= 8 u
 * log2(n) |F| in the 2-norm (Higham, Accuracy and Stability of Numerical Algorithms, 24.1, with
 * its eta = mu + gamma_4 (sqrt 2 + mu) below 8 u), and |F| = sqrt(n) |x|. A single output differs
 * by no more than the whole norm. Real errors are some hundred times smaller, wrong results some
 * 10^10 times larger.
 */
#include "work/fft_check.h"

#include <math.h>
#include <stdbool.h>

#define U 0x1p-53

/* Above this many points the defining sums of all outputs take too long: then SOME of them. */
#define ALL_UP_TO 256
#define SOME      3

/* exp(-2 pi i k j / n) is computed anew every STEPS steps, and by multiplication in between. */
#define STEPS 64

/* A sum with its rounding errors carried along (Kahan), error 2 u times the sum of magnitudes. */
struct sum {
    double value, lost;
};

static void sum_add(struct sum *s, double v)
{
    double y = v - s->lost, t = s->value + y;
    s->lost = (t - s->value) - y;
    s->value = t;
}

static double draw(struct rng *rng)
{
    return (double)(int64_t)rng_next(rng) * 0x1p-63;
}

void fft_fill(double *x, uint32_t n, struct rng rng)
{
    for (size_t i = 0; i < 2 * (size_t)n; i++)
        x[i] = draw(&rng);
}

static double bound_of_fft(uint32_t n)
{
    return 8 * U * log2(n);
}

/* 2-norm of the input. */
static double norm_of_input(uint32_t n, struct rng rng)
{
    struct sum s = {0, 0};
    for (size_t i = 0; i < 2 * (size_t)n; i++) {
        double v = draw(&rng);
        sum_add(&s, v * v);
    }
    return sqrt(s.value);
}

/* Output k by its definition; *re, *im are off by at most 4 u STEPS sum |x|. */
static void defining_sum(uint32_t n, uint32_t k, struct rng rng, double *re, double *im)
{
    struct sum sr = {0, 0}, si = {0, 0};
    double angle = 2 * M_PI / n, c = 1, s = 0, step_c = cos(angle * k), step_s = sin(angle * k);
    for (uint32_t j = 0; j < n; j++) {
        if (j % STEPS == 0) {
            double a = angle * (double)((uint64_t)j * k % n);
            c = cos(a);
            s = sin(a);
        }
        double xr = draw(&rng), xi = draw(&rng), t = c * step_c - s * step_s;
        sum_add(&sr, xr * c + xi * s);
        sum_add(&si, xi * c - xr * s);
        s = s * step_c + c * step_s;
        c = t;
    }
    *re = sr.value;
    *im = si.value;
}

static bool output_is_right(const double *x, uint32_t n, uint32_t k, struct rng rng, double norm)
{
    double re, im;
    defining_sum(n, k, rng, &re, &im);
    /* sum |x| <= sqrt(n) |x| in the 2-norm */
    double bound = (bound_of_fft(n) + 8 * U * STEPS) * sqrt(n) * norm;
    return hypot(x[2 * (size_t)k] - re, x[2 * (size_t)k + 1] - im) <= bound;
}

static bool parseval_holds(const double *x, uint32_t n, double norm)
{
    struct sum s = {0, 0};
    for (size_t i = 0; i < 2 * (size_t)n; i++)
        sum_add(&s, x[i] * x[i]);
    double ratio = s.value / (n * norm * norm);
    /* twice the FFT's for the square, and a few roundings of the sums */
    return fabs(ratio - 1) <= 2.1 * bound_of_fft(n) + 16 * U;
}

const char *fft_check_forward(const double *x, uint32_t n, struct rng rng)
{
    double norm = norm_of_input(n, rng);
    struct rng pick = rng_stream(rng.state, n);
    if (!parseval_holds(x, n, norm))
        return "the outputs' sum of squares is not n times the inputs' (Parseval)";
    unsigned outputs = n <= ALL_UP_TO ? n : SOME;
    for (unsigned i = 0; i < outputs; i++) {
        uint32_t k = n <= ALL_UP_TO ? i : rng_below(&pick, n);
        if (!output_is_right(x, n, k, rng, norm))
            return "an output is not the sum that defines it";
    }
    return NULL;
}

const char *fft_check_round_trip(const double *x, uint32_t n, struct rng rng, unsigned trips)
{
    double norm = norm_of_input(n, rng);
    struct sum s = {0, 0};
    for (size_t i = 0; i < 2 * (size_t)n; i++) {
        double d = x[i] - draw(&rng);
        sum_add(&s, d * d);
    }
    if (sqrt(s.value) <= 2.1 * trips * bound_of_fft(n) * norm)
        return NULL;
    return "forward and inverse do not give the input back";
}
