/* Per-CPU page lists. Contract in pcp.h. Only push and pop touch lists and counts. */
#include "mm/pcp.h"

#include "core/panic.h"

/* Lists of one CPU start on a line of their own. */
static size_t cpu_bytes(const struct memory *m)
{
    size_t lists = 0;
    for (unsigned order = 0; order <= PCP_ORDER_MAX; order++)
        lists += m->list_color.classes[order];
    return align_up(lists * sizeof(struct pcp_list), 128);
}

size_t pcp_bytes(const struct memory *m, unsigned cpus)
{
    return cpus * cpu_bytes(m);
}

void pcp_init(struct pcp *p, struct memory *m, unsigned cpus, unsigned batch, unsigned high,
              void *lists)
{
    check(1, cpus >= 1 && cpus <= CPU_MAX && batch >= 1 && batch <= high);
    *p = (struct pcp){.memory = m, .cpus = cpus, .batch = batch, .high = high};
    p->lock = LOCK_INIT("instance");
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        struct pcp_list *at = (struct pcp_list *)((char *)lists + cpu * cpu_bytes(m));
        p->cpu[cpu].lock = LOCK_INIT("page lists of a CPU");
        for (unsigned order = 0; order <= PCP_ORDER_MAX; order++) {
            p->cpu[cpu].list[order] = at;
            for (uint32_t c = 0; c < m->list_color.classes[order]; c++)
                *at++ = (struct pcp_list){.first = PAGE_NR_NONE};
        }
    }
}

/* ---- one list ------------------------------------------------------------------------------ */

static void push(struct pcp *p, struct pcp_list *l, uint32_t nr)
{
    *page_next(&p->memory->pages, nr) = l->first;
    l->first = nr;
    l->count++;
}

static uint32_t pop(struct pcp *p, struct pcp_list *l)
{
    uint32_t nr = l->first;
    l->first = *page_next(&p->memory->pages, nr);
    l->count--;
    return nr;
}

static struct pcp_list *list_of(const struct pcp *p, struct pcp_cpu *c, unsigned order,
                                color_t color)
{
    return &c->list[order][color >> p->memory->list_color.shift[order]];
}

static uint32_t number_of(const struct pcp *p, pfn_t block)
{
    const struct page_range *r = pages_find_range(&p->memory->pages, block);
    check(1, r != NULL);
    return (uint32_t)(block.n - r->start) + r->first;
}

/* Up to batch blocks that cover a colour; the CPU's lock is held. */
static void refill(struct pcp *p, struct pcp_list *l, unsigned order, color_t color)
{
    struct nodes *nodes = &p->memory->nodes;
    const uint8_t *near = nodes->near[nodes_here(nodes)];
    lock_take(&p->lock);
    for (unsigned i = 0, node = 0; i < p->batch && node < nodes->count; i++) {
        pfn_t block = buddy_alloc(&nodes->lists[near[node]], order, color);
        if (block.n != PFN_NONE.n)
            push(p, l, number_of(p, block));
        else
            node++;
    }
    lock_drop(&p->lock);
}

/* Gives n blocks back; the CPU's lock is held. */
static void give_back(struct pcp *p, struct pcp_list *l, unsigned order, uint32_t n)
{
    lock_take(&p->lock);
    for (; n && l->count; n--)
        memory_free(p->memory, page_pfn(&p->memory->pages, pop(p, l)), order);
    lock_drop(&p->lock);
}

/* ---- the CPUs' ----------------------------------------------------------------------------- */

/* The policy's wish in terms of the lists, 0 where it has none. */
static color_t wish(struct pcp *p, const struct place_request *q)
{
    const struct policy *policy = p->memory->setup->policy;
    if (!policy->want)
        return 0;
    lock_take(&p->lock);
    color_t want = policy->want(&p->memory->policy, q);
    lock_drop(&p->lock);
    return want;
}

static pfn_t past_the_lists(struct pcp *p, const struct place_request *q)
{
    unsigned long irq = lock_take_irq(&p->lock);
    pfn_t block = memory_alloc(p->memory, q);
    lock_drop_irq(&p->lock, irq);
    return block;
}

