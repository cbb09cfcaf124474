/* Interrupt descriptors and dispatch. Contract in irq.h. */
#include "irq/irq.h"

#include "core/cpu.h"
#include "core/errno.h"
#include "core/lock.h"
#include "core/panic.h"
#include "mm/own.h"

#define ACTIONS 64 /* as many as there are numbers; 0 is none */
#define CHIPS   8

struct action {
    irq_handler handler; /* NULL: free */
    void *arg;
    uint32_t next;
};

struct counts {
    uint64_t taken[IRQ_MAX];
    uint64_t spurious;
};

/* Of the largest stride and offset. Page aligned, so that offsets mean what they say. */
#define AREA_BYTES (IRQ_MAX * 128 + 128)
static uint8_t *area;

static uint8_t *base;
static uint64_t stride = IRQ_DESC_BYTES;
static struct lock irq_lock = LOCK_INIT("irq"); /* over everything here but the counts */
static struct action actions[ACTIONS];
static const struct arch_irq_chip *chips[CHIPS];
static unsigned chip_count = 1;   /* 0 is nobody */
static uint32_t unknown[IRQ_MAX]; /* in a row that no action knew */
static uint64_t unhandled[IRQ_MAX];
static PER_CPU(struct counts, counts);

static struct irq_desc *desc_of(unsigned irq)
{
    return (struct irq_desc *)(base + irq * stride);
}

/* ---- set-up -------------------------------------------------------------------------------- */

void irq_init(void)
{
    base = area = own_array(AREA_BYTES);
    if (!area)
        panic("no memory left for the interrupt descriptors");
    arch_irqs_init();
}

void irq_add_chip(const struct arch_irq_chip *chip, unsigned first, unsigned n, bool per_cpu)
{
    check(1, chip_count < CHIPS && n <= IRQ_MAX && first <= IRQ_MAX - n);
    chips[chip_count] = chip;
    for (unsigned irq = first; irq < first + n; irq++)
        *desc_of(irq) = (struct irq_desc){.status = IRQ_DISABLED | (per_cpu ? IRQ_PER_CPU : 0),
                                          .chip = chip_count};
    chip_count++;
}

void irq_set_layout(const struct irq_layout *l)
{
    struct irq_desc all[IRQ_MAX];
    unsigned long was = lock_take_irq(&irq_lock);
    for (unsigned irq = 0; irq < IRQ_MAX; irq++) {
        all[irq] = *desc_of(irq);
        check(1, !(all[irq].status & IRQ_INPROGRESS));
    }
    base = area + l->offset_bytes;
    stride = l->stride_bytes;
    for (unsigned irq = 0; irq < IRQ_MAX; irq++)
        *desc_of(irq) = all[irq];
    lock_drop_irq(&irq_lock, was);
}

const void *irq_desc_base(void)
{
    return base;
}

/* ---- actions ------------------------------------------------------------------------------- */

/* The link that holds the index of this action, or of the end of the chain. */
static uint32_t *find(struct irq_desc *d, irq_handler handler, void *arg)
{
    uint32_t *link = &d->action;
    while (*link && (actions[*link].handler != handler || actions[*link].arg != arg))
        link = &actions[*link].next;
    return link;
}

static int add_action(unsigned irq, irq_handler handler, void *arg)
{
    struct irq_desc *d = desc_of(irq);
    uint32_t i = 1, *link = find(d, handler, arg);
    if (!d->chip)
        return -TT_ENODEV;
    if (*link)
        return -TT_EBUSY;
    while (i < ACTIONS && actions[i].handler)
        i++;
    if (i == ACTIONS)
        return -TT_ENOSPC;
    actions[i] = (struct action){.handler = handler, .arg = arg};
    store_release(link, i); /* dispatch walks the chain without the lock */
    if (d->action == i) {
        unknown[irq] = 0;
        d->status &= IRQ_PER_CPU;
        if (d->depth)
            d->status |= IRQ_DISABLED;
        else
            chips[d->chip]->enable(irq);
    }
    return 0;
}

int irq_request(unsigned irq, irq_handler handler, void *arg)
{
    if (irq >= IRQ_MAX)
        return -TT_ENODEV;
    unsigned long was = lock_take_irq(&irq_lock);
    int bad = add_action(irq, handler, arg);
    lock_drop_irq(&irq_lock, was);
    return bad;
}

static int remove_action(unsigned irq, irq_handler handler, void *arg)
{
    struct irq_desc *d = desc_of(irq);
    uint32_t *link = find(d, handler, arg), i = *link;
    if (!i)
        return -TT_ENOENT;
    *link = actions[i].next;
    if (!d->action) {
        d->status |= IRQ_DISABLED;
        chips[d->chip]->disable(irq);
    }
    /* Another CPU may be in it: then it stays in place until that CPU is through. */
    while (load_acquire(&d->status) & IRQ_INPROGRESS) {
        lock_drop(&irq_lock);
        cpu_relax();
        lock_take(&irq_lock);
    }
    actions[i].handler = NULL;
    return 0;
}

int irq_free(unsigned irq, irq_handler handler, void *arg)
{
    if (irq >= IRQ_MAX)
        return -TT_ENOENT;
    unsigned long was = lock_take_irq(&irq_lock);
    int bad = remove_action(irq, handler, arg);
    lock_drop_irq(&irq_lock, was);
    return bad;
}

/* ---- off and on ---------------------------------------------------------------------------- */

