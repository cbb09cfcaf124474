/*
 * irqdesc: interrupts on all CPUs at once, each of its own number, neighbours in the table.
 *
 * Seed 000's irq patch in small: Linux 2.2 kept 16-byte descriptors side by side, so CPUs that
 * take different interrupts write to the same line; the patch made each 32 bytes and aligned the
 * table. Here each CPU raises its own interrupt (a message to itself), takes it through
 * irq/irq.c's dispatch, and does a little work; one pass is INTERRUPTS of them on every CPU. Under
 * the cache model the transfers of descriptor lines are counted apart from all transfers: the
 * rest is the table's one lock, which no layout helps.
 */
#include "core/interleave.h"
#include "irq/irq.h"
#include "lab/team.h"

enum { COST, TRANSFERS, DESC_TRANSFERS };

static const struct metric metrics[] = {
    [COST] = {"interrupt", "ns", BETTER_LOWER, METRIC_TIME},
    [TRANSFERS] = {"transfers", "per irq", BETTER_LOWER, METRIC_EVENTS, "model"},
    [DESC_TRANSFERS] = {"desc_transfers", "per irq", BETTER_LOWER, METRIC_EVENTS, "model"},
};

#define INTERRUPTS 1000
#define WORK_LOADS 32 /* between two interrupts: some hundred cycles */

struct mine {
    uint64_t came;
    uint64_t work[WORK_LOADS];
};
static PER_CPU(struct mine, mine);

NO_FP_CODE static bool take(unsigned irq, void *arg)
{
    (void)irq, (void)arg;
    this_of(mine).came++;
    return true;
}

static void raise(unsigned member, void *arg)
{
    unsigned irq = (unsigned)arch_irq_of_ipi(member);
    volatile uint64_t *work = cpu_of(mine, member).work;
    uint64_t interrupts = *(const uint64_t *)arg;
    for (uint64_t i = 0; i < interrupts; i++) {
        arch_irq_send(irq, member);
        arch_irq_window();
        for (unsigned k = 0; k < WORK_LOADS; k++)
            (void)work[k];
        interleave_step();
    }
    arch_irq_window(); /* one that was still on its way */
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

static int measure(struct sample *s, unsigned n, uint64_t range_bytes)
{
    struct lab_team_interval t;
    uint64_t each = (uint64_t)INTERRUPTS * lab_passes(s), taken = 0;
    model_name_range(0, "irq_desc", irq_desc_base(), range_bytes);
    struct model_range_events before = model_range_events(0);
    for (unsigned cpu = 0; cpu < n; cpu++)
        cpu_of(mine, cpu).came = 0;
    if (lab_team(s, n, raise, &each, &t))
        return -1;
    struct model_range_events after = model_range_events(0);
    for (unsigned cpu = 0; cpu < n; cpu++)
        taken += cpu_of(mine, cpu).came;
    if (taken != n * each)
        return lab_fail(s, "%lu interrupts were raised, %lu came", (unsigned long)(n * each),
                        (unsigned long)taken);
    lab_team_measured(s, 0, COST, &t, each);
    lab_model_value(s, 0, TRANSFERS, (double)t.lines.transfers / (double)taken);
    lab_model_value(s, 0, DESC_TRANSFERS,
                    (double)(after.transfers - before.transfers) / (double)taken);
    return 0;
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
    if (!bad)
        bad = measure(s, n, (uint64_t)IRQ_MAX * layout.stride_bytes);
    else
        lab_fail(s, "an interrupt cannot be had");
    for (unsigned cpu = 0; cpu < n; cpu++)
        irq_free((unsigned)arch_irq_of_ipi(cpu), take, NULL);
    irq_set_layout(&posted);
    const char *broken = irq_check();
    return broken ? lab_fail(s, "%s", broken) : bad ? -1 : 0;
}

REGISTER(workload, irqdesc) = {
    .name = "irqdesc",
    .what = "interrupts on all CPUs, by the layout of their descriptors (irq_desc=)",
    .source = "seed 000, the irq alignment patch",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .team = true,
    .subject_bytes = subject_bytes,
    .run = run,
};
