/*
 * replay: a recorded fault trace repeated under every policy: the same requests, other frames.
 *
 * The trace is the one that `faults` recorded in this boot (run=faults,replay trace=record), or a
 * boot module that `tt trace` has made from a log. `request` is the time of an allocation or a free
 * alone, without traps and page tables. Conflicts are counted where most pages are out, among the
 * frames that a space was given itself and has not replaced since: a trace does not know which of
 * its parent's a fork still shares.
 *
 * The same set-up, seed and machine give the placement of the recording: `placement` is then that
 * of `faults` at its last point in block 0.
 */
#include "lab/modules.h"
#include "lab/placement.h"
#include "work/faults.h"
#include "work/sweep.h"

#include <stdlib.h>
#include <string.h>

enum { CONFLICT, WORST, UNSERVED, REQUEST, PLACEMENT };

static const struct metric metrics[] = {
    {"conflict", "pages", BETTER_LOWER, METRIC_COUNT},       /* mean over the spaces */
    {"conflict_worst", "pages", BETTER_LOWER, METRIC_COUNT}, /* of a space */
    {"unserved", "requests", BETTER_LOWER, METRIC_COUNT},
    {"request", "ns", BETTER_LOWER, METRIC_TIME},
    {"placement", "hash", BETTER_NONE, METRIC_COUNT},
};

/* ---- where the trace comes from ----------------------------------------------------------------
 */

#define SPACES_MAX 64 /* of a trace from outside: conflicts are counted space by space */

static struct vm_trace loaded; /* from a module */

static bool spaces_fit(const struct vm_trace *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        if (vm_event_space(t->event[i]) >= SPACES_MAX)
            return false;
    }
    return true;
}

static int load(struct sample *s, const struct lab_module *m)
{
    const uint32_t *words;
    uint32_t events;
    const char *bad = vm_trace_file(m->data, m->bytes, &words, &events);
    if (bad)
        return lab_fail(s, "boot module %s: %s", m->label, bad);
    loaded = (struct vm_trace){.event = malloc((size_t)events * sizeof *loaded.event)};
    loaded.room = events;
    if (!loaded.event)
        return lab_fail(s, "no memory left for a trace of %u events", (unsigned)events);
    if (!vm_trace_load(&loaded, words, events) && spaces_fit(&loaded))
        return 0;
    free(loaded.event);
    loaded.event = NULL;
    return lab_fail(s, "boot module %s: a request or a free that cannot be, or a space above %u",
                    m->label, SPACES_MAX - 1);
}

/* NULL after lab_fail(). */
static const struct vm_trace *find_trace(struct sample *s)
{
    struct lab_module module;
    if (faults_trace())
        return faults_trace();
    if (loaded.event)
        return &loaded;
    if (!lab_module(0, &module)) {
        lab_fail(s, "no trace: run=faults,replay trace=record, or a boot module made by tt trace");
        return NULL;
    }
    return load(s, &module) ? NULL : &loaded;
}

/* ---- conflicts ---------------------------------------------------------------------------------
 */

/* What conflicts are counted with: of the trace up to its peak. */
struct tally {
    uint32_t events;
    bool *replaced;      /* [events]: a later event gave the space another frame for that page */
    uint32_t *table;     /* [table_size]: the last event of a space and page, by hash, or NONE */
    uint32_t table_size; /* a power of two, at least twice the events */
    uint32_t *per_color;
};

/* The slot of the event's space and page. */
static uint32_t *slot(struct tally *y, const struct vm_trace *t, struct vm_event e)
{
    uint32_t i = (e.page * 0x9e3779b1u ^ vm_event_space(e) * 0x85ebca6bu) & (y->table_size - 1);
    while (y->table[i] != VM_EVENT_NONE) {
        struct vm_event other = t->event[y->table[i]];
        if (other.page == e.page && vm_event_space(other) == vm_event_space(e))
            break;
        i = (i + 1) & (y->table_size - 1);
    }
    return &y->table[i];
}

