/*
 * lineping: one line of memory between every two CPUs.
 *
 * Two CPUs count a word up in turn, each waiting for the other's value; half a round trip is the
 * time that a changed line takes from one cache to the other. The axis is the pair, of the
 * first CPUS_MAX CPUs; for people it is also printed as a matrix. With one CPU there is no pair,
 * and the experiment fails.
 */
#include "core/handover.h"
#include "core/interleave.h"
#include "core/kprintf.h"
#include "core/record.h"
#include "lab/results.h"
#include "lab/say.h"
#include "lab/team.h"

#include <math.h>
#include <stdlib.h>

enum { HOP, TRANSFERS };

static const struct metric metrics[] = {
    [HOP] = {"hop", "ns", BETTER_LOWER, METRIC_TIME},
    [TRANSFERS] = {"transfers", "per hop", BETTER_LOWER, METRIC_EVENTS, "model"},
};

#define CPUS_MAX 8 /* 28 pairs: as many as LAB_POINTS_MAX has room for */

#define HOPS 2000 /* of a pass: so that starting and ending are below 1% of it */

/* Waits of one hop, in polls; a partner that does not answer has ended by a trap. */
#define POLLS 100000000ul

static struct {
    uint64_t value __attribute__((aligned(2 * LINE_BYTES)));
    char rest[2 * LINE_BYTES - sizeof(uint64_t)];
} ball;

struct pair {
    unsigned first, second;
    uint64_t hops;
};

/* The members that play are CPUs first and second; the others only wait at the barriers. */
static void play(unsigned member, void *arg)
{
    const struct pair *p = arg;
    if (member != p->first && member != p->second)
        return;
    uint64_t mine = member == p->second;
    for (uint64_t turn = mine, hops = p->hops; turn < hops; turn += 2) {
        for (unsigned long i = 0; load_acquire(&ball.value) != turn && i < POLLS; i++)
            interleave_wait();
        handover_acquire(&ball);
        handover_release(&ball);
        store_release(&ball.value, turn + 1);
    }
}

static int measure(struct sample *s, struct pair p, struct lab_team_interval *out)
{
    store_once(&ball.value, 0);
    if (lab_team(s, p.second + 1, play, &p, out))
        return -1;
    if (load_once(&ball.value) != p.hops)
        return lab_fail(s, "CPUs %u and %u lost each other", p.first, p.second);
    return 0;
}

static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    (void)scale;
    unsigned n = 0;
    for (unsigned second = 1; second < cpus_running() && second < CPUS_MAX; second++)
        for (unsigned first = 0; first < second; first++)
            x[n++] = 10 * second + first;
    if (!n)
        x[n++] = 0;
    return n;
}

static uint64_t subject_bytes(const struct lab_scale *scale)
{
    (void)scale;
    return 8ul << 20;
}

static int run(struct sample *s)
{
    if (cpus_running() == 1)
        return lab_fail(s, "one CPU runs: there is no pair");
    for (unsigned point = 0; point < lab_points(s); point++) {
        struct pair p = {(unsigned)lab_x(s, point) % 10, (unsigned)lab_x(s, point) / 10,
                         (uint64_t)HOPS * lab_passes(s)};
        struct lab_team_interval t;
        if (p.second >= lab_cpus(s))
            continue; /* this level has fewer CPUs: the point stays missing */
        if (measure(s, p, &t))
            return -1;
        lab_team_measured(s, point, HOP, &t, p.hops);
        lab_model_value(s, point, TRANSFERS, (double)t.lines.transfers / (double)p.hops);
    }
    return 0;
}

/* Median of a pair's hops, NaN when the level has none. */
static double hop_of(const struct results *r, unsigned level, unsigned a, unsigned b,
                     double *scratch)
{
    for (unsigned point = 0; a != b && point < r->points; point++) {
        if (r->x[point] == (a > b ? 10 * a + b : 10 * b + a)) {
            struct stats s = results_summary(r, level, point, HOP, scratch).stats;
            return s.n ? s.median : NAN;
        }
    }
    return NAN;
}

static void conclude(const struct results *r)
{
    double *scratch = malloc(3 * r->blocks * sizeof *scratch);
    unsigned n = (unsigned)min_u64(cpus_running(), CPUS_MAX);
    for (unsigned level = 0; scratch && level < r->levels->count; level++) {
        say("#\n# lineping, %s: hop, %s, from CPU to CPU (median of %u; source %s%s)\n#     ",
            r->levels->level[level].name, metric_unit(&r->metric[HOP]), r->blocks,
            metric_source(&r->metric[HOP]), n < cpus_running() ? "; the first CPUs only" : "");
        for (unsigned b = 0; b < n; b++)
            say(" %9u", b);
        for (unsigned a = 0; a < n; a++) {
            say("\n# %3u ", a);
            for (unsigned b = 0; b < n; b++) {
                double hop = hop_of(r, level, a, b, scratch);
                if (isnan(hop))
                    say(" %9s", "-");
                else
                    say(" %9.2f", hop);
            }
        }
        say("\n");
    }
    free(scratch);
}

REGISTER(workload, lineping) = {
    .name = "lineping",
    .what = "one line of memory going to and fro between every two CPUs",
    .source = "none of the posts; the unit of what they are about",
    .axis = "CPUs, as two digits",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .team = true,
    .points = points,
    .subject_bytes = subject_bytes,
    .run = run,
    .conclude = conclude,
};
