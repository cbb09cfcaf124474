/* Metrics from counters. Contract in derived.h. */
#include "lab/derived.h"

#include "core/kprintf.h"
#include "core/panic.h"
#include "perf/clock.h"
#include "perf/model.h"

#include <math.h>
#include <string.h>

#define NAME_BYTES 40

static char names[LAB_METRICS_MAX][NAME_BYTES];

static bool has_derived(const struct metric *m)
{
    return !m->plain && (m->kind == METRIC_RATE || m->kind == METRIC_TIME);
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

/* Slices belong to a whole experiment of a team, so no table of them is brief. */
static void add_slices(struct list *l, const struct metric *parent)
{
    add(l, parent, "slice",
        (struct metric){.unit = "operations", .better = BETTER_NONE, .kind = METRIC_COUNT});
    add(l, parent, "slice_cycles",
        (struct metric){.unit = "cycles", .better = BETTER_NONE, .kind = METRIC_CYCLES});
}

static void add_counter(struct list *l, const struct metric *parent, const struct counter *counter,
                        struct metric m, bool team)
{
    char suffix[NAME_BYTES];
    if (!team) {
        add(l, parent, counter->name, m);
        return;
    }
    ksnprintf(suffix, sizeof suffix, "%s.all_cpus", counter->name);
    add(l, parent, suffix, m);
    m.brief = true; /* the sum tells people; who had most is for those who look further */
    ksnprintf(suffix, sizeof suffix, "%s.max_cpu", counter->name);
    add(l, parent, suffix, m);
}

static void add_derived(struct list *l, const struct metric *parent, bool team, bool brief)
{
    struct metric share = {.unit = "%", .better = BETTER_HIGHER, .kind = METRIC_EVENTS};
    share.source = clock_info()->source;
    share.brief = brief;
    if (peak_rate(parent) > 0)
        add(l, parent, "peak", share);
    if (team)
        add_slices(l, parent);
    for (unsigned c = 0; c < counters_count(); c++) {
        const struct counter *counter = counter_at(c);
        struct metric m = {.unit = "per pass", .better = BETTER_LOWER, .kind = METRIC_EVENTS};
        if (counter->clock)
            m = *parent;
        m.source = counter->source;
        m.brief = brief;
        add_counter(l, parent, counter, m, team && !counter->clock);
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
            add_derived(&l, &w->metric[i], w->team, brief);
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
static unsigned derived_count(const struct metric *m, bool team)
{
    unsigned n = 0, shares = peak_rate(m) > 0;
    if (!has_derived(m))
        return 0;
    for (unsigned c = 0; c < counters_count(); c++)
        n += counter_at(c)->clock ? 1 + shares : 1u + team;
    return n + shares + (team ? 2 : 0);
}

/* a / b, or NaN when there was none. */
static double per(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : NAN;
}

void derived_values(const struct workload *w, unsigned parent, const struct derived_from *from,
                    void (*set)(void *arg, unsigned metric, double value), void *arg)
{
    const struct metric *m = &w->metric[parent];
    const struct lab_interval *i = from->i;
    const struct lab_cpus *cpus = w->team ? from->cpus : NULL;
    uint64_t hz = clock_info()->hz;
    unsigned at = w->metrics;
    if (!has_derived(m))
        return;
    for (unsigned k = 0; k < parent; k++)
        at += derived_count(&w->metric[k], w->team);
    double peak = peak_rate(m) / 1e6;
    if (peak > 0)
        set(arg, at++, 100 * derived_quantity(m->kind, from->amount, i->clock, hz) / peak);
    if (cpus) {
        /* No operations: the workload takes turns by waiting only. */
        set(arg, at++, cpus->operations ? per(cpus->operations, cpus->yields) : NAN);
        set(arg, at++, per(cpus->cycles, cpus->yields));
    }
    for (unsigned c = 0; c < counters_count(); c++) {
        if (!counter_at(c)->clock) {
            set(arg, at++, (double)(cpus ? cpus->sum[c] : i->counter[c]) / from->passes);
            if (cpus)
                set(arg, at++, (double)cpus->max[c] / from->passes);
            continue;
        }
        double v = derived_quantity(m->kind, from->amount, i->counter[c], hz);
        set(arg, at++, v);
        if (peak > 0)
            set(arg, at++, 100 * v / peak);
    }
}
