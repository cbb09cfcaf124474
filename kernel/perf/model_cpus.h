/*
 * The cache model and several CPUs: each CPU's letterbox and clock, what moved between the CPUs'
 * caches, and named ranges of memory. Everything is a no-op, or zero, without a model.
 */
#ifndef TT_PERF_MODEL_CPUS_H
#define TT_PERF_MODEL_CPUS_H

#include "core/cpu.h"

/* Gives each running CPU its box; hand-overs are told from here on. Once, after cpus_start. */
void model_cpus_init(void);

/* Events of all CPUs together since the last reset; they only grow. */
struct model_lines {
    uint64_t transfers;     /* lines that came from another CPU's cache, which had changed them */
    uint64_t upgrades;      /* stores to a line that others held too */
    uint64_t invalidations; /* lines taken away by another CPU's store, of the outermost cache */
    uint64_t misses;        /* of the outermost caches */
};
struct model_lines model_lines(void);

/* The same for the lines of a named range. */
struct model_range_events {
    uint64_t misses, transfers, upgrades, invalidations;
};

/*
 * Names bytes [start, start + bytes) range number i; of the direct map, the image or the own
 * window. The name's first 15 bytes count. Its events start at zero.
 */
void model_name_range(unsigned i, const char *name, const void *start, size_t bytes);

/* Adds bytes to a named range; they overlap none of its pieces. */
void model_extend_range(unsigned i, const void *start, size_t bytes);
struct model_range_events model_range_events(unsigned i);

#endif
