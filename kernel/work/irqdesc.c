/*
 * irqdesc: interrupts on all CPUs at once, each of its own number, neighbours in the table.
 *
 * Seed 000's irq patch in small: Linux 2.2 kept 16-byte descriptors side by side, so CPUs that
 * take different interrupts write to the same line; the patch made each 32 bytes and aligned the
 * table. Here each CPU raises its own interrupt (a message to itself) and takes it through
 * irq/irq.c's dispatch; in between it works: rounds of WORK_LOADS private loads. Under the cache
 * model the transfers of descriptor lines are counted apart from all transfers: the rest is the
 * table's one lock, which no layout helps.
 *
 * irq_rate=0: back to back, an interrupt in every round. irq_rate=N: they arrive N times a second
 * on each CPU, evenly, by that CPU's own clock from its start on (under the model its serial
 * clock), CPU i of n by i/n of a period later than CPU 0. Each round begins with a look at the
 * clock; who is late raises one interrupt a round until he has caught up, or never does: `rate` is
 * what was achieved, from the start to when the next one would have been due.
 *
 * cost: of the rounds in which an interrupt was raised or came, the time beyond that of as many
 * rounds without, which each CPU takes right behind on its own, the others working beside it.
 * Waiting for the lock is in it, and what the interrupt pushed out of the caches and the work of
 * that round had to fetch again. `interrupt` is the whole time by the interrupts of one CPU, work
 * included.
 */
#include "core/interleave.h"
#include "irq/irq.h"
#include "lab/axis.h"
#include "lab/results.h"
#include "lab/say.h"
#include "lab/team.h"
#include "perf/clock.h"

#include <math.h>

enum { INTERRUPT, COST, RATE, TRANSFERS, DESC_TRANSFERS };

static const struct metric metrics[] = {
    [INTERRUPT] = {"interrupt", "ns", BETTER_LOWER, METRIC_TIME},
    [COST] = {"cost", "ns", BETTER_LOWER, METRIC_TIME, .plain = true},
    [RATE] = {"rate", "per s", BETTER_NONE, METRIC_EVENTS},
    [TRANSFERS] = {"transfers", "per irq", BETTER_LOWER, METRIC_EVENTS, "model"},
    [DESC_TRANSFERS] = {"desc_transfers", "per irq", BETTER_LOWER, METRIC_EVENTS, "model"},
};

#define INTERRUPTS 1000 /* of each CPU in one pass; at a rate at most */
#define PASS_MS    10   /* at a rate: so long, but not for less than INTERRUPTS_MIN */
#define WORK_LOADS 32   /* in one round: some hundred cycles */
#define ROUNDS     1024 /* of the work alone; a multiple of the usual values of interleave= */

enum { INTERRUPTS_MIN = 16, WARM_UP = 4 };

/* 100: the timer of Linux 2.2; ten million leave not even time for the work. */
REGISTER_AXIS(irq_rate, "irqdesc", 100, 10000000, AXIS_OR_ZERO, "N[,N...]",
              "interrupts per second of each CPU; 0: back to back", 0);

/* What all CPUs do. */
struct load {
    unsigned cpus;
    uint64_t interrupts; /* of each CPU; 0: work alone */
    uint64_t rounds;     /* of work alone */
    uint64_t period;     /* cycles between two arrivals; 0: back to back */
};

/* What each CPU did. */
struct mine {
    uint64_t came;
    uint64_t rounds, hit;    /* all, and those in which an interrupt was raised or came */
    uint64_t cycles, in_hit; /* from start to end, and in those */
    uint64_t phase;          /* cycles from the start to its first arrival */
    uint64_t work[WORK_LOADS];
};
static PER_CPU(struct mine, mine);

NO_FP_CODE static bool take(unsigned irq, void *arg)
{
    (void)irq, (void)arg;
    this_of(mine).came++;
    return true;
}

