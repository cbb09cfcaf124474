/*
 * falseshare: two counters, two CPUs, 0 to 256 bytes apart.
 *
 * Each CPU adds to its own counter and reads no other. As long as both lie in one line the line
 * goes to and fro; where the time falls is the size of the line, and where it falls a second time,
 * the size of what the hardware moves in pairs. Compare with the caches of the machine records.
 */
#include "core/interleave.h"
#include "lab/team.h"

enum { ADD, TRANSFERS };

static const struct metric metrics[] = {
    [ADD] = {"add", "ns", BETTER_LOWER, METRIC_TIME},
    [TRANSFERS] = {"transfers", "per add", BETTER_LOWER, METRIC_EVENTS, "model"},
};

#define ADDITIONS 2000

static const uint64_t distances[] = {0, 8, 16, 24, 32, 48, 56, 64, 96, 120, 128, 192, 256};

/* At the start of 512 bytes that belong to nobody else. */
static struct {
    uint8_t bytes[512];
} place __attribute__((aligned(512)));

static void add(unsigned member, void *arg)
{
    volatile uint64_t *counter = (volatile uint64_t *)(place.bytes + member * *(uint64_t *)arg);
    for (unsigned i = 0; i < ADDITIONS; i++) {
        *counter = *counter + 1;
        interleave_step();
    }
}

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
    return 8ul << 20;
}

static int run(struct sample *s)
{
    if (cpus_running() == 1)
        return lab_fail(s, "one CPU runs: nothing is shared");
    for (unsigned point = 0; point < lab_points(s); point++) {
        uint64_t distance = lab_x(s, point);
        struct lab_team_interval t;
        if (lab_team(s, 2, add, &distance, &t))
            return -1;
        lab_measured(s, point, ADD, &t.i, ADDITIONS);
        lab_model_value(s, point, TRANSFERS, (double)t.lines.transfers / ADDITIONS);
    }
    return 0;
}

REGISTER(workload, falseshare) = {
    .name = "falseshare",
    .what = "two CPUs adding to two counters, by the counters' distance",
    .source = "the effect behind seeds 000 and 001",
    .axis = "distance, bytes",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .points = points,
    .subject_bytes = subject_bytes,
    .run = run,
};