static bool tally_init(struct tally *y, const struct vm_trace *t, uint32_t colors)
{
    *y = (struct tally){.events = vm_trace_peak(t), .table_size = 2};
    while (y->table_size < 2 * y->events)
        y->table_size *= 2;
    y->replaced = calloc(y->events + 1, sizeof *y->replaced);
    y->table = malloc(y->table_size * sizeof *y->table);
    y->per_color = malloc(colors * sizeof *y->per_color);
    if (!y->replaced || !y->table || !y->per_color)
        return false;
    memset(y->table, 0xff, y->table_size * sizeof *y->table);
    for (uint32_t i = 0; i < y->events; i++) {
        if (vm_event_kind(t->event[i]) == VM_EVENT_FREE)
            continue;
        uint32_t *last = slot(y, t, t->event[i]);
        if (*last != VM_EVENT_NONE)
            y->replaced[*last] = true;
        *last = i;
    }
    return true;
}

static void tally_free(struct tally *y)
{
    free(y->per_color);
    free(y->table);
    free(y->replaced);
}

/* Pages of the blocks that a space has out, by colour; false: it has none. */
static bool count_space(struct tally *y, const struct vm_replay *r, uint32_t space)
{
    const struct color_map *map = &r->memory->color;
    uint32_t *per_color = y->per_color;
    bool any = false;
    memset(per_color, 0, map->colors * sizeof *per_color);
    for (uint32_t i = 0; i < y->events; i++) {
        struct vm_event e = r->trace->event[i];
        if (y->replaced[i] || vm_event_space(e) != space || r->got[i].n == PFN_NONE.n)
            continue;
        any = true;
        for (uint64_t page = 0; page < 1ul << vm_event_order(e); page++)
            per_color[color_of_naive(map, pfn_to_phys(pfn(r->got[i].n + page)))]++;
    }
    return any;
}

static void report_conflicts(struct sample *s, struct tally *y, const struct vm_replay *r)
{
    uint32_t spaces = 0;
    uint64_t sum = 0, worst = 0;
    for (uint32_t space = 0; space < SPACES_MAX; space++) {
        if (!count_space(y, r, space))
            continue;
        uint64_t n = lab_conflict(r->memory, y->per_color);
        spaces++;
        sum += n;
        worst = max_u64(worst, n);
    }
    if (spaces)
        lab_value(s, 0, CONFLICT, (double)sum / spaces, false);
    lab_value(s, 0, WORST, (double)worst, false);
}

/* ---- the workload ------------------------------------------------------------------------------
 */

static void replay_timed(struct vm_replay *r, uint32_t end, struct lab_interval *sum)
{
    struct lab_interval i;
    lab_start(&i);
    vm_replay_to(r, end);
    lab_stop(&i);
    lab_add(sum, &i);
}

static void measure(struct sample *s, const struct vm_trace *t, pfn_t *got, struct tally *y)
{
    struct lab_interval sum = {0};
    for (unsigned pass = 0; pass < lab_passes(s); pass++) {
        struct vm_replay r = {.trace = t, .memory = lab_memory(s), .got = got};
        replay_timed(&r, y->events, &sum);
        if (!pass)
            report_conflicts(s, y, &r);
        replay_timed(&r, t->count, &sum);
        vm_replay_drop(&r);
        if (!pass) { /* what comes after finds other free lists */
            lab_value(s, 0, UNSERVED, r.unserved, false);
            lab_value(s, 0, PLACEMENT, placement_value(r.placement), false);
        }
    }
    lab_measured(s, 0, REQUEST, &sum, (uint64_t)t->count * lab_passes(s));
}

static int run(struct sample *s)
{
    const struct vm_trace *t = find_trace(s);
    struct tally tally;
    if (!t)
        return -1;
    pfn_t *got = malloc((t->count + 1ul) * sizeof *got);
    int bad = 0;
    if (tally_init(&tally, t, lab_memory(s)->color.colors) && got)
        measure(s, t, got, &tally);
    else
        bad = lab_fail(s, "no memory left for a trace of %u events", (unsigned)t->count);
    tally_free(&tally);
    free(got);
    return bad;
}

REGISTER(workload, replay) = {
    .name = "replay",
    .what = "a recorded fault trace repeated: the same requests under every policy",
    .source = "run=faults trace=record",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .subject_bytes = sweep_subject_bytes, /* as faults: the recorded placement comes out again */
    .run = run,
};
