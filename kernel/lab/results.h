/*
 * The samples of one experiment, their records and their summary.
 *
 * Every value is kept until the end (summaries need them raw) and written as a sample record as
 * soon as its run is over, so that nothing measured is lost if a later run fails.
 */
#ifndef TT_LAB_RESULTS_H
#define TT_LAB_RESULTS_H

#include "lab/factor.h"
#include "lab/stats.h"
#include "lab/workload.h"

struct results {
    const struct workload *work;
    const struct levels *levels;
    unsigned points, blocks, metrics;
    struct metric metric[LAB_METRICS_MAX]; /* the workload's own, then the derived ones */
    uint64_t x[LAB_POINTS_MAX];
    double *value; /* [level][point][metric][block]; NaN: not measured */
    bool *zero;    /* the same shape: shorter than the clock's overhead */
};

/* What there will be: levels x points x metrics x blocks, without storage yet. */
void results_init(struct results *r, const struct workload *w, const struct levels *levels,
                  const struct lab_scale *scale, unsigned blocks);
/* Storage for it; 0, or -TT_ENOMEM. */
int results_alloc(struct results *r);
void results_free(struct results *r);

/* The blocks values of one cell. */
double *results_cell(const struct results *r, unsigned level, unsigned point, unsigned metric);

/* Copies the blocks that both of two cells measured to oa and ob; returns how many. */
size_t results_pairs(const double *a, const double *b, unsigned blocks, double *oa, double *ob);

void results_set(struct results *r, unsigned level, unsigned point, unsigned metric, unsigned block,
                 double value, bool zero);

/* "tsc", "emulation", ... for times; "count" for counts. */
const char *metric_source(const struct metric *m);
/* The metric's unit, or its cycle-based twin when the clock's frequency is unknown. */
const char *metric_unit(const struct metric *m);

/* Sample records of one run. */
void results_write_samples(const struct results *r, unsigned level, unsigned block, unsigned order);

/* One cell's summary against its reference level. */
struct summary {
    struct stats stats;  /* over the blocks that were measured */
    struct interval vs;  /* to the reference level, paired by block */
    const char *verdict; /* reference, higher, lower, no difference seen, unknown */
};
struct summary results_summary(const struct results *r, unsigned level, unsigned point,
                               unsigned metric, double *scratch);

/* Summary records of all cells, then the tables for people. */
void results_write_summary(const struct results *r);
void results_write_tables(const struct results *r);

#endif
