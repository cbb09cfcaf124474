/*
 * pagestruct: page faults, frees and interrupts on all CPUs, as seed 000's load had them.
 *
 * Each CPU faults pages of its own address space in, touches them, unmaps and frees them, and
 * takes an interrupt of its own number after every INTERRUPT_EVERY faults. One lock over the free
 * lists and one over the interrupt descriptors, as in Linux 2.2, which had no per-CPU page lists.
 * Touched of a descriptor: next and prev (free lists), flags (reserved, swap cache), count. The
 * four kernels of the post are page_struct=2.2:40 or 2.2:48 with irq_desc=16 or 32 (levels= of the
 * preset seed000): its page patch padded 40 bytes by 40 % 32 = 8, to 48.
 */
#include "core/interleave.h"
#include "core/trap.h"
#include "irq/irq.h"
#include "lab/team.h"

enum { FAULT, TRANSFERS, DESC_TRANSFERS, IRQ_TRANSFERS };

static const struct metric metrics[] = {
    [FAULT] = {"fault", "ns", BETTER_LOWER, METRIC_TIME},
    [TRANSFERS] = {"transfers", "per fault", BETTER_LOWER, METRIC_EVENTS, "model"},
    [DESC_TRANSFERS] = {"page_transfers", "per fault", BETTER_LOWER, METRIC_EVENTS, "model"},
    [IRQ_TRANSFERS] = {"irq_transfers", "per fault", BETTER_LOWER, METRIC_EVENTS, "model"},
};

#define FAULTS          512 /* of each CPU in one pass */
#define HELD            16  /* pages mapped at a time: a small process' growth */
#define INTERRUPT_EVERY 16

/* One CPU's process. */
struct task {
    struct arch_space space;
    uint64_t interrupts;
    uint32_t failed; /* no page, or no table */
    unsigned passes;
};
static PER_CPU(struct task, tasks);

static struct memory *memory;

NO_FP_CODE static uint32_t number_of(pfn_t p)
{
    const struct page_range *r = pages_find_range(&memory->pages, p);
    return (uint32_t)(p.n - r->start) + r->first;
}

/* The fault handler: one page at the address. */
NO_FP_CODE static bool fault(const struct trap_info *t, void *arg)
{
    struct task *task = arg;
    uintptr_t va = t->address & ~(uintptr_t)(PAGE_SIZE - 1);
    struct place_request q = {.va = va, .space = cpu_id(), .pid = cpu_id() + 1};
    pfn_t p = memory_alloc_shared(memory, &q);
    if (p.n == PFN_NONE.n)
        return false;
    store_once(page_field(&memory->pages, number_of(p), memory->pages.shape->count), 1);
    return !arch_space_map(&task->space, va, p, 0, PROT_R | PROT_W);
}

static void unmap_and_free(struct task *task, uintptr_t va)
{
    struct pages *pages = &memory->pages;
    pfn_t p = arch_space_unmap(&task->space, va);
    uint32_t nr = number_of(p);
    (void)load_once(page_flag_word(pages, nr));
    if (fetch_add(page_field(pages, nr, pages->shape->count), (uint32_t)-1) != 1) {
        task->failed = 1;
        return;
    }
    memory_free_shared(memory, p, 0);
}

NO_FP_CODE static bool take(unsigned irq, void *arg)
{
    (void)irq;
    ((struct task *)arg)->interrupts++;
    return true;
}

static void work(unsigned member, void *arg)
{
    struct task *task = &cpu_of(tasks, member);
    unsigned irq = (unsigned)arch_irq_of_ipi(member);
    (void)arg;
    arch_space_switch(&task->space);
    trap_set_fault_hook(fault, task);
    for (unsigned i = 0; i < FAULTS * task->passes; i++) {
        uintptr_t va = ARCH_WINDOW + ((uintptr_t)(i % HELD) << PAGE_SHIFT);
        if (i >= HELD)
            unmap_and_free(task, va);
        interleave_step(); /* so that what one CPU frees is another one's next page */
        *(volatile char *)va = 1;
        if (i % INTERRUPT_EVERY == 0) {
            arch_irq_send(irq, member);
            arch_irq_window();
        }
        interleave_step();
    }
    for (unsigned i = 0; i < HELD; i++)
        unmap_and_free(task, ARCH_WINDOW + ((uintptr_t)i << PAGE_SHIFT));
    arch_irq_window();
    trap_set_fault_hook(NULL, NULL);
    arch_space_switch(NULL);
}

