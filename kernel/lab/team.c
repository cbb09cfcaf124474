/* Teams of CPUs. Contract in team.h. */
#include "lab/team.h"

#include "core/barrier.h"
#include "core/cpu.h"
#include "core/interleave.h"
#include "core/trap.h"
#include "lab/sample.h"
#include "perf/clock.h"
#include "perf/model.h"

#include <stdio.h>
#include <string.h>

struct team {
    struct barrier barrier;
    void (*fn)(unsigned member, void *arg);
    void *arg;
    struct lab_team_interval *out;
    uint32_t trapped; /* CPU number + 1 of one that was ended by a trap; 0: none */
    struct trap_info trap;
};

unsigned lab_cpus(const struct sample *s)
{
    unsigned wanted = s->memory->setup->smp.cpus;
    return wanted && wanted < cpus_running() ? wanted : cpus_running();
}

/* A member's own part. */
struct part {
    struct lab_interval i;
    struct interleave_count count;
};
static PER_CPU(struct part, parts);

static void work(void *arg)
{
    struct team *t = arg;
    struct part *mine = &this_of(parts);
    struct interleave_count before = interleave_count();
    lab_start(&mine->i);
    t->fn(cpu_id(), t->arg);
    lab_stop(&mine->i);
    mine->count = interleave_count();
    mine->count.operations -= before.operations;
    mine->count.yields -= before.yields;
}

/* A trap ends the part of its CPU only: the others must find everybody at the last barrier. */
static void guarded(struct team *t)
{
    struct trap_info trap;
    if (trap_guard(work, t, &trap) || !compare_exchange(&t->trapped, 0, cpu_id() + 1))
        return;
    t->trap = trap;
}

static void member(void *arg)
{
    struct team *t = arg;
    barrier_wait(&t->barrier);
    guarded(t);
    barrier_wait(&t->barrier);
}

static struct model_lines difference(struct model_lines a, struct model_lines b)
{
    return (struct model_lines){a.transfers - b.transfers, a.upgrades - b.upgrades,
                                a.invalidations - b.invalidations, a.misses - b.misses};
}

/* CPU 0 starts the clock before it lets the others go, and stops it when the last one has come. */
static void leader(struct team *t)
{
    struct model_lines before = model_lines();
    lab_start(&t->out->i);
    barrier_wait(&t->barrier);
    guarded(t);
    barrier_wait(&t->barrier);
    lab_stop(&t->out->i);
    t->out->lines = difference(model_lines(), before);
}

static void member_or_leader(void *arg)
{
    if (cpu_id() == 0)
        leader(arg);
    else
        member(arg);
}

static void sum_up(struct lab_cpus *all, unsigned n)
{
    memset(all, 0, sizeof *all);
    for (unsigned cpu = 0; cpu < n; cpu++)
        all->operations += cpu_of(parts, cpu).count.operations;
    for (unsigned cpu = 0; cpu < n; cpu++) {
        const struct part *p = &cpu_of(parts, cpu);
        if (p->count.operations || !all->operations) {
            all->yields += p->count.yields;
            all->cycles += p->i.clock;
        }
        for (unsigned c = 0; c < counters_count(); c++) {
            all->sum[c] += p->i.counter[c];
            all->max[c] = max_u64(all->max[c], p->i.counter[c]);
        }
    }
}

int lab_team(struct sample *s, unsigned n, void (*fn)(unsigned member, void *arg), void *arg,
             struct lab_team_interval *out)
{
    struct team t = {.fn = fn, .arg = arg, .out = out};
    char why[160];
    barrier_init(&t.barrier, n);
    if (cpus_run(n, member_or_leader, &t, why, sizeof why))
        return lab_fail(s, "%s", why);
    if (t.trapped)
        return lab_fail(s, "exception on CPU %u: %s at %#lx, address %#lx", (unsigned)t.trapped - 1,
                        t.trap.name, (unsigned long)t.trap.pc, (unsigned long)t.trap.address);
    sum_up(&out->cpus, n);
    return 0;
}

void lab_team_add(struct lab_team_interval *sum, const struct lab_team_interval *part)
{
    lab_add(&sum->i, &part->i);
    sum->lines.transfers += part->lines.transfers;
    sum->lines.upgrades += part->lines.upgrades;
    sum->lines.invalidations += part->lines.invalidations;
    sum->lines.misses += part->lines.misses;
    sum->cpus.operations += part->cpus.operations;
    sum->cpus.yields += part->cpus.yields;
    sum->cpus.cycles += part->cpus.cycles;
    for (unsigned c = 0; c < counters_count(); c++) {
        sum->cpus.sum[c] += part->cpus.sum[c];
        sum->cpus.max[c] += part->cpus.max[c];
    }
}

void lab_model_value(struct sample *s, unsigned point, unsigned metric, double value)
{
    if (model_present())
        lab_value(s, point, metric, value, false);
}
