/*
 * faults: address spaces filled by page faults, forked, written, partly unmapped and protected.
 *
 * Two spaces touch their pages in an interleaved random order and are forked; then all four write
 * half of what they have (copies, and reuse by the last sharer); one loses a quarter and touches it
 * again, one has a half protected and opened again and writes it. The policy sees what a kernel's
 * would: address, space and task of each fault. `fault` is the time from the access to its
 * completion, trap and return included, and a share of the space switch before each burst; accesses
 * that do not fault count as nothing. Every value read, and the number of faults of each kind, is
 * held to a naive picture (faults_oracle.h); all page faults the processor took must be among them.
 *
 * trace=record keeps the requests of a sample, for the log and for `replay`; then each fault's time
 * includes noting it.
 */
#include "work/faults.h"

#include "lab/factor.h"
#include "lab/placement.h"
#include "work/faults_run.h"
#include "work/sweep.h"

#include <stdlib.h>

enum { CONFLICT, WORST, DEMAND, COPIED, REUSED, FAULT, PLACEMENT };

static const struct metric metrics[] = {
    {"conflict", "pages", BETTER_LOWER, METRIC_COUNT},       /* mean over the spaces */
    {"conflict_worst", "pages", BETTER_LOWER, METRIC_COUNT}, /* of a space */
    {"demand", "faults", BETTER_NONE, METRIC_COUNT},         /* all kinds: of one pass */
    {"copied", "faults", BETTER_NONE, METRIC_COUNT},
    {"reused", "faults", BETTER_NONE, METRIC_COUNT},
    {"fault", "ns", BETTER_LOWER, METRIC_TIME},
    {"placement", "hash", BETTER_NONE, METRIC_COUNT, .brief = true}, /* up to the point */
};

enum { TRACE_OFF, TRACE_RECORD };
static const char *const trace_words[] = {"off", "record", NULL};
REGISTER_CHOICE(trace, "faults", "off", "off|record",
                "record: keep the fault trace, for the log and for run=replay", trace_words);

static struct vm_trace kept; /* of the first sample that recorded all its points */

const struct vm_trace *faults_trace(void)
{
    return kept.event ? &kept : NULL;
}

static void report_conflicts(struct faults_run *f, unsigned point)
{
    const struct memory *m = lab_memory(f->s);
    uint64_t sum = 0, worst = 0;
    for (unsigned i = 0; i < f->spaces; i++) {
        for (uint32_t c = 0; c < m->color.colors; c++)
            f->per_color[c] = 0;
        for (uint32_t page = 0; page < f->pages; page++) {
            phys_t a = arch_space_lookup(&f->space[i].hw, faults_address(page), NULL);
            if (a.a != PHYS_NONE.a)
                f->per_color[color_of_naive(&m->color, a)]++;
        }
        uint64_t n = lab_conflict(m, f->per_color);
        sum += n;
        worst = max_u64(worst, n);
    }
    lab_value(f->s, point, CONFLICT, (double)sum / f->spaces, false);
    lab_value(f->s, point, WORST, (double)worst, false);
}

static void drop_spaces(struct faults_run *f)
{
    while (f->spaces)
        vm_destroy(&f->space[--f->spaces]);
}

static int pass(struct faults_run *f, unsigned point, bool first)
{
    oracle_init(&f->oracle, f->pages, f->oracle_memory);
    f->rng = rng_stream(lab_seed(f->s), point); /* each pass is the same program */
    int bad = faults_phases(f);
    if (!bad)
        bad = faults_check(f);
    if (!bad && first) {
        report_conflicts(f, point);
        lab_value(f->s, point, DEMAND, (double)f->oracle.demand, false);
        lab_value(f->s, point, COPIED, (double)f->oracle.copied, false);
        lab_value(f->s, point, REUSED, (double)f->oracle.reused, false);
    }
    drop_spaces(f);
    return bad;
}

/* ---- the workload ------------------------------------------------------------------------------
 */

static int measure(struct faults_run *f)
{
    for (unsigned point = 0; point < lab_points(f->s); point++) {
        f->pages = (uint32_t)(lab_x(f->s, point) >> PAGE_SHIFT);
        f->time = (struct lab_interval){0};
        f->faults = 0;
        for (unsigned i = 0; i < lab_passes(f->s); i++) {
            if (pass(f, point, i == 0))
                return -1;
        }
        lab_measured(f->s, point, FAULT, &f->time, f->faults);
        if (f->trace)
            lab_value(f->s, point, PLACEMENT, placement_value(f->trace->placement), false);
    }
    return 0;
}

/* Keeps the first whole trace and logs it; true when it is kept. */
static bool keep(const struct faults_run *f, const struct vm_trace *t)
{
    if (kept.event || !lab_recorded(f->s))
        return false;
    kept = *t;
    vm_trace_log(&kept, "faults");
    return true;
}

/* Events of a page: it gets a frame, loses it to a copy or an end; so twice, at most, per space. */
#define EVENTS_PER_PAGE (2 * 2 * FAULTS_SPACES)

static uint32_t trace_room(const struct faults_run *f)
{
    uint64_t pages = 0;
    for (unsigned point = 0; point < lab_points(f->s); point++)
        pages += lab_x(f->s, point) >> PAGE_SHIFT;
    return (uint32_t)(pages * EVENTS_PER_PAGE * lab_passes(f->s));
}

static int run_traced(struct faults_run *f)
{
    struct vm_trace *t = &f->recording;
    if (lab_choice(f->s, &trace_factor) == TRACE_OFF)
        return measure(f);
    t->room = trace_room(f);
    t->event = malloc(t->room * sizeof *t->event);
    if (!t->event)
        return lab_fail(f->s, "no memory left for a trace of %u events: fewer passes",
                        (unsigned)t->room);
    f->trace = t;
    int bad = measure(f);
    if (bad || t->lost || !keep(f, t))
        free(t->event);
    return bad;
}

static int run(struct sample *s)
{
    static struct faults_run the_run; /* large, so not on a stack */
    struct faults_run *f = &the_run;
    uint32_t largest = (uint32_t)(lab_x(s, lab_points(s) - 1) >> PAGE_SHIFT);
    size_t most = (size_t)largest * FAULTS_SPACES;
    *f = (struct faults_run){.s = s};
    f->touch = malloc(most * sizeof *f->touch);
    f->order = malloc(most * sizeof *f->order);
    f->per_color = malloc(lab_memory(s)->color.colors * sizeof *f->per_color);
    f->oracle_memory = malloc(oracle_bytes(largest));
    bool fits = f->touch && f->order && f->per_color && f->oracle_memory;
    int bad = fits ? run_traced(f) : lab_fail(s, "no memory left for %u pages", (unsigned)largest);
    free(f->oracle_memory);
    free(f->per_color);
    free(f->order);
    free(f->touch);
    return f->full ? 0 : bad; /* the points that did not fit stay missing */
}

/* Each space up to the size of the cache: beyond it every placement conflicts. */
static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    unsigned n = sweep_points(scale, x);
    return n > 2 ? n - 2 : n; /* without twice and four times the cache */
}

REGISTER(workload, faults) = {
    .name = "faults",
    .what = "page faults of forked address spaces: demand, copy on write, unmap, protect",
    .source = "issue 3; fork and touch as in LMbench's lat_proc and lat_pagefault",
    .axis = "bytes a space",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .points = points,
    .subject_bytes = sweep_subject_bytes,
    .run = run,
};
