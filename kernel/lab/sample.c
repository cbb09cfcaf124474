/* The interface that workloads use while they run: growing, placement facts, values. */
#include "lab/sample.h"

#include "core/panic.h"
#include "lab/derived.h"
#include "lab/placement.h"
#include "perf/clock.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory *lab_memory(struct sample *s)
{
    return s->memory;
}

uint64_t lab_seed(const struct sample *s)
{
    return s->seed;
}

bool lab_recorded(const struct sample *s)
{
    return s->record;
}

unsigned lab_points(const struct sample *s)
{
    return s->results->points;
}

uint64_t lab_x(const struct sample *s, unsigned point)
{
    return s->results->x[point];
}

unsigned lab_passes(const struct sample *s)
{
    return s->passes;
}

int lab_fail(struct sample *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(s->failure, sizeof s->failure, fmt, ap);
    va_end(ap);
    s->status = -1;
    return -1;
}

unsigned lab_choice(const struct sample *s, const struct factor *f)
{
    return s->results->levels->level[s->level].choice[factor_index(f)];
}

void *lab_grow(struct sample *s, uint64_t bytes)
{
    unsigned order = s->memory->setup->page_order;
    s->grown = true;
    for (; s->mapped_bytes < bytes; s->mapped_bytes += (uint64_t)PAGE_SIZE << order) {
        uintptr_t va = ARCH_WINDOW + s->mapped_bytes;
        struct place_request q = {.va = va, .space = 0, .pid = 1, .order = order};
        pfn_t p = memory_alloc(s->memory, &q);
        if (p.n == PFN_NONE.n)
            return NULL;
        if (arch_space_map(&s->space, va, p, order, PROT_R | PROT_W)) {
            lab_fail(s, "no memory left for page tables after %llu bytes",
                     (unsigned long long)s->mapped_bytes);
            return NULL;
        }
    }
    if (bytes > s->used_bytes)
        s->used_bytes = bytes;
    return (void *)ARCH_WINDOW;
}

void sample_recount(struct sample *s, uint64_t bytes)
{
    const struct color_map *map = &s->memory->color;
    memset(s->per_color, 0, map->colors * sizeof *s->per_color);
    for (uint64_t at = 0; at < bytes; at += PAGE_SIZE) {
        phys_t a = arch_space_lookup(&s->space, ARCH_WINDOW + at, NULL);
        if (a.a != PHYS_NONE.a)
            s->per_color[color_of_naive(map, a)]++;
    }
}

const char *sample_check_account(struct sample *s)
{
    const struct account *a = memory_account(s->memory);
    uint32_t colors = s->memory->color.colors;
    if (a->allocations << s->memory->setup->page_order != s->mapped_bytes / PAGE_SIZE)
        return NULL; /* the workload allocated on its own: there is nothing to walk for that */
    uint32_t *got = calloc(colors, sizeof *got);
    if (!got)
        return "no memory left to check the colour accounting";
    account_frames(a, got);
    sample_recount(s, s->mapped_bytes);
    bool differs = memcmp(got, s->per_color, colors * sizeof *got);
    free(got);
    return differs ? "colour accounting differs from a recount of the page tables" : NULL;
}

uint64_t lab_conflict(const struct memory *m, const uint32_t *per_color)
{
    uint64_t conflict = 0;
    for (uint32_t c = 0; c < m->color.colors; c++) {
        if (per_color[c] > m->setup->color.ways)
            conflict += per_color[c];
    }
    return conflict;
}

uint64_t lab_placement(struct sample *s, unsigned point)
{
    const struct account *a = memory_account(s->memory);
    uint64_t distinct = 0;
    sample_recount(s, s->used_bytes);
    uint64_t conflict = lab_conflict(s->memory, s->per_color);
    for (uint32_t c = 0; c < s->memory->color.colors; c++)
        distinct += s->per_color[c] > 0;
    lab_value(s, point, PLACE_CONFLICT, (double)conflict, false);
    lab_value(s, point, PLACE_COLORS, (double)distinct, false);
    lab_value(s, point, PLACE_DISTANCE, a->wishes ? (double)a->distance_max : NAN, false);
    return conflict;
}

void lab_value(struct sample *s, unsigned point, unsigned metric, double value, bool zero)
{
    if (s->record)
        results_set(s->results, s->level, point, metric, s->block, value, zero);
}

void lab_start(struct lab_interval *i)
{
    counters_read(i->counter);
    i->clock = clock_read();
}

void lab_stop(struct lab_interval *i)
{
    uint64_t now[COUNTERS_MAX], end = clock_read();
    counters_read(now);
    for (unsigned c = 0; c < counters_count(); c++)
        i->counter[c] = now[c] - i->counter[c];
    i->clock = clock_elapsed(i->clock, end, &i->zero);
}

void lab_add(struct lab_interval *sum, const struct lab_interval *part)
{
    for (unsigned c = 0; c < counters_count(); c++)
        sum->counter[c] += part->counter[c];
    sum->clock += part->clock;
    sum->zero |= part->zero;
}

struct cell {
    struct sample *s;
    unsigned point;
};

static void set_derived(void *arg, unsigned metric, double value)
{
    const struct cell *c = arg;
    lab_value(c->s, c->point, metric, value, false);
}

static void measured(struct sample *s, unsigned point, unsigned metric,
                     const struct lab_interval *i, const struct lab_cpus *cpus, uint64_t amount)
{
    const struct workload *w = s->results->work;
    struct cell cell = {s, point};
    struct derived_from from = {i, cpus, amount, s->passes};
    check(1, w->team == (cpus != NULL));
    lab_value(s, point, metric,
              derived_quantity(w->metric[metric].kind, amount, i->clock, clock_info()->hz),
              i->zero);
    derived_values(w, metric, &from, set_derived, &cell);
}

void lab_measured(struct sample *s, unsigned point, unsigned metric, const struct lab_interval *i,
                  uint64_t amount)
{
    measured(s, point, metric, i, NULL, amount);
}

void lab_team_measured(struct sample *s, unsigned point, unsigned metric,
                       const struct lab_team_interval *t, uint64_t amount)
{
    measured(s, point, metric, &t->i, &t->cpus, amount);
}