static uint64_t subject_bytes(const struct lab_scale *scale)
{
    (void)scale;
    return 64ul << 20;
}

static int run_team(struct sample *s, unsigned n, unsigned passes, struct lab_team_interval *t)
{
    for (unsigned cpu = 0; cpu < n; cpu++)
        cpu_of(tasks, cpu).passes = passes;
    return lab_team(s, n, work, NULL, t);
}

static int measure(struct sample *s, unsigned n)
{
    struct pages *pages = &memory->pages;
    const struct smp_setup *smp = &memory->setup->smp;
    uint64_t all = (uint64_t)n * FAULTS * lab_passes(s), taken = 0;
    struct lab_team_interval t;
    model_name_range(0, "descriptors", pages->base, pages->count * pages->stride);
    model_name_range(1, "irq_desc", irq_desc_base(), IRQ_MAX * smp->irq_stride_bytes);
    if (run_team(s, n, 1, &t)) /* tables are there, lists have settled */
        return -1;
    struct model_range_events page = model_range_events(0), irq = model_range_events(1);
    if (run_team(s, n, lab_passes(s), &t))
        return -1;
    page.transfers = model_range_events(0).transfers - page.transfers;
    irq.transfers = model_range_events(1).transfers - irq.transfers;
    for (unsigned cpu = 0; cpu < n; cpu++) {
        if (cpu_of(tasks, cpu).failed)
            return lab_fail(s, "CPU %u: a page's count was wrong", cpu);
        taken += cpu_of(tasks, cpu).interrupts;
    }
    uint64_t raised = (uint64_t)n * FAULTS * (lab_passes(s) + 1) / INTERRUPT_EVERY;
    if (taken != raised)
        return lab_fail(s, "%lu interrupts were raised, %lu came", (unsigned long)raised,
                        (unsigned long)taken);
    lab_team_measured(s, 0, FAULT, &t, all);
    lab_model_value(s, 0, TRANSFERS, (double)t.lines.transfers / (double)all);
    lab_model_value(s, 0, DESC_TRANSFERS, (double)page.transfers / (double)all);
    lab_model_value(s, 0, IRQ_TRANSFERS, (double)irq.transfers / (double)all);
    return 0;
}

static int run(struct sample *s)
{
    memory = lab_memory(s);
    const struct smp_setup *smp = &memory->setup->smp;
    struct irq_layout layout = {smp->irq_stride_bytes, smp->irq_offset_bytes};
    struct irq_layout posted = IRQ_LAYOUT_POSTED;
    unsigned n = lab_cpus(s), made = 0;
    int bad = 0;
    irq_set_layout(&layout);
    while (made < n && !bad) {
        struct task *task = &cpu_of(tasks, made);
        *task = (struct task){0};
        int irq = arch_irq_of_ipi(made);
        if (irq < 0 || arch_space_create(&task->space))
            break;
        made++;
        bad = irq_request((unsigned)irq, take, task);
    }
    if (made < n || bad)
        bad = lab_fail(s, "no interrupt or no address space for CPU %u", made);
    else
        bad = measure(s, n);
    for (unsigned cpu = 0; cpu < made; cpu++) {
        irq_free((unsigned)arch_irq_of_ipi(cpu), take, &cpu_of(tasks, cpu));
        arch_space_destroy(&cpu_of(tasks, cpu).space);
    }
    irq_set_layout(&posted);
    return bad;
}

REGISTER(workload, pagestruct) = {
    .name = "pagestruct",
    .what = "page faults, frees and interrupts on all CPUs, by page_struct= and irq_desc=",
    .source = "seed 000: a stock 2.2.5 kernel, p-al, irq, both",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .team = true,
    .subject_bytes = subject_bytes,
    .run = run,
};
