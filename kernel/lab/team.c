/* Teams of CPUs. Contract in team.h. */
#include "lab/team.h"

#include "core/barrier.h"
#include "core/cpu.h"
#include "core/trap.h"
#include "lab/sample.h"
#include "perf/model.h"

#include <stdio.h>

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

static void work(void *arg)
{
    struct team *t = arg;
    t->fn(cpu_id(), t->arg);
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
    return 0;
}

void lab_model_value(struct sample *s, unsigned point, unsigned metric, double value)
{
    if (model_present())
        lab_value(s, point, metric, value, false);
}