static void work(const volatile uint64_t *mem)
{
    arch_irq_window();
    for (unsigned k = 0; k < WORK_LOADS; k++)
        (void)mem[k];
    interleave_step();
}

/* Nobody looks at the clock. */
static void back_to_back(struct mine *m, unsigned member, const struct load *l)
{
    unsigned irq = (unsigned)arch_irq_of_ipi(member);
    m->rounds = l->interrupts ? l->interrupts : l->rounds;
    m->hit = l->interrupts;
    for (uint64_t i = 0; i < m->rounds; i++) {
        if (l->interrupts)
            arch_irq_send(irq, member);
        work(m->work);
    }
}

static void at_a_rate(struct mine *m, unsigned member, const struct load *l)
{
    unsigned irq = (unsigned)arch_irq_of_ipi(member);
    uint64_t now = clock_read(), raised = 0, rounds = 0;
    uint64_t next = l->interrupts ? now + m->phase : UINT64_MAX;
    while (l->interrupts || rounds < l->rounds) {
        uint64_t came = load_once(&m->came);
        bool due = now >= next;
        if (due) {
            if (raised == l->interrupts)
                break;
            raised++;
            next += l->period;
            arch_irq_send(irq, member);
        }
        work(m->work);
        rounds++;
        uint64_t then = clock_read();
        if (due || load_once(&m->came) != came) {
            m->hit++;
            m->in_hit += then - now;
        }
        now = then;
    }
    m->rounds = rounds;
}

static void drive(unsigned member, void *arg)
{
    const struct load *l = arg;
    struct mine *m = &cpu_of(mine, member);
    m->came = m->hit = m->in_hit = 0;
    m->phase = l->period * member / l->cpus;
    uint64_t start = clock_read();
    if (l->period)
        at_a_rate(m, member, l);
    else
        back_to_back(m, member, l);
    arch_irq_window(); /* one that was still on its way */
    m->cycles = clock_elapsed(start, clock_read(), NULL);
    if (!l->period)
        m->in_hit = m->cycles;
}

static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    (void)scale;
    return axis_points(&irq_rate_axis, x);
}

static uint64_t subject_bytes(const struct lab_scale *scale)
{
    (void)scale;
    return 8ul << 20;
}

/* How many CPUs of the level have an interrupt of their own. */
static unsigned members(const struct sample *s)
{
    unsigned n = 0;
    while (n < lab_cpus(s) && arch_irq_of_ipi(n) >= 0)
        n++;
    return n;
}

/* Sums over the CPUs of what they did last. */
struct sums {
    uint64_t came, rounds, hit, cycles, in_hit, phase;
};

static struct sums sum_up(unsigned n)
{
    struct sums all = {0};
    for (unsigned cpu = 0; cpu < n; cpu++) {
        const struct mine *m = &cpu_of(mine, cpu);
        all.came += m->came;
        all.rounds += m->rounds;
        all.hit += m->hit;
        all.cycles += m->cycles;
        all.in_hit += m->in_hit;
        all.phase += m->phase;
    }
    return all;
}

static int load_of(struct sample *s, unsigned n, uint64_t rate, struct load *l)
{
    uint64_t hz = clock_info()->hz, per_pass = INTERRUPTS;
    if (rate && !hz)
        return lab_fail(s, "irq_rate=%lu: no clock here has a known frequency; valid: 0",
                        (unsigned long)rate);
    if (rate)
        per_pass = max_u64(INTERRUPTS_MIN, min_u64(INTERRUPTS, rate * PASS_MS / 1000));
    *l = (struct load){n, per_pass * lab_passes(s), ROUNDS, rate ? hz / rate : 0};
    return 0;
}

