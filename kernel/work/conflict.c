/*
 * conflict: pages that share a colour beyond the ways, beside what random placement expects.
 *
 * Nothing is timed. For each size the working set is placed by the policy and counted; beside it
 * stands the exact expectation for the same number of pages drawn at random, without
 * replacement, from the frames that were free when the workload began. The free frames and not the
 * whole subject, because these are what a policy had to choose from: so on average over
 * seeds random must give exactly `expected`, however uneven the colours of the free frames are.
 * (Ageing frees frames uniformly at random, so over seeds the mean of `expected` itself is what
 * the whole subject as population gives.) `excess` is the difference of the two.
 */
#include "work/conflict_theory.h"

#include "lab/placement.h"
#include "work/sweep.h"

#include <stdlib.h>

enum { EXPECTED = PLACE_METRICS, EXCESS };

static const struct metric metrics[] = {
    LAB_PLACEMENT_METRICS,
    {"expected", "pages", BETTER_NONE, METRIC_COUNT, .source = "theory"},
    {"excess", "pages", BETTER_LOWER, METRIC_COUNT, .source = "theory"},
};

/* Free frames of each colour. O(frames). */
static void count_free(const struct memory *m, uint32_t *by_color)
{
    for (uint32_t nr = 0; nr < m->pages.count; nr++) {
        uint32_t flags = page_flags(&m->pages, nr);
        if ((flags & PAGE_STATE_MASK) != (uint32_t)PAGE_FREE << PAGE_STATE_SHIFT)
            continue;
        uint64_t first = page_pfn(&m->pages, nr).n, count = 1ul << (flags & PAGE_ORDER_MASK);
        for (uint64_t i = 0; i < count; i++)
            by_color[color_of(&m->color, pfn(first + i))]++;
    }
}

static void measure(struct sample *s, const uint32_t *free_by_color)
{
    const struct memory *m = lab_memory(s);
    unsigned ways = m->setup->color.ways;
    for (unsigned point = 0; point < lab_points(s); point++) {
        if (!lab_grow(s, lab_x(s, point)))
            return; /* the points that did not fit stay missing */
        double expected =
            conflict_expected(free_by_color, m->color.colors, ways, lab_x(s, point) >> PAGE_SHIFT);
        double conflict = (double)lab_placement(s, point);
        lab_value(s, point, EXPECTED, expected, false);
        lab_value(s, point, EXCESS, conflict - expected, false);
    }
}

static int run(struct sample *s)
{
    struct memory *m = lab_memory(s);
    uint32_t *free_by_color = calloc(m->color.colors, sizeof *free_by_color);
    if (!free_by_color)
        return lab_fail(s, "no memory left for %u colours", (unsigned)m->color.colors);
    count_free(m, free_by_color);
    measure(s, free_by_color);
    free(free_by_color);
    return 0;
}

REGISTER(workload, conflict) = {
    .name = "conflict",
    .what = "pages that share a colour beyond the ways, beside random placement's expectation",
    .source = "Kessler and Hill 1992; the hypergeometric law, exactly",
    .axis = "bytes",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .points = sweep_points,
    .subject_bytes = sweep_subject_bytes,
    .run = run,
};
