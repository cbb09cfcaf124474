/*
 * walk: every page descriptor read once, all bytes of it, in order or at random.
 *
 * Seed 001 argued about 56 or 64 bytes: who walks the array in order moves fewer lines with 56,
 * who comes at random touches two lines with most 56-byte descriptors and one with every aligned
 * 64-byte one. Both are here. `lines` and `one_line` are counted from the addresses, for the line
 * size of this machine (or of the modelled one): seed 001 says "7/8 of pages" for two lines, and of
 * 56-byte descriptors in 64-byte lines it is 6/8.
 */
#include "arch.h"
#include "lab/workload.h"
#include "perf/caches.h"

enum { READ, LINES, ONE_LINE };

static const struct metric metrics[] = {
    [READ] = {"read", "ns", BETTER_LOWER, METRIC_TIME},
    [LINES] = {"lines", "per page", BETTER_LOWER, METRIC_COUNT},
    [ONE_LINE] = {"one_line", "%", BETTER_HIGHER, METRIC_COUNT},
};

enum { IN_ORDER, AT_RANDOM, ORDERS };

/* A full cycle through any power of two (Hull and Dobell 1962); the constants are Knuth's. */
#define NEXT(i, mask) (((i)*1664525u + 1013904223u) & (mask))

static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    (void)scale;
    x[0] = IN_ORDER;
    x[1] = AT_RANDOM;
    return ORDERS;
}

/* 32768 descriptors of 4K pages: 1.75 to 2 MiB of them, more than most of the modelled caches. */
static uint64_t subject_bytes(const struct lab_scale *scale)
{
    (void)scale;
    return 32768ul << PAGE_SHIFT;
}

static uint32_t power_of_two_below(uint32_t n)
{
    while (n & (n - 1))
        n &= n - 1;
    return n;
}

/* Every 32-bit word of n descriptors; next: the order. */
static void walk(const struct pages *p, uint32_t n, bool at_random)
{
    unsigned words = p->shape->size_bytes / 4;
    uint32_t nr = 0;
    for (uint32_t i = 0; i < n; i++) {
        const volatile uint32_t *d = (const volatile uint32_t *)page_at(p, nr);
        for (unsigned w = 0; w < words; w++)
            (void)d[w];
        nr = at_random ? NEXT(nr, n - 1) : nr + 1;
    }
}

static unsigned line_bytes(void)
{
    struct arch_cache c[8];
    return machine_caches(c, ARRAY_SIZE(c)) ? c[0].line_bytes : 64;
}

static void count_lines(struct sample *s, unsigned point, const struct pages *p, uint32_t n)
{
    uint64_t line = line_bytes(), touched = 0, distinct = 0, single = 0, last = 0;
    for (uint32_t nr = 0; nr < n; nr++) {
        uint64_t first = (uintptr_t)page_at(p, nr) / line;
        uint64_t end = ((uintptr_t)page_at(p, nr) + p->shape->size_bytes - 1) / line;
        touched += end - first + 1;
        single += end == first;
        /* In order, a line that the descriptor before touched is there already. */
        distinct += end - first + 1 - (nr && first == last);
        last = end;
    }
    uint64_t lines = lab_x(s, point) == IN_ORDER ? distinct : touched;
    lab_value(s, point, LINES, (double)lines / n, false);
    lab_value(s, point, ONE_LINE, 100.0 * (double)single / n, false);
}

static int run(struct sample *s)
{
    const struct pages *p = &lab_memory(s)->pages;
    uint32_t n = power_of_two_below(p->count);
    for (unsigned point = 0; point < lab_points(s); point++) {
        bool at_random = lab_x(s, point) == AT_RANDOM;
        struct lab_interval i;
        walk(p, n, at_random);
        lab_start(&i);
        for (unsigned pass = 0; pass < lab_passes(s); pass++)
            walk(p, n, at_random);
        lab_stop(&i);
        lab_measured(s, point, READ, &i, (uint64_t)n * lab_passes(s));
        count_lines(s, point, p, n);
    }
    return 0;
}

REGISTER(workload, walk) = {
    .name = "walk",
    .what = "all page descriptors read in order (0) and at random (1), by shape, stride, offset",
    .source = "seed 001; Hansen 2013 for the walk in order",
    .axis = "order",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .points = points,
    .subject_bytes = subject_bytes,
    .run = run,
};
