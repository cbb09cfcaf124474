/*
 * Workloads: what an experiment runs on a placement, and the interface a workload file uses.
 *
 * A workload is one file in kernel/work/ with a REGISTER(workload, name) record. The runner
 * builds and ages an instance for one level, then calls run() once: that is one sample. run()
 * grows its working set with lab_grow(), measures, and reports with lab_value(). Everything it
 * allocates from newlib it frees; what it took from the instance disappears with the instance.
 */
#ifndef TT_LAB_WORKLOAD_H
#define TT_LAB_WORKLOAD_H

#include "core/registry.h"
#include "mm/memory.h"
#include "perf/counters.h"

#include <stdbool.h>
#include <stdint.h>

enum better { BETTER_HIGHER, BETTER_LOWER, BETTER_NONE };

enum metric_kind {
    METRIC_RATE,   /* an amount per second, in millions: MB/s, Mflop/s */
    METRIC_TIME,   /* ns for one */
    METRIC_CYCLES, /* ticks of the clock for one */
    METRIC_EVENTS, /* of a counter, per pass */
    METRIC_COUNT,  /* counted exactly by the kernel */
};

struct metric {
    const char *name;
    const char *unit; /* results use cycles instead when the clock's frequency is unknown */
    enum better better;
    enum metric_kind kind;
    const char *source; /* NULL: by kind, the clock in use or "count" */
    bool brief;         /* in the records, but no table for people */
    bool plain;         /* another metric's interval said otherwise: nothing is derived from it */
};

#define LAB_POINTS_MAX  32
#define LAB_METRICS_MAX 80 /* a workload's own and the derived ones (derived.h) */

/* What an experiment's axis and subject depend on: the set-up's largest values over all levels. */
struct lab_scale {
    uint64_t cache_bytes; /* of the coloured cache; 0 when no level names one */
};

struct sample;
struct results;
struct factor;

struct workload {
    const char *name;
    const char *what;   /* one line: what is measured */
    const char *source; /* the post or benchmark that it follows */
    const char *axis;   /* name and unit of x, "working set, bytes"; NULL: no axis */
    const struct metric *metric;
    unsigned metrics;
    struct pcp_spec pcp; /* what pcp=auto means here, where the policy goes by lists at all */
    bool team;           /* several CPUs (team.h): lab_team_measured() instead of lab_measured() */
    /* Fills x[0..LAB_POINTS_MAX) ascending; returns how many points, at least 1. */
    unsigned (*points)(const struct lab_scale *scale, uint64_t *x);
    /* Subject memory that this workload is at home in, unless subject= says otherwise. */
    uint64_t (*subject_bytes)(const struct lab_scale *scale);
    /* Of hash tables that lie beside the descriptors of so much subject memory (memory->tables);
     * may be NULL. */
    size_t (*tables_bytes)(const struct cache_setup *s, uint64_t subject_bytes);
    /* Measures one placement. 0, or a negative code with a reason by lab_fail(). */
    int (*run)(struct sample *s);
    /* What follows from all samples: finding records, and lines for people; may be NULL. */
    void (*conclude)(const struct results *r);
};
DECLARE_REGISTRY(workload);

/* ---- for run() --------------------------------------------------------------------------------
 */

struct memory *lab_memory(struct sample *s);
uint64_t lab_seed(const struct sample *s); /* the same for all levels of a block */
unsigned lab_points(const struct sample *s);
uint64_t lab_x(const struct sample *s, unsigned point);

/* False in warm-up blocks, whose values are dropped. */
bool lab_recorded(const struct sample *s);

/* Passes over a working set that are averaged into one value (passes=). */
unsigned lab_passes(const struct sample *s);

/* Index of the word that this sample's level has for a choice of the workload (factor.h). */
unsigned lab_choice(const struct sample *s, const struct factor *f);

/*
 * Maps pages of the level's size (pages=), chosen by the instance's policy, until `bytes` are
 * mapped at consecutive virtual addresses; returns the first address, the same in every call of a
 * sample, or NULL when the instance has no page left that the policy accepts (the point is then
 * reported missing). Of a large page that reaches beyond `bytes` the rest is not in the working
 * set.
 */
void *lab_grow(struct sample *s, uint64_t bytes);

/* Pages in conflict, by colour in per_color[colors]: those whose colour has more than the ways. */
uint64_t lab_conflict(const struct memory *m, const uint32_t *per_color);

/* Records the colour facts of the working set so far as the metrics of placement.h; returns the
 * pages in conflict. */
uint64_t lab_placement(struct sample *s, unsigned point);

/* One value; metric is an index into the workload's metrics. zero: the interval was shorter than
 * the clock's overhead, so the value says "too short", not "fast". */
void lab_value(struct sample *s, unsigned point, unsigned metric, double value, bool zero);

/* A measured interval: the clock and all counters at its start, then what passed. */
struct lab_interval {
    uint64_t clock;
    uint64_t counter[COUNTERS_MAX];
    bool zero; /* shorter than the clock's overhead */
};

void lab_start(struct lab_interval *i);
void lab_stop(struct lab_interval *i);

/* Adds a stopped interval to a sum that began as {0}: for passes with other work between them. */
void lab_add(struct lab_interval *sum, const struct lab_interval *part);

/* The metric from a stopped interval (or a sum of them) in which `amount` bytes, flops, steps ...
 * were done, in all passes together; and the metrics derived from it. */
void lab_measured(struct sample *s, unsigned point, unsigned metric, const struct lab_interval *i,
                  uint64_t amount);

/* Gives the reason of a failed run; returns -1. */
__attribute__((format(printf, 2, 3))) int lab_fail(struct sample *s, const char *fmt, ...);

#endif
