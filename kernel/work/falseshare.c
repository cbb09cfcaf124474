/*
 * falseshare: two counters, two CPUs, 0 to 256 bytes apart; and one CPU's fetches at these
 * distances.
 *
 * Each CPU adds to its own counter and reads no other. As long as both lie in one line the line
 * goes to and fro; where the time falls is the size of the line. What the hardware moves in pairs
 * does not show in that: once both CPUs have their lines nobody fetches. So one CPU also reads, in
 * memory that no cache holds, two words at the distance, the second's address depending on the
 * first: where that becomes slower, the second word did not come along with the first. What was
 * found is compared with the caches of the machine (falseshare_conclude.c).
 */
#include "work/falseshare.h"

#include "core/interleave.h"
#include "lab/team.h"

static const struct metric metrics[] = {
    [FALSESHARE_ADD] = {"add", "ns", BETTER_LOWER, METRIC_TIME},
    [FALSESHARE_FETCH] = {"fetch", "ns", BETTER_LOWER, METRIC_TIME, .plain = true},
    [FALSESHARE_TRANSFERS] = {"transfers", "per add", BETTER_LOWER, METRIC_EVENTS, "model"},
};

#define ADDITIONS 2000 /* of each CPU in a pass */

/* For each size of line from 16 to 256 bytes the last distance within it and the first beyond. */
static const uint64_t distances[] = {0, 8, 16, 24, 32, 56, 64, 96, 120, 128, 192, 248, 256};

/* At the start of 512 bytes that belong to nobody else. */
#define PLACE_BYTES 512u

static struct {
    uint8_t bytes[PLACE_BYTES];
} place __attribute__((aligned(PLACE_BYTES)));

struct addition {
    uint64_t distance, count;
};

static void add(unsigned member, void *arg)
{
    const struct addition *a = arg;
    volatile uint64_t *counter = (volatile uint64_t *)(place.bytes + member * a->distance);
    uint64_t count = a->count;
    for (uint64_t i = 0; i < count; i++) {
        *counter = *counter + 1;
        interleave_step();
    }
}

/* ---- what comes along ------------------------------------------------------------------------ */

#define PLACES 512u /* 256 kB for each distance; read once, since a second time they are cached */

/* A full cycle through the places (Hull and Dobell 1962), so that no stream is seen in them. */
#define NEXT(i) (((i)*1664525u + 1013904223u) % PLACES)

static volatile uint64_t no_bits; /* 0, which the compiler cannot know */

struct fetches {
    const uint8_t *memory;
    uint64_t distance;
};

static void fetch(unsigned member, void *arg)
{
    const struct fetches *f = arg;
    uint64_t mask = no_bits, v = 0;
    unsigned at = 0;
    (void)member;
    for (unsigned i = 0; i < PLACES; i++, at = NEXT(at)) {
        const uint8_t *p = f->memory + (uint64_t)at * PLACE_BYTES;
        v = *(const volatile uint64_t *)(p + (v & mask));
        v = *(const volatile uint64_t *)(p + f->distance + (v & mask));
    }
}

/* Every distance has memory of its own, which nobody has read in this sample. */
static int measure_fetch(struct sample *s, unsigned point, const uint8_t *memory)
{
    struct fetches f = {memory + (uint64_t)point * PLACES * PLACE_BYTES, lab_x(s, point)};
    struct lab_team_interval t;
    if (lab_team(s, 1, fetch, &f, &t))
        return -1;
    lab_team_measured(s, point, FALSESHARE_FETCH, &t, PLACES);
    return 0;
}

/* ---- a sample -------------------------------------------------------------------------------- */

static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    (void)scale;
    for (unsigned i = 0; i < ARRAY_SIZE(distances); i++)
        x[i] = distances[i];
    return ARRAY_SIZE(distances);
}

static uint64_t subject_bytes(const struct lab_scale *scale)
{
    (void)scale;
    return 16ul << 20;
}

static int run(struct sample *s)
{
    uint64_t bytes = (uint64_t)lab_points(s) * PLACES * PLACE_BYTES;
    const uint8_t *memory = lab_grow(s, bytes);
    if (cpus_running() == 1)
        return lab_fail(s, "one CPU runs: nothing is shared");
    for (unsigned point = 0; point < lab_points(s); point++) {
        struct addition a = {lab_x(s, point), (uint64_t)ADDITIONS * lab_passes(s)};
        struct lab_team_interval t;
        if (lab_team(s, 2, add, &a, &t))
            return -1;
        lab_team_measured(s, point, FALSESHARE_ADD, &t, a.count);
        lab_model_value(s, point, FALSESHARE_TRANSFERS,
                        (double)t.lines.transfers / (double)a.count);
        if (memory && measure_fetch(s, point, memory)) /* without memory the point is missing */
            return -1;
    }
    return 0;
}

REGISTER(workload, falseshare) = {
    .name = "falseshare",
    .what = "two CPUs adding to two counters, one CPU fetching two words, by the distance",
    .source = "the effect behind seeds 000 and 001",
    .axis = "distance, bytes",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .team = true,
    .points = points,
    .subject_bytes = subject_bytes,
    .run = run,
    .conclude = falseshare_conclude,
};
