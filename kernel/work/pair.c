/*
 * pair: the cost of one allocation and its free, by order and policy.
 *
 * Two situations. `pair`: neither splits nor merges: of two buddies one is held and the other is
 * on its list, so alloc takes it and free puts it back. `split`: only blocks of the largest order
 * are free, so each alloc splits one all the way down and each free merges it back. Smaller blocks
 * (from the edges of ranges) are taken out first. Under QEMU's -icount a tick of the clock is an
 * instruction: `make bench` counts there. The loop itself is included.
 *
 * Aged memory has no block of the largest order: there is no `split`, and `pair` is measured on a
 * block of its order that is free on the CPU's node, and so has its buddy in use; where there is
 * none, the point is missing.
 */
#include "lab/results.h"
#include "lab/say.h"

#include <math.h>

enum { PAIR, SPLIT };

static const struct metric metrics[] = {
    {"pair", "cycles", BETTER_LOWER, METRIC_CYCLES},
    {"split", "cycles", BETTER_LOWER, METRIC_CYCLES},
};

#define ROUNDS 1000

static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    (void)scale;
    x[0] = 0;
    x[1] = 3;
    x[2] = 9;
    return 3;
}

static uint64_t subject_bytes(const struct lab_scale *scale)
{
    (void)scale;
    return 32ul << 20;
}

/* Repeats the pair; the first round is not counted. There is such a block. */
static int measure(struct sample *s, unsigned point, unsigned metric, const struct place_request *q)
{
    struct memory *m = lab_memory(s);
    struct lab_interval i;
    pfn_t first = memory_alloc(m, q);
    if (first.n == PFN_NONE.n)
        return lab_fail(s, "no free block of order %u", q->order);
    memory_free(m, first, q->order);
    lab_start(&i);
    for (unsigned round = 0; round < ROUNDS; round++)
        memory_free(m, memory_alloc(m, q), q->order);
    lab_stop(&i);
    lab_measured(s, point, metric, &i, ROUNDS);
    return 0;
}

/* Takes every free block below the largest order out of the instance. */
static void take_small_blocks(struct memory *m)
{
    for (uint32_t nr = 0; nr < m->pages.count; nr++) {
        unsigned order = page_flags(&m->pages, nr) & PAGE_ORDER_MASK;
        if (order < MAX_ORDER && page_is_block(&m->pages, nr, PAGE_FREE, order))
            buddy_take(&m->nodes.lists[page_node(&m->pages, nr)], page_pfn(&m->pages, nr), order);
    }
}

/* An address in the window whose page-colouring colour is that of the block at p. */
static uintptr_t address_of_color(const struct memory *m, pfn_t p)
{
    uint64_t colors = m->color.colors, first = (ARCH_WINDOW >> PAGE_SHIFT) % colors;
    uint64_t ahead = (color_of(&m->color, p) + colors - first) % colors;
    return ARCH_WINDOW + (ahead << PAGE_SHIFT);
}

static pfn_t free_block(struct memory *m, unsigned order)
{
    for (uint32_t nr = 0; nr < m->pages.count; nr++)
        if (page_is_block(&m->pages, nr, PAGE_FREE, order) &&
            page_node(&m->pages, nr) == nodes_here(&m->nodes))
            return page_pfn(&m->pages, nr);
    return PFN_NONE;
}

static int run_aged(struct sample *s)
{
    struct memory *m = lab_memory(s);
    for (unsigned point = 0; point < lab_points(s); point++) {
        unsigned order = (unsigned)lab_x(s, point);
        pfn_t p = free_block(m, order);
        if (p.n == PFN_NONE.n)
            continue;
        struct place_request q = {.va = address_of_color(m, p), .pid = 1, .order = order};
        if (measure(s, point, PAIR, &q))
            return -1;
    }
    return 0;
}

static int run(struct sample *s)
{
    struct memory *m = lab_memory(s);
    if (!nodes_blocks(&m->nodes, MAX_ORDER))
        return run_aged(s);
    take_small_blocks(m);
    for (unsigned point = 0; point < lab_points(s); point++) {
        struct place_request q = {.va = ARCH_WINDOW, .pid = 1, .order = (unsigned)lab_x(s, point)};
        /* Per-CPU lists keep what is freed: nothing is merged to be split again. */
        if (!m->setup->pcp.batch && measure(s, point, SPLIT, &q))
            return -1;

        pfn_t held = memory_alloc(m, &q);
        if (held.n == PFN_NONE.n)
            return lab_fail(s, "no block of order %u", q.order);
        q.va = address_of_color(m, pfn(held.n ^ 1ul << q.order));
        int bad = measure(s, point, PAIR, &q);
        memory_free(m, held, q.order);
        if (bad)
            return bad;
    }
    return 0;
}

static void conclude(const struct results *r)
{
    for (unsigned level = 0; level < r->levels->count; level++)
        if (isnan(*results_cell(r, level, 0, SPLIT)))
            say("# pair, %s: nothing to split: that takes age=off and pcp=off\n",
                r->levels->level[level].name);
}

REGISTER(workload, pair) = {
    .name = "pair",
    .what = "cycles of one allocation and its free, without and with split and merge",
    .source = "kvm-unit-tests and Linux 6.1 counted the same way: README",
    .axis = "order",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .points = points,
    .subject_bytes = subject_bytes,
    .run = run,
    .conclude = conclude,
};