int irq_disable(unsigned irq)
{
    if (irq >= IRQ_MAX || !desc_of(irq)->chip)
        return -TT_ENODEV;
    unsigned long was = lock_take_irq(&irq_lock);
    struct irq_desc *d = desc_of(irq);
    if (d->depth++ == 0) {
        d->status |= IRQ_DISABLED;
        chips[d->chip]->disable(irq);
    }
    lock_drop_irq(&irq_lock, was);
    return 0;
}

int irq_enable(unsigned irq)
{
    int bad = 0;
    if (irq >= IRQ_MAX || !desc_of(irq)->chip)
        return -TT_ENODEV;
    unsigned long was = lock_take_irq(&irq_lock);
    struct irq_desc *d = desc_of(irq);
    if (d->depth == 0) {
        bad = -TT_EINVAL;
    } else if (--d->depth == 0 && d->action && !(d->status & IRQ_SHUT)) {
        d->status &= ~(uint32_t)(IRQ_DISABLED | IRQ_PENDING);
        chips[d->chip]->enable(irq);
    }
    lock_drop_irq(&irq_lock, was);
    return bad;
}

/* ---- dispatch ------------------------------------------------------------------------------ */

/* Counts what nobody knew; after too many in a row the interrupt is shut off for good. */
static void judge(unsigned irq, struct irq_desc *d, bool known)
{
    if (known) {
        if (unknown[irq]) /* neighbours share lines: no word is written for nothing */
            unknown[irq] = 0;
        return;
    }
    unhandled[irq]++;
    if (++unknown[irq] < IRQ_UNHANDLED_MAX)
        return;
    d->status |= IRQ_SHUT | IRQ_DISABLED;
    chips[d->chip]->disable(irq);
}

static bool run_actions(unsigned irq, uint32_t first)
{
    bool known = false;
    for (uint32_t i = first; i; i = load_acquire(&actions[i].next))
        known |= actions[i].handler(irq, actions[i].arg);
    return known;
}

static void run_per_cpu(unsigned irq, uint32_t first)
{
    lock_drop(&irq_lock);
    bool known = run_actions(irq, first);
    lock_take(&irq_lock);
    judge(irq, desc_of(irq), known);
}

/*
 * As 2.2's do_IRQ: acknowledge and claim under the lock, run without it, give back under the lock.
 * What comes again meanwhile, here or on another CPU, is left to whoever runs.
 */
bool irq_enter(unsigned irq)
{
    this_of(counts).taken[irq]++;
    lock_take(&irq_lock);
    struct irq_desc *d = desc_of(irq);
    if (!d->chip) {
        this_of(counts).spurious++;
        lock_drop(&irq_lock);
        return false;
    }
    const struct arch_irq_chip *chip = chips[d->chip];
    chip->ack(irq);
    if (d->status & IRQ_PER_CPU) {
        if (!(d->status & IRQ_DISABLED))
            run_per_cpu(irq, d->action);
        lock_drop(&irq_lock);
        return true;
    }
    d->status |= IRQ_PENDING;
    if (d->status & (IRQ_DISABLED | IRQ_INPROGRESS)) {
        lock_drop(&irq_lock);
        return true;
    }
    while ((d->status & (IRQ_PENDING | IRQ_DISABLED)) == IRQ_PENDING) {
        uint32_t first = d->action;
        d->status = (d->status & ~(uint32_t)IRQ_PENDING) | IRQ_INPROGRESS;
        lock_drop(&irq_lock);
        bool known = run_actions(irq, first);
        lock_take(&irq_lock);
        judge(irq, d, known);
    }
    d->status &= ~(uint32_t)IRQ_INPROGRESS;
    if (!(d->status & IRQ_DISABLED))
        chip->end(irq);
    lock_drop(&irq_lock);
    return true;
}

/* ---- reading ------------------------------------------------------------------------------- */

uint64_t irq_count(unsigned irq, unsigned cpu)
{
    return load_once(&cpu_of(counts, cpu).taken[irq]);
}

uint64_t irq_unhandled(unsigned irq)
{
    return load_once(&unhandled[irq]);
}

uint64_t irq_spurious(void)
{
    uint64_t sum = 0;
    for (unsigned cpu = 0; cpu < CPU_MAX; cpu++)
        sum += load_once(&cpu_of(counts, cpu).spurious);
    return sum;
}

struct irq_desc irq_describe(unsigned irq)
{
    unsigned long was = lock_take_irq(&irq_lock);
    struct irq_desc d = *desc_of(irq);
    lock_drop_irq(&irq_lock, was);
    return d;
}

static const char *check_one(const struct irq_desc *d, bool *used)
{
    if (d->chip >= chip_count || (!d->chip && (d->action || d->status)))
        return "an interrupt's controller is none";
    bool off = d->depth || !d->action || (d->status & IRQ_SHUT);
    if (d->chip && off != !!(d->status & IRQ_DISABLED))
        return "an interrupt's status says something else than its depth and actions";
    for (uint32_t i = d->action; i; i = actions[i].next) {
        if (i >= ACTIONS || !actions[i].handler || used[i])
            return "an interrupt's chain of actions is broken or shared";
        used[i] = true;
    }
    return NULL;
}

const char *irq_check(void)
{
    bool used[ACTIONS] = {false};
    const char *broken = NULL;
    unsigned long was = lock_take_irq(&irq_lock);
    for (unsigned irq = 0; irq < IRQ_MAX && !broken; irq++)
        broken = check_one(desc_of(irq), used);
    for (unsigned i = 1; i < ACTIONS && !broken; i++)
        if (!used[i] != !actions[i].handler)
            broken = "an action belongs to no interrupt";
    lock_drop_irq(&irq_lock, was);
    return broken;
}