static pfn_t from_list(struct pcp *p, unsigned order, color_t color)
{
    struct pcp_cpu *c = &p->cpu[cpu_id()];
    struct pcp_list *l = list_of(p, c, order, color);
    pfn_t block = PFN_NONE;
    unsigned long irq = lock_take_irq(&c->lock);
    if (l->first == PAGE_NR_NONE)
        refill(p, l, order, color);
    if (l->first != PAGE_NR_NONE)
        block = page_pfn(&p->memory->pages, pop(p, l));
    lock_drop_irq(&c->lock, irq);
    return block;
}

pfn_t pcp_alloc(struct pcp *p, const struct place_request *q)
{
    if (q->order > PCP_ORDER_MAX || p->memory->setup->policy->pick)
        return past_the_lists(p, q);
    color_t color = wish(p, q);
    pfn_t block = from_list(p, q->order, color);
    if (block.n != PFN_NONE.n)
        return block;
    /* Nothing of this colour, here or in the instance: whatever the fallback finds. */
    block = past_the_lists(p, q);
    if (block.n != PFN_NONE.n)
        return block;
    pcp_drain(p);
    return past_the_lists(p, q);
}

void pcp_free(struct pcp *p, pfn_t block, unsigned order)
{
    struct memory *m = p->memory;
    if (order > PCP_ORDER_MAX || m->setup->policy->pick) {
        unsigned long irq = lock_take_irq(&p->lock);
        memory_free(m, block, order);
        lock_drop_irq(&p->lock, irq);
        return;
    }
    uint32_t nr = number_of(p, block);
    check(1, page_is_block(&m->pages, nr, PAGE_USED, order));
    struct pcp_cpu *c = &p->cpu[cpu_id()];
    unsigned long irq = lock_take_irq(&c->lock);
    struct pcp_list *l = list_of(p, c, order, color_of(&m->list_color, block));
    push(p, l, nr);
    if (l->count >= p->high)
        give_back(p, l, order, p->batch);
    lock_drop_irq(&c->lock, irq);
}

void pcp_drain(struct pcp *p)
{
    for (unsigned cpu = 0; cpu < p->cpus; cpu++) {
        struct pcp_cpu *c = &p->cpu[cpu];
        unsigned long irq = lock_take_irq(&c->lock);
        for (unsigned order = 0; order <= PCP_ORDER_MAX; order++)
            for (uint32_t class = 0; class < p->memory->list_color.classes[order]; class ++)
                give_back(p, &c->list[order][class], order, c->list[order][class].count);
        lock_drop_irq(&c->lock, irq);
    }
}

static const char *check_list(struct pcp *p, const struct pcp_list *l, unsigned order,
                              uint32_t class)
{
    const struct pages *pages = &p->memory->pages;
    uint32_t n = 0;
    for (uint32_t nr = l->first; nr != PAGE_NR_NONE; nr = *page_next(pages, nr)) {
        if (nr >= pages->count || n++ == l->count)
            return "a page list of a CPU leads nowhere, or is longer than its count";
        if (!page_is_block(pages, nr, PAGE_USED, order))
            return "a block on a page list of a CPU is free, or of another order";
        color_t c = color_of(&p->memory->list_color, page_pfn(pages, nr));
        if (c >> p->memory->list_color.shift[order] != class)
            return "a block on a page list of a CPU has another colour";
    }
    return n == l->count ? NULL : "a page list of a CPU is shorter than its count";
}

const char *pcp_check(struct pcp *p)
{
    for (unsigned cpu = 0; cpu < p->cpus; cpu++)
        for (unsigned order = 0; order <= PCP_ORDER_MAX; order++)
            for (uint32_t class = 0; class < p->memory->list_color.classes[order]; class ++) {
                const char *broken = check_list(p, &p->cpu[cpu].list[order][class], order, class);
                if (broken)
                    return broken;
            }
    return NULL;
}
