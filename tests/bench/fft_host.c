/*
 * The kernel's FFT on this host, beside FFTW 3: error and speed, for make bench.
 *
 * Error: relative, in the 2-norm, against FFTW in long double (11 more bits on x86), on random
 * data. Speed: FFTW's convention, 5 n log2 n / t, best of many runs of in-place forward
 * transforms; FFTW planned with FFTW_MEASURE, once with its SIMD code and once without, since ours
 * is scalar as on the target. A run of a small size is several transforms of data side by side, so
 * that reading the clock does not count. Each is followed by its inverse and a scaling, untimed, so
 * that numbers stay in range.
 */
#include "work/fft_core.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECONDS_EACH 0.2
#define RUNS_MIN     5
#define RUN_POINTS   1024 /* at least: 16 KiB, still in the first-level cache */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *need(void *p)
{
    if (!p) {
        fprintf(stderr, "fft_host: out of memory, or no FFTW plan\n");
        exit(2);
    }
    return p;
}

/* How many transforms of n points make a run. */
static uint32_t copies(uint32_t n)
{
    return n < RUN_POINTS ? RUN_POINTS / n : 1;
}

static void fill(double *x, uint32_t n)
{
    for (size_t i = 0; i < 2 * (size_t)n * copies(n); i++)
        x[i] = (double)random() / RAND_MAX - 0.5;
}

static void ours_forward(void *plan, double *x, uint32_t n)
{
    fft_forward(x, plan, n);
}

static void ours_inverse(void *plan, double *x, uint32_t n)
{
    fft_inverse(x, plan, n);
}

static void theirs(void *plan, double *x, uint32_t n)
{
    (void)n;
    fftw_execute_dft(plan, (fftw_complex *)x, (fftw_complex *)x);
}

/* Best time of one forward transform in a run, in seconds. */
static double best_time(double *x, uint32_t n, void (*forward)(void *, double *, uint32_t), void *f,
                        void (*inverse)(void *, double *, uint32_t), void *i)
{
    double best = INFINITY, end = now() + SECONDS_EACH;
    for (unsigned run = 0; run < RUNS_MIN || now() < end; run++) {
        double start = now();
        for (size_t c = 0; c < copies(n); c++)
            forward(f, x + 2 * c * n, n);
        double t = now() - start;
        best = t < best ? t : best;
        for (size_t c = 0; c < copies(n); c++)
            inverse(i, x + 2 * c * n, n);
        for (size_t k = 0; k < 2 * (size_t)n * copies(n); k++)
            x[k] /= n;
    }
    return best / copies(n);
}

static double theirs_time(double *x, uint32_t n, unsigned flags)
{
    fftw_complex *c = (fftw_complex *)x;
    fftw_plan f = need(fftw_plan_dft_1d((int)n, c, c, FFTW_FORWARD, FFTW_MEASURE | flags));
    fftw_plan i = need(fftw_plan_dft_1d((int)n, c, c, FFTW_BACKWARD, FFTW_MEASURE | flags));
    fill(x, n);
    double t = best_time(x, n, theirs, f, theirs, i);
    fftw_destroy_plan(f);
    fftw_destroy_plan(i);
    return t;
}

/* The exact transform of x, nearly: long double. */
static void reference(const double *x, fftwl_complex *out, uint32_t n)
{
    fftwl_plan p = need(fftwl_plan_dft_1d((int)n, out, out, FFTW_FORWARD, FFTW_ESTIMATE));
    for (size_t k = 0; k < n; k++)
        out[k] = x[2 * k] + I * (long double)x[2 * k + 1];
    fftwl_execute(p);
    fftwl_destroy_plan(p);
}

static double error_of(const double *x, const fftwl_complex *exact, uint32_t n)
{
    long double difference = 0, size = 0;
    for (size_t k = 0; k < n; k++) {
        long double complex d = x[2 * k] + I * (long double)x[2 * k + 1] - exact[k];
        difference += creall(d * conjl(d));
        size += creall(exact[k] * conjl(exact[k]));
    }
    return (double)sqrtl(difference / size);
}

static void theirs_once(double *x, uint32_t n)
{
    fftw_complex *c = (fftw_complex *)x;
    fftw_plan p = need(fftw_plan_dft_1d((int)n, c, c, FFTW_FORWARD, FFTW_ESTIMATE));
    fftw_execute(p);
    fftw_destroy_plan(p);
}

static void one_size(uint32_t n)
{
    size_t bytes = 2 * sizeof(double) * n * copies(n);
    double *x = need(fftw_malloc(bytes)), *input = need(fftw_malloc(bytes));
    fftwl_complex *exact = need(fftwl_malloc(n * sizeof *exact));
    struct fft_twiddle *t = need(malloc(fft_twiddles_count(n) * sizeof *t));
    fft_twiddles(t, n);
    fill(input, n);
    reference(input, exact, n);

    memcpy(x, input, bytes);
    fft_forward(x, t, n);
    double our_error = error_of(x, exact, n);
    memcpy(x, input, bytes);
    theirs_once(x, n);
    double their_error = error_of(x, exact, n);

    fill(x, n);
    double ours = best_time(x, n, ours_forward, t, ours_inverse, t);
    double simd = theirs_time(x, n, 0), scalar = theirs_time(x, n, FFTW_NO_SIMD);
    double flops = 5e-6 * n * log2(n);
    printf("%9u %10.2e %10.2e %9.0f %9.0f %9.0f %10.2f\n", n, our_error, their_error, flops / ours,
           flops / scalar, flops / simd, scalar / ours);
    fflush(stdout);
    free(t);
    fftwl_free(exact);
    fftw_free(input);
    fftw_free(x);
}

int main(void)
{
    srandom(1);
    printf("fft, complex double, in place: relative error (2-norm) and Mflop/s (5 n log2 n / t)\n");
    printf("%9s %10s %10s %9s %9s %9s %10s\n", "points", "error", "FFTW's", "ours", "FFTW",
           "FFTW simd", "ours/FFTW");
    for (uint32_t n = 4; n <= FFT_POINTS_MAX; n *= 4)
        one_size(n);
    return 0;
}
