/*
 * bandwidth: read, write and copy over working sets around the size of the coloured cache.
 *
 * Pages come from the policy one by one and are mapped at consecutive virtual addresses. Each
 * point first walks its working set once (warm cache, filled TLB), then measures the mean of
 * `passes` passes. Every 8-byte word is touched, in ascending order; copy goes from the lower half
 * to the upper half and counts the bytes read and the bytes written, as STREAM does.
 */
#include "lab/placement.h"
#include "work/sweep.h"

enum { READ = PLACE_METRICS, WRITE, COPY };

static const struct metric metrics[] = {
    LAB_PLACEMENT_METRICS,
    {"read", "MB/s", BETTER_HIGHER, METRIC_RATE},
    {"write", "MB/s", BETTER_HIGHER, METRIC_RATE},
    {"copy", "MB/s", BETTER_HIGHER, METRIC_RATE},
};

/*
 * Words a turn, one 64-byte line, unrolled: three instructions of loop to eight of work, so that
 * what is measured is the memory and not the loop (gcc at -O2 does not unroll by itself).
 */
#define UNROLL   8
#define UNROLLED _Pragma("GCC unroll 8")

/* The empty asm statements keep the loads and stores as written: no vectors, none left out. */
static void read_words(const uint64_t *p, uint64_t words)
{
    for (const uint64_t *end = p + words; p < end; p += UNROLL) {
        UNROLLED
        for (unsigned i = 0; i < UNROLL; i++)
            __asm__ volatile("" ::"r"(p[i]));
    }
}

static void write_words(uint64_t *p, uint64_t words)
{
    for (uint64_t *end = p + words; p < end; p += UNROLL) {
        UNROLLED
        for (unsigned i = 0; i < UNROLL; i++)
            ((volatile uint64_t *)p)[i] = i;
    }
}

static void copy_words(uint64_t *to, const uint64_t *from, uint64_t words)
{
    for (const uint64_t *end = from + words; from < end; from += UNROLL, to += UNROLL) {
        UNROLLED
        for (unsigned i = 0; i < UNROLL; i++) {
            uint64_t v = from[i];
            __asm__ volatile("" : "+r"(v));
            ((volatile uint64_t *)to)[i] = v;
        }
    }
}

static void one_pass(unsigned metric, uint64_t *base, uint64_t words)
{
    if (metric == READ)
        read_words(base, words);
    else if (metric == WRITE)
        write_words(base, words);
    else
        copy_words(base + words / 2, base, words / 2);
}

static void measure(struct sample *s, unsigned point, unsigned metric, uint64_t *base)
{
    uint64_t bytes = lab_x(s, point), words = bytes / sizeof *base;
    unsigned passes = lab_passes(s);
    struct lab_interval i;
    one_pass(metric, base, words);
    lab_start(&i);
    for (unsigned pass = 0; pass < passes; pass++)
        one_pass(metric, base, words);
    lab_stop(&i);
    lab_measured(s, point, metric, &i, bytes * passes);
}

static int run(struct sample *s)
{
    for (unsigned point = 0; point < lab_points(s); point++) {
        uint64_t *base = lab_grow(s, lab_x(s, point));
        if (!base)
            return 0; /* the points that did not fit stay missing */
        lab_placement(s, point);
        for (unsigned metric = READ; metric <= COPY; metric++)
            measure(s, point, metric, base);
    }
    return 0;
}

REGISTER(workload, bandwidth) = {
    .name = "bandwidth",
    .what = "read, write and copy over working sets of 1/16 to 4 times the coloured cache",
    .source = "seed 002 (page colouring, January 2003), result 3",
    .axis = "bytes",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .points = sweep_points,
    .subject_bytes = sweep_subject_bytes,
    .run = run,
};
