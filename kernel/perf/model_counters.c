/*
 * The cache model as a source of counters: misses of every level, of the outermost also by kind,
 * its write-backs, TLB misses, and the overlap clock as a second clock.
 *
 * Telling kinds apart costs the model about half of its speed: misses=total goes without.
 */
#include "arch.h"
#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "perf/counters.h"
#include "perf/model.h"

#include <arch/model_cmd.h>

#include <string.h>

static bool kinds = true, given;

static int parse_misses(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o, (void)err, (void)err_bytes; /* the grammar says what is valid */
    if (strcmp(value, "kinds") && strcmp(value, "total"))
        return -TT_EINVAL;
    kinds = !strcmp(value, "kinds");
    given = true;
    return 0;
}

REGISTER(option,
         misses) = {.name = "misses",
                    .grammar = "kinds|total",
                    .help = "the cache model tells misses by kind, or (faster) only counts them",
                    .parse = parse_misses};

static unsigned levels(void)
{
    return model_present() ? model_machine()->levels : 0;
}

static unsigned add(struct counter *c, unsigned n, unsigned max, const char *level,
                    const char *what)
{
    if (n == max)
        return n;
    c[n] = (struct counter){.source = "model"};
    ksnprintf(c[n].name, sizeof c[n].name, "%s%s", level, what);
    return n + 1;
}

static unsigned start(struct counter *c, unsigned max)
{
    static const char *const kind[] = {".compulsory", ".capacity", ".conflict"};
    unsigned n = 0;
    char level[8] = "";
    if (!levels()) {
        if (given)
            kprintf("# misses= speaks of the cache model, and there is none here\n");
        return 0;
    }
    n = add(c, n, max, "overlap", "");
    if (n)
        c[0].clock = true;
    for (unsigned i = 0; i < levels(); i++) {
        ksnprintf(level, sizeof level, "L%u", i + 1);
        n = add(c, n, max, level, ".miss");
    }
    n = add(c, n, max, level, ".writeback");
    for (unsigned i = 0; kinds && i < ARRAY_SIZE(kind); i++)
        n = add(c, n, max, level, kind[i]);
    if (kinds)
        model_cmd(MODEL_CMD_SPLIT, 1);
    return model_machine()->tlb_entries ? add(c, n, max, "", "tlb.miss") : n;
}

/* The order of start(). */
static void read(uint64_t *v)
{
    if (!levels())
        return;
    const volatile struct model_cpu_counts *c = model_counts();
    *v++ = c->overlap_cycles;
    for (unsigned i = 0; i < levels(); i++)
        *v++ = c->level[i].misses;
    const volatile struct model_level_counts *last = &c->level[levels() - 1];
    *v++ = last->writebacks;
    if (kinds) {
        *v++ = last->compulsory;
        *v++ = last->capacity;
        *v++ = last->conflict;
    }
    if (model_machine()->tlb_entries)
        *v++ = c->tlb_misses;
}

REGISTER(counter_source, model) = {.name = "model", .start = start, .read = read, .log = model_log};
