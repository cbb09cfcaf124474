/*
 * Derived metrics: what the counters saw while a workload's rate or time was measured.
 *
 * A workload names its own metrics; to each rate and time the runner adds one for every counter
 * there is (pmu, model): "read.L2.conflict", events per pass. A second clock (the model's overlap
 * clock) gives the same quantity by that clock, "read.overlap"; and a rate in MB/s is also given
 * as a share of the bandwidth that the modelled machine's outermost cache has by its documents:
 * "read.peak", "read.overlap_peak".
 */
#ifndef TT_LAB_DERIVED_H
#define TT_LAB_DERIVED_H

#include "lab/team.h"

/*
 * Of workloads on several CPUs (.team) a counter gives two metrics, of the members' own work: the
 * sum over them, "add.L2.miss.all_cpus", and that of the one that had most, "....max_cpu". What
 * there is also of them: "add.slice", operations between two yields, and "add.slice_cycles", cycles
 * between them, as they were (core/interleave.h); missing where nobody yielded.
 */

/*
 * Fills out[0..LAB_METRICS_MAX) with the workload's own metrics and, behind them, the derived
 * ones; returns how many. Names live until the next call.
 */
unsigned derived_metrics(const struct workload *w, struct metric *out);

/* What was measured. */
struct derived_from {
    const struct lab_interval *i; /* of the CPU that led */
    const struct lab_cpus *cpus;  /* NULL unless .team */
    uint64_t amount;
    unsigned passes;
};

/* Calls set() for each metric derived from `parent`, with its index among the metrics and value. */
void derived_values(const struct workload *w, unsigned parent, const struct derived_from *from,
                    void (*set)(void *arg, unsigned metric, double value), void *arg);

/* A quantity of a kind from an amount done in cycles of a clock with hz (0: unknown). */
double derived_quantity(enum metric_kind kind, uint64_t amount, uint64_t cycles, uint64_t hz);

#endif
