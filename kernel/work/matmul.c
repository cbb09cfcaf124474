/*
 * matmul: Mflop/s of C = A x B, n x n doubles, over n; loop orders are levels (loop=).
 *
 * A, B and C lie one behind the other in mapped pages, rows without padding, as a program of 2003
 * would have them. A and B are filled with random fractions just before, which warms what can be
 * warm; each pass computes the whole product, clearing C included where the loop order needs it,
 * and counts 2 n^3 flops. With rows= only the first rows of the product are computed: each goes
 * through all of B, so a part of a large product says the same, in a part of the time. The last
 * product is checked against A (B v) for a random v; a wrong one ends the experiment.
 */
#include "work/matmul_core.h"

#include "core/rng.h"
#include "lab/axis.h"
#include "lab/factor.h"
#include "lab/placement.h"
#include "work/sweep.h"

#include <stdlib.h>

enum { MULTIPLY = PLACE_METRICS };

static const struct metric metrics[] = {
    LAB_PLACEMENT_METRICS,
    {"multiply", "Mflop/s", BETTER_HIGHER, METRIC_RATE},
};

static const char *const loop_words[] = {"ijk", "ikj", "blocked", NULL};
static const matmul_fn loops[] = {matmul_ijk, matmul_ikj, matmul_blocked};

REGISTER_CHOICE(loop, "matmul", "ijk", "ijk,ikj,blocked|all", "loop orders of matmul", loop_words);

/* Parts of the product's rows: the i-th is 2^-i of them. */
static const char *const row_words[] = {"all", "half", "quarter", "eighth", NULL};

REGISTER_CHOICE(rows, "matmul", "all", "all,half,quarter,eighth",
                "how many of the product's rows matmul computes", row_words);

/* 256: 1.5 MiB, a second's work under emulation. 4096 is 384 MiB and 137 Gflop. */
REGISTER_AXIS(n, "matmul", 1, 4096, AXIS_NUMBERS, "N[,N...]", "rows of matmul's matrices", 256);

static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    (void)scale;
    return axis_points(&n_axis, x);
}

static uint64_t bytes_of(uint64_t n)
{
    return 3 * n * n * sizeof(double);
}

static uint64_t subject_bytes(const struct lab_scale *scale)
{
    return sweep_subject_for(scale, bytes_of(axis_largest(&n_axis)));
}

/* Fractions in [-1, 1): numbers that round, as real ones do. */
static void fill(double *v, uint64_t count, struct rng *rng)
{
    for (uint64_t i = 0; i < count; i++)
        v[i] = (double)(int64_t)rng_next(rng) * 0x1p-63;
}

static uint64_t rows_of(const struct sample *s, uint64_t n)
{
    return max_u64(n >> lab_choice(s, &rows_factor), 1);
}

static void measure(struct sample *s, unsigned point, double *c, const double *a, const double *b)
{
    uint64_t n = lab_x(s, point), rows = rows_of(s, n);
    matmul_fn multiply = loops[lab_choice(s, &loop_factor)];
    struct lab_interval i;
    lab_start(&i);
    for (unsigned pass = 0; pass < lab_passes(s); pass++)
        multiply(c, a, b, n, rows);
    lab_stop(&i);
    lab_measured(s, point, MULTIPLY, &i, 2 * rows * n * n * lab_passes(s));
}

static int check_product(struct sample *s, const double *c, const double *a, const double *b,
                         uint64_t n, struct rng *rng)
{
    double *v = malloc(3 * n * sizeof *v);
    if (!v)
        return lab_fail(s, "no memory left for the check of the product");
    fill(v, n, rng);
    for (uint64_t i = 0; i < n; i++)
        v[i] = v[i] < 0 ? v[i] / 2 - 0.5 : v[i] / 2 + 0.5;
    size_t rows = rows_of(s, n), row = matmul_wrong_row(c, a, b, n, rows, v, v + n);
    free(v);
    if (row == rows)
        return 0;
    return lab_fail(s, "n = %u: row %u of the product is wrong", (unsigned)n, (unsigned)row);
}

static int run(struct sample *s)
{
    for (unsigned point = 0; point < lab_points(s); point++) {
        uint64_t n = lab_x(s, point);
        double *a = lab_grow(s, bytes_of(n));
        if (!a)
            return 0; /* the points that did not fit stay missing */
        double *b = a + n * n, *c = b + n * n;
        lab_placement(s, point);
        struct rng rng = rng_stream(lab_seed(s), point);
        fill(a, 2 * n * n, &rng);
        measure(s, point, c, a, b);
        if (check_product(s, c, a, b, n, &rng))
            return -1;
    }
    return 0;
}

REGISTER(workload, matmul) = {
    .name = "matmul",
    .what = "product of two n x n matrices of doubles, checked; 2 n^3 flops",
    .source = "seed 002 (page colouring, January 2003), result 2: n = 1000",
    .axis = "n",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .points = points,
    .subject_bytes = subject_bytes,
    .run = run,
};
