/* Metrics from counters. Contract in derived.h. */
#include "lab/derived.h"

#include "core/kprintf.h"
#include "core/panic.h"
#include "perf/clock.h"
#include "perf/model.h"

#include <string.h>

#define NAME_BYTES 40

static char names[LAB_METRICS_MAX][NAME_BYTES];

static bool has_derived(const struct metric *m)
{
    return m->kind == METRIC_RATE || m->kind == METRIC_TIME;
}

/* Bytes per second of the modelled machine's outermost cache, from its file; 0: there is none. */
static double peak_rate(const struct metric *m)
{
    if (!model_present() || m->kind != METRIC_RATE || strcmp(m->unit, "MB/s"))
        return 0;
    const struct model_machine_info *machine = model_machine();
    return machine->level[machine->levels - 1].bandwidth_milli * (double)machine->clock_khz;
}

/* ---- the list: every step here has its twin in derived_values ---------------------------------
 */

struct list {
    struct metric *out;
    unsigned n;
};

static void add(struct list *l, const struct metric *parent, const char *suffix, struct metric m)
{
    check(1, l->n < LAB_METRICS_MAX);
    ksnprintf(names[l->n], NAME_BYTES, "%s.%s", parent->name, suffix);
    m.name = names[l->n];
    l->out[l->n++] = m;
}

static void add_derived(struct list *l, const struct metric *parent, bool brief)
{
    struct metric share = {.unit = "%", .better = BETTER_HIGHER, .kind = METRIC_EVENTS};
    share.source = clock_info()->source;
    share.brief = brief;
    if (peak_rate(parent) > 0)
        add(l, parent, "peak", share);
    for (unsigned c = 0; c < counters_count(); c++) {
        const struct counter *counter = counter_at(c);
        struct metric m = {.unit = "per pass", .better = BETTER_LOWER, .kind = METRIC_EVENTS};
        if (counter->clock)
            m = *parent;
        m.source = counter->source;
        m.brief = brief;
        add(l, parent, counter->name, m);
        if (counter->clock && peak_rate(parent) > 0)
            add(l, parent, "overlap_peak", share);
    }
}

unsigned derived_metrics(const struct workload *w, struct metric *out)
{
    struct list l = {out, w->metrics};
    bool brief = false; /* tables for the first one only: with all of them nobody sees any */
    check(1, w->metrics <= LAB_METRICS_MAX);
    memcpy(out, w->metric, w->metrics * sizeof *out);
    for (unsigned i = 0; i < w->metrics; i++) {
        if (has_derived(&w->metric[i])) {
            add_derived(&l, &w->metric[i], brief);
            brief = true;
        }
    }
    return l.n;
}

/* ---- values -----------------------------------------------------------------------------------
 */

double derived_quantity(enum metric_kind kind, uint64_t amount, uint64_t cycles, uint64_t hz)
{
    double a = (double)amount, c = (double)cycles;
    if (kind == METRIC_RATE) {
        if (!cycles)
            return 0;
        return hz ? a * (double)hz / c / 1e6 : a * 1e3 / c;
    }
    if (!amount)
        return 0;
    return kind == METRIC_TIME && hz ? c * 1e9 / (double)hz / a : c / a;
}

/* How many metrics add_derived makes of m. */
static unsigned derived_count(const struct metric *m)
{
    unsigned n = 0, shares = peak_rate(m) > 0;
    if (!has_derived(m))
        return 0;
    for (unsigned c = 0; c < counters_count(); c++)
        n += 1 + (counter_at(c)->clock ? shares : 0);
    return n + shares;
}

void derived_values(const struct workload *w, unsigned parent, const struct lab_interval *i,
                    uint64_t amount, unsigned passes,
                    void (*set)(void *arg, unsigned metric, double value), void *arg)
{
    const struct metric *m = &w->metric[parent];
    uint64_t hz = clock_info()->hz;
    unsigned at = w->metrics;
    if (!has_derived(m))
        return;
    for (unsigned k = 0; k < parent; k++)
        at += derived_count(&w->metric[k]);
    double peak = peak_rate(m) / 1e6;
    if (peak > 0)
        set(arg, at++, 100 * derived_quantity(m->kind, amount, i->clock, hz) / peak);
    for (unsigned c = 0; c < counters_count(); c++) {
        if (!counter_at(c)->clock) {
            set(arg, at++, (double)i->counter[c] / passes);
            continue;
        }
        double v = derived_quantity(m->kind, amount, i->counter[c], hz);
        set(arg, at++, v);
        if (peak > 0)
            set(arg, at++, 100 * v / peak);
    }
}
