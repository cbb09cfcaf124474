/*
 * Event counters of all sources as one list: hardware (pmu) and the cache model (model).
 *
 * A source is a const record in one file of perf/; what it cannot count here it does not list.
 * Workloads do not name counters: the runner reads all of them around each measured interval.
 */
#ifndef TT_PERF_COUNTERS_H
#define TT_PERF_COUNTERS_H

#include "core/registry.h"

#include <stdbool.h>
#include <stdint.h>

#define COUNTERS_MAX     24
#define COUNTER_NAME_MAX 20

struct counter {
    char name[COUNTER_NAME_MAX]; /* "instructions", "L2.conflict" */
    const char *source;          /* "pmu", "model" */
    bool clock;                  /* counts cycles of a second clock, at counter_clock_hz() */
};

struct counter_source {
    const char *name;
    /* Starts the source, fills c[0..max) with what it counts here; returns how many. Once. */
    unsigned (*start)(struct counter *c, unsigned max);
    /* Values now, in that order; counts go up and wrap at 2^64 only. */
    void (*read)(uint64_t *v);
    /* Its machine record, also when it counts nothing. */
    void (*log)(void);
};
DECLARE_REGISTRY(counter_source);

/* Starts all sources. Once, after model_init. */
void counters_init(void);

unsigned counters_count(void);
const struct counter *counter_at(unsigned i);

/* All values, counters_count() of them. */
void counters_read(uint64_t *v);

/* The machine records of all sources. */
void counters_log(void);

#endif
