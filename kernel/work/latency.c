/*
 * latency: a pointer chase through all lines of a working set, in random order.
 *
 * Every load's address is the value of the load before, so the processor cannot overlap them, and
 * the order is one random cycle through all lines (Sattolo), so no prefetcher follows it. One line
 * is LINE bytes whatever the machine's own line size; on a machine with larger lines two nodes
 * share one. As lat_mem_rd of LMbench 2, but for the random order.
 */
#include "core/rng.h"
#include "lab/placement.h"
#include "work/sweep.h"

#include <stdlib.h>

#define LINE 64

enum { LOAD = PLACE_METRICS };

static const struct metric metrics[] = {
    LAB_PLACEMENT_METRICS,
    {"load", "ns", BETTER_LOWER, METRIC_TIME},
};

/* Links n lines at base into one random cycle; order: scratch for n numbers. */
static void build_chain(char *base, uint32_t n, uint32_t *order, struct rng rng)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = rng_below(&rng, i - 1), t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }
    for (uint32_t i = 0; i < n; i++)
        *(void **)(base + (uint64_t)order[i] * LINE) = base + (uint64_t)order[(i + 1) % n] * LINE;
}

static void *chase(void *at, uint64_t steps)
{
    while (steps--)
        at = *(void *volatile *)at;
    return at;
}

static int measure(struct sample *s, unsigned point, char *base)
{
    uint32_t lines = (uint32_t)(lab_x(s, point) / LINE);
    uint32_t *order = malloc(lines * sizeof *order);
    if (!order)
        return lab_fail(s, "no memory left for an order of %u lines", (unsigned)lines);
    build_chain(base, lines, order, rng_stream(lab_seed(s), point));
    free(order);
    uint64_t steps = (uint64_t)lines * lab_passes(s);
    struct lab_interval i;
    void *at = chase(base, lines);
    lab_start(&i);
    at = chase(at, steps);
    lab_stop(&i);
    __asm__ volatile("" ::"r"(at));
    lab_measured(s, point, LOAD, &i, steps);
    return 0;
}

static int run(struct sample *s)
{
    for (unsigned point = 0; point < lab_points(s); point++) {
        char *base = lab_grow(s, lab_x(s, point));
        if (!base)
            return 0; /* the points that did not fit stay missing */
        lab_placement(s, point);
        if (measure(s, point, base))
            return -1;
    }
    return 0;
}

REGISTER(workload, latency) = {
    .name = "latency",
    .what = "dependent loads through all lines of a working set in random order",
    .source = "LMbench 2 lat_mem_rd; seed 002's L2 column",
    .axis = "bytes",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .points = sweep_points,
    .subject_bytes = sweep_subject_bytes,
    .run = run,
};
