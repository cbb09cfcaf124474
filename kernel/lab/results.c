/* Storage of samples, their records and summaries. Contract in results.h. */
#include "lab/results.h"

#include "core/errno.h"
#include "core/record.h"
#include "lab/derived.h"
#include "lab/record_float.h"
#include "perf/clock.h"
#include "perf/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void results_init(struct results *r, const struct workload *w, const struct levels *levels,
                  const struct lab_scale *scale, unsigned blocks)
{
    *r = (struct results){.work = w, .levels = levels, .blocks = blocks, .points = 1};
    if (w->points)
        r->points = w->points(scale, r->x);
    r->metrics = derived_metrics(w, r->metric);
}

int results_alloc(struct results *r)
{
    size_t n = (size_t)r->levels->count * r->points * r->metrics * r->blocks;
    r->value = malloc(n * sizeof *r->value);
    r->zero = calloc(n, sizeof *r->zero);
    if (!r->value || !r->zero) {
        results_free(r);
        return -TT_ENOMEM;
    }
    for (size_t i = 0; i < n; i++)
        r->value[i] = NAN;
    return 0;
}

void results_free(struct results *r)
{
    free(r->value);
    free(r->zero);
    r->value = NULL;
    r->zero = NULL;
}

static size_t cell_index(const struct results *r, unsigned level, unsigned point, unsigned metric)
{
    return (((size_t)level * r->points + point) * r->metrics + metric) * r->blocks;
}

double *results_cell(const struct results *r, unsigned level, unsigned point, unsigned metric)
{
    return r->value + cell_index(r, level, point, metric);
}

void results_set(struct results *r, unsigned level, unsigned point, unsigned metric, unsigned block,
                 double value, bool zero)
{
    size_t i = cell_index(r, level, point, metric) + block;
    r->value[i] = value;
    r->zero[i] = zero;
}

const char *metric_source(const struct metric *m)
{
    if (m->source)
        return m->source;
    return m->kind == METRIC_COUNT ? "count" : clock_info()->source;
}

const char *metric_unit(const struct metric *m)
{
    if (clock_info()->hz || (m->kind != METRIC_RATE && m->kind != METRIC_TIME))
        return m->unit;
    return m->kind == METRIC_RATE ? "per kcycle" : "cycles";
}

static const char *better_name(const struct metric *m)
{
    static const char *const name[] = {"higher", "lower", "none"};
    return name[m->better];
}

/* The members that name a cell, the same in samples and summaries. */
static void record_cell(struct record *rec, const struct results *r, unsigned level, unsigned point,
                        const struct metric *m)
{
    record_str(rec, "exp", r->work->name);
    record_str(rec, "level", r->levels->level[level].name);
    if (r->work->axis)
        record_u64(rec, "x", r->x[point]);
    record_str(rec, "metric", m->name);
    record_str(rec, "unit", metric_unit(m));
    record_str(rec, "better", better_name(m));
    record_str(rec, "source", metric_source(m));
    if (model_present())
        record_str(rec, "machine", model_machine()->name);
}

void results_write_samples(const struct results *r, unsigned level, unsigned block, unsigned order)
{
    for (unsigned point = 0; point < r->points; point++) {
        for (unsigned metric = 0; metric < r->metrics; metric++) {
            size_t i = cell_index(r, level, point, metric) + block;
            struct record rec;
            record_begin(&rec, "sample");
            record_cell(&rec, r, level, point, &r->metric[metric]);
            record_u64(&rec, "block", block);
            record_u64(&rec, "order", order);
            record_f64(&rec, "value", r->value[i]);
            if (r->zero[i])
                record_bool(&rec, "zero", true);
            record_end(&rec);
        }
    }
}

size_t results_pairs(const double *a, const double *b, unsigned blocks, double *oa, double *ob)
{
    size_t n = 0;
    for (unsigned i = 0; i < blocks; i++) {
        if (isfinite(a[i]) && isfinite(b[i])) {
            oa[n] = a[i];
            ob[n++] = b[i];
        }
    }
    return n;
}

struct summary results_summary(const struct results *r, unsigned level, unsigned point,
                               unsigned metric, double *scratch)
{
    unsigned reference = r->levels->level[level].reference;
    const double *own = results_cell(r, level, point, metric);
    double *a = scratch, *b = scratch + r->blocks, *sort = scratch + 2 * r->blocks;
    struct summary s = {.verdict = "reference"};
    s.stats = stats_of(a, results_pairs(own, own, r->blocks, a, b), sort);
    if (reference == level)
        return s;
    size_t n = results_pairs(results_cell(r, reference, point, metric), own, r->blocks, a, b);
    s.vs = stats_paired_t(a, b, n);
    if (!s.vs.known)
        s.verdict = "unknown";
    else if (s.vs.lo > 0)
        s.verdict = "higher";
    else if (s.vs.hi < 0)
        s.verdict = "lower";
    else
        s.verdict = "no difference seen";
    return s;
}

static void write_one(const struct results *r, unsigned level, unsigned point, unsigned metric,
                      double *scratch)
{
    struct summary s = results_summary(r, level, point, metric, scratch);
    unsigned reference = r->levels->level[level].reference;
    struct record rec;
    record_begin(&rec, "summary");
    record_cell(&rec, r, level, point, &r->metric[metric]);
    record_u64(&rec, "n", s.stats.n);
    if (s.stats.n) {
        record_f64(&rec, "mean", s.stats.mean);
        record_f64(&rec, "s", s.stats.s);
        record_f64(&rec, "median", s.stats.median);
        record_f64(&rec, "min", s.stats.min);
        record_f64(&rec, "max", s.stats.max);
    }
    if (reference != level) {
        record_str(&rec, "vs", r->levels->level[reference].name);
        if (s.vs.known) {
            record_f64(&rec, "diff", s.vs.diff);
            record_f64(&rec, "lo", s.vs.lo);
            record_f64(&rec, "hi", s.vs.hi);
            record_str(&rec, "method", STATS_PAIRED_T_METHOD);
        }
    }
    record_str(&rec, "verdict", s.verdict);
    record_end(&rec);
}

void results_write_summary(const struct results *r)
{
    double *scratch = malloc(3 * r->blocks * sizeof *scratch);
    if (!scratch)
        return;
    for (unsigned metric = 0; metric < r->metrics; metric++) {
        for (unsigned point = 0; point < r->points; point++) {
            for (unsigned level = 0; level < r->levels->count; level++)
                write_one(r, level, point, metric, scratch);
        }
    }
    free(scratch);
}
