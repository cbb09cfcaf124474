/*
 * fft: Mflop/s of a transform in place, forward and inverse, over numbers of points.
 *
 * The working set is the data, 16 bytes a point, and behind it the twiddle factors, 8 bytes a
 * point, all in mapped pages. Flops are FFTW's convention, 5 n log2 n, whatever the algorithm does
 * (fft_core.h). One transform of each kind comes first, unmeasured: it warms what can be warm and
 * its results are checked (fft_check.h), as is the data after the last pass; a wrong result ends
 * the experiment. Then each pass measures a forward and an inverse transform; dividing by n is not
 * measured.
 */
#include "work/fft_core.h"

#include "lab/axis.h"
#include "lab/placement.h"
#include "work/fft_check.h"
#include "work/sweep.h"

enum { FORWARD = PLACE_METRICS, INVERSE };

static const struct metric metrics[] = {
    LAB_PLACEMENT_METRICS,
    {"forward", "Mflop/s", BETTER_HIGHER, METRIC_RATE},
    {"inverse", "Mflop/s", BETTER_HIGHER, METRIC_RATE},
};

/* 64K points are half the second-level cache of seed 002's machine, 1M points eight times it. */
REGISTER_AXIS(points, "fft", 2, FFT_POINTS_MAX, AXIS_POWERS_OF_TWO, "N[,N...]",
              "sizes of the fft: powers of two, as 64K,1M", 4096, 65536);

static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    (void)scale;
    return axis_points(&points_axis, x);
}

static uint64_t bytes_of(uint64_t n)
{
    return 2 * n * sizeof(double) + fft_twiddles_count((uint32_t)n) * sizeof(struct fft_twiddle);
}

static uint64_t subject_bytes(const struct lab_scale *scale)
{
    return sweep_subject_for(scale, bytes_of(axis_largest(&points_axis)));
}

static void divide(double *x, uint32_t n)
{
    double by = 1.0 / n; /* a power of two: exact */
    for (size_t i = 0; i < 2 * (size_t)n; i++)
        x[i] *= by;
}

/* The first transforms. */
static const char *try_out(double *x, const struct fft_twiddle *t, uint32_t n, struct rng rng)
{
    fft_fill(x, n, rng);
    fft_forward(x, t, n);
    const char *wrong = fft_check_forward(x, n, rng);
    fft_inverse(x, t, n);
    divide(x, n);
    return wrong;
}

static void measure(struct sample *s, unsigned point, double *x, const struct fft_twiddle *t)
{
    uint32_t n = (uint32_t)lab_x(s, point);
    uint64_t flops = 5ul * n * (unsigned)__builtin_ctz(n) * lab_passes(s);
    struct lab_interval forward = {0}, inverse = {0}, one;
    for (unsigned pass = 0; pass < lab_passes(s); pass++) {
        lab_start(&one);
        fft_forward(x, t, n);
        lab_stop(&one);
        lab_add(&forward, &one);
        lab_start(&one);
        fft_inverse(x, t, n);
        lab_stop(&one);
        lab_add(&inverse, &one);
        divide(x, n);
    }
    lab_measured(s, point, FORWARD, &forward, flops);
    lab_measured(s, point, INVERSE, &inverse, flops);
}

static int run(struct sample *s)
{
    for (unsigned point = 0; point < lab_points(s); point++) {
        uint32_t n = (uint32_t)lab_x(s, point);
        double *x = lab_grow(s, bytes_of(n));
        if (!x)
            return 0; /* the points that did not fit stay missing */
        lab_placement(s, point);
        struct fft_twiddle *t = (struct fft_twiddle *)(x + 2 * (size_t)n);
        struct rng rng = rng_stream(lab_seed(s), point);
        fft_twiddles(t, n);
        const char *wrong = try_out(x, t, n, rng);
        if (!wrong) {
            measure(s, point, x, t);
            wrong = fft_check_round_trip(x, n, rng, lab_passes(s) + 1);
        }
        if (wrong)
            return lab_fail(s, "%u points: %s", (unsigned)n, wrong);
    }
    return 0;
}

REGISTER(workload, fft) = {
    .name = "fft",
    .what = "complex double transforms in place, checked; flops by FFTW's convention 5 n log2 n",
    .source = "seed 002 (page colouring, January 2003): FFTW on 64k and 1M points",
    .axis = "points",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .points = points,
    .subject_bytes = subject_bytes,
    .run = run,
};