/* The work alone, and what the interrupts took beyond it. */
static int measure_cost(struct sample *s, unsigned point, struct load *l, const struct sums *with)
{
    struct lab_team_interval t;
    uint64_t hz = clock_info()->hz;
    l->interrupts = 0;
    if (lab_team(s, l->cpus, drive, l, &t))
        return -1;
    struct sums without = sum_up(l->cpus);
    double round = (double)without.cycles / (double)without.rounds;
    double cost = ((double)with->in_hit - (double)with->hit * round) / (double)with->came;
    lab_value(s, point, COST, hz ? cost * 1e9 / (double)hz : cost, false);
    if (hz)
        lab_value(s, point, RATE,
                  (double)with->came * (double)hz / (double)(with->cycles - with->phase), false);
    return 0;
}

static int measure(struct sample *s, unsigned point, unsigned n, uint64_t range_bytes)
{
    struct lab_team_interval t;
    struct load l, few;
    if (load_of(s, n, lab_x(s, point), &l))
        return -1;
    few = l;
    few.interrupts = WARM_UP;
    if (l.period && lab_team(s, n, drive, &few, &t))
        return -1;
    model_name_range(0, "irq_desc", irq_desc_base(), range_bytes);
    struct model_range_events before = model_range_events(0);
    if (lab_team(s, n, drive, &l, &t))
        return -1;
    struct model_range_events after = model_range_events(0);
    struct sums with = sum_up(n);
    if (with.came != n * l.interrupts)
        return lab_fail(s, "%lu interrupts were raised, %lu came",
                        (unsigned long)(n * l.interrupts), (unsigned long)with.came);
    lab_team_measured(s, point, INTERRUPT, &t, l.interrupts);
    lab_model_value(s, point, TRANSFERS, (double)t.lines.transfers / (double)with.came);
    lab_model_value(s, point, DESC_TRANSFERS,
                    (double)(after.transfers - before.transfers) / (double)with.came);
    return measure_cost(s, point, &l, &with);
}

static void conclude(const struct results *r)
{
    for (unsigned level = 0; level < r->levels->count; level++) {
        for (unsigned point = 0; point < r->points; point++) {
            const double *rate = results_cell(r, level, point, RATE);
            double lowest = INFINITY;
            for (unsigned i = 0; i < r->blocks; i++)
                lowest = fmin(lowest, rate[i]);
            if (lowest < 0.99 * (double)r->x[point])
                say("# irqdesc, %s: irq_rate=%lu is too much: %.0f per s came\n",
                    r->levels->level[level].name, (unsigned long)r->x[point], lowest);
        }
    }
}

static int run(struct sample *s)
{
    const struct smp_setup *smp = &lab_memory(s)->setup->smp;
    struct irq_layout layout = {smp->irq_stride_bytes, smp->irq_offset_bytes};
    struct irq_layout posted = IRQ_LAYOUT_POSTED;
    unsigned n = members(s);
    int bad = 0;
    if (!n)
        return lab_fail(s, "this machine's CPUs cannot send each other interrupts");
    irq_set_layout(&layout);
    for (unsigned cpu = 0; cpu < n; cpu++)
        bad |= irq_request((unsigned)arch_irq_of_ipi(cpu), take, NULL);
    if (bad)
        lab_fail(s, "an interrupt cannot be had");
    for (unsigned point = 0; point < lab_points(s) && !bad; point++)
        bad = measure(s, point, n, (uint64_t)IRQ_MAX * layout.stride_bytes);
    for (unsigned cpu = 0; cpu < n; cpu++)
        irq_free((unsigned)arch_irq_of_ipi(cpu), take, NULL);
    irq_set_layout(&posted);
    const char *broken = irq_check();
    return broken ? lab_fail(s, "%s", broken) : bad ? -1 : 0;
}

REGISTER(workload, irqdesc) = {
    .name = "irqdesc",
    .what = "interrupts on all CPUs, at a rate, by the layout of their descriptors (irq_desc=)",
    .source = "seed 000, the irq alignment patch",
    .axis = "irq_rate, per s",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .team = true,
    .points = points,
    .subject_bytes = subject_bytes,
    .run = run,
    .conclude = conclude,
};
