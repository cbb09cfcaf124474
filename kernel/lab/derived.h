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

#include "lab/workload.h"

/*
 * Fills out[0..LAB_METRICS_MAX) with the workload's own metrics and, behind them, the derived
 * ones; returns how many. Names live until the next call.
 */
unsigned derived_metrics(const struct workload *w, struct metric *out);

/* Calls set() for each metric derived from `parent`, with its index among the metrics and value. */
void derived_values(const struct workload *w, unsigned parent, const struct lab_interval *i,
                    uint64_t amount, unsigned passes,
                    void (*set)(void *arg, unsigned metric, double value), void *arg);

/* A quantity of a kind from an amount done in cycles of a clock with hz (0: unknown). */
double derived_quantity(enum metric_kind kind, uint64_t amount, uint64_t cycles, uint64_t hz);

#endif
