/* Per-CPU page lists. Contract in pcp.h. Only push, pop and refill touch lists and counts. */
#include "mm/pcp.h"

#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"

#include <string.h>

int pcp_parse(const char *s, struct pcp_spec *out, char *err, size_t err_bytes)
{
    *out = (struct pcp_spec){.automatic = !strcmp(s, "auto")};
    if (out->automatic || !strcmp(s, "off"))
        return 0;
    char batch[8];
    uint64_t v[2] = {0, 0};
    bool ok = true;
    const char *high = parse_item(s, ':', batch, sizeof batch, &ok);
    if (!high || !ok || parse_u64(batch, 1, PCP_HIGH_MAX, &v[0]) ||
        parse_u64(high, v[0], PCP_HIGH_MAX, &v[1])) {
        ksnprintf(err, err_bytes,
                  "%s: valid: auto, off, or BATCH:HIGH with 1 <= BATCH <= HIGH <= %u", s,
                  PCP_HIGH_MAX);
        return -TT_EINVAL;
    }
    out->batch = (unsigned)v[0];
    out->high = (unsigned)v[1];
    return 0;
}

/* Lists of one CPU start on a line of their own. */
static size_t cpu_bytes(unsigned nodes, const struct color_map *map)
{
    size_t lists = 0;
    for (unsigned order = 0; order <= PCP_ORDER_MAX; order++)
        lists += map->classes[order];
    return align_up(nodes * lists * sizeof(struct pcp_list), 128);
}

size_t pcp_bytes(unsigned cpus, unsigned nodes, const struct color_map *map)
{
    return cpus * cpu_bytes(nodes, map);
}

static void init_cpu(struct pcp *p, struct pcp_cpu *c, struct pcp_list *at)
{
    c->lock = LOCK_INIT("page lists of a CPU");
    c->blocks = 0;
    for (unsigned node = 0; node < p->nodes->count; node++) {
        for (unsigned order = 0; order <= PCP_ORDER_MAX; order++) {
            c->list[node][order] = at;
            for (uint32_t class = 0; class < p->map->classes[order]; class ++)
                *at++ = (struct pcp_list){.first = PAGE_NR_NONE};
        }
    }
}

void pcp_init(struct pcp *p, const struct pcp_spec *s, unsigned cpus, struct nodes *nodes,
              const struct color_map *map, void *memory)
{
    check(1, cpus >= 1 && cpus <= CPU_MAX && s->batch >= 1 && s->batch <= s->high);
    p->nodes = nodes;
    p->map = map;
    p->cpus = cpus;
    p->batch = s->batch;
    p->high = s->high;
    for (unsigned i = 0; i < nodes->count; i++)
        p->node[i].lock = LOCK_INIT("free lists of a node");
    for (unsigned i = 0; i < cpus; i++)
        init_cpu(p, &p->cpu[i],
                 (struct pcp_list *)((char *)memory + i * cpu_bytes(nodes->count, map)));
}

/* ---- one list: the CPU's lock is held ------------------------------------------------------ */

static void mark(struct pcp *p, uint32_t nr, enum page_state state, unsigned order)
{
    if (CHECK >= 1)
        page_set_block(p->nodes->pages, nr, state, order);
}

static void push(struct pcp *p, struct pcp_cpu *c, struct pcp_list *l, uint32_t nr, unsigned order)
{
    mark(p, nr, PAGE_LISTED, order);
    *page_next(p->nodes->pages, nr) = l->first;
    l->first = nr;
    l->count++;
    c->blocks++;
}

static pfn_t pop(struct pcp *p, struct pcp_cpu *c, struct pcp_list *l, unsigned order)
{
    uint32_t nr = l->first;
    l->first = *page_next(p->nodes->pages, nr);
    l->count--;
    c->blocks--;
    mark(p, nr, PAGE_USED, order);
    return page_pfn(p->nodes->pages, nr);
}

static uint32_t number_of(const struct pcp *p, pfn_t block)
{
    uint32_t nr = page_nr(p->nodes->pages, block);
    if (nr == PAGE_NR_NONE)
        panic("frame 0x%lx is in no range", (unsigned long)block.n);
    return nr;
}

/* batch or high in blocks of an order: as many pages, or one block. */
static uint32_t blocks_of(unsigned pages, unsigned order)
{
    return pages >> order ? pages >> order : 1;
}

/* Up to a batch onto an empty list, the first one first. */
static void refill(struct pcp *p, struct pcp_cpu *c, struct pcp_list *l, unsigned node,
                   unsigned order, color_t color)
{
    uint32_t *link = &l->first;
    lock_take(&p->node[node].lock);
    for (uint32_t i = blocks_of(p->batch, order); i; i--) {
        pfn_t block = buddy_alloc(&p->nodes->lists[node], order, color);
        if (block.n == PFN_NONE.n)
            break;
        uint32_t nr = number_of(p, block);
        mark(p, nr, PAGE_LISTED, order);
        *link = nr;
        link = page_next(p->nodes->pages, nr);
        l->count++;
        c->blocks++;
    }
    lock_drop(&p->node[node].lock);
    *link = PAGE_NR_NONE;
}

/* Gives n blocks back to the node. */
static void give_back(struct pcp *p, struct pcp_cpu *c, struct pcp_list *l, unsigned node,
                      unsigned order, uint32_t n)
{
    lock_take(&p->node[node].lock);
    for (; n && l->count; n--)
        buddy_free(&p->nodes->lists[node], pop(p, c, l, order), order);
    lock_drop(&p->node[node].lock);
}

/* ---- the CPUs' ----------------------------------------------------------------------------- */

unsigned long pcp_enter(struct pcp *p)
{
    check(1, cpu_id() < p->cpus);
    return lock_take_irq(&p->cpu[cpu_id()].lock);
}

void pcp_leave(struct pcp *p, unsigned long irq)
{
    lock_drop_irq(&p->cpu[cpu_id()].lock, irq);
}

static pfn_t take_from_node(struct pcp *p, unsigned node, unsigned order, color_t color)
{
    lock_take(&p->node[node].lock);
    pfn_t block = buddy_alloc(&p->nodes->lists[node], order, color);
    lock_drop(&p->node[node].lock);
    return block;
}

pfn_t pcp_take(struct pcp *p, unsigned node, unsigned order, color_t color)
{
    struct pcp_cpu *c = &p->cpu[cpu_id()];
    check(1, lock_held(&c->lock));
    if (order > PCP_ORDER_MAX)
        return take_from_node(p, node, order, color);
    struct pcp_list *l = &c->list[node][order][color >> p->map->shift[order]];
    if (l->first == PAGE_NR_NONE)
        refill(p, c, l, node, order, color);
    return l->first == PAGE_NR_NONE ? PFN_NONE : pop(p, c, l, order);
}

static void free_to_node(struct pcp *p, unsigned node, pfn_t block, unsigned order)
{
    lock_take(&p->node[node].lock);
    buddy_free(&p->nodes->lists[node], block, order);
    lock_drop(&p->node[node].lock);
}

void pcp_free(struct pcp *p, pfn_t block, unsigned order)
{
    uint32_t nr = number_of(p, block);
    unsigned node = page_node(p->nodes->pages, nr);
    check(1, page_is_block(p->nodes->pages, nr, PAGE_USED, order));
    unsigned long irq = pcp_enter(p);
    if (order > PCP_ORDER_MAX) {
        free_to_node(p, node, block, order);
    } else {
        struct pcp_cpu *c = &p->cpu[cpu_id()];
        uint32_t class = color_of(p->map, block) >> p->map->shift[order];
        struct pcp_list *l = &c->list[node][order][class];
        push(p, c, l, nr, order);
        if (l->count >= blocks_of(p->high, order))
            give_back(p, c, l, node, order, blocks_of(p->batch, order));
    }
    pcp_leave(p, irq);
}

static void drain_cpu(struct pcp *p, struct pcp_cpu *c)
{
    for (unsigned node = 0; node < p->nodes->count; node++)
        for (unsigned order = 0; order <= PCP_ORDER_MAX; order++)
            for (uint32_t class = 0; class < p->map->classes[order] && c->blocks; class ++)
                if (c->list[node][order][class].count)
                    give_back(p, c, &c->list[node][order][class], node, order, UINT32_MAX);
}

static void drain_list(struct pcp *p, struct pcp_cpu *c, unsigned node, unsigned order,
                       color_t color)
{
    struct pcp_list *l = &c->list[node][order][color >> p->map->shift[order]];
    if (!load_once(&l->count)) /* may be out of date: then it is as if it had come later */
        return;
    unsigned long irq = lock_take_irq(&c->lock);
    give_back(p, c, l, node, order, UINT32_MAX);
    lock_drop_irq(&c->lock, irq);
}

void pcp_drain_color(struct pcp *p, color_t color)
{
    for (unsigned cpu = 0; cpu < p->cpus; cpu++)
        for (unsigned node = 0; node < p->nodes->count; node++)
            for (unsigned order = 0; order <= PCP_ORDER_MAX; order++)
                drain_list(p, &p->cpu[cpu], node, order, color);
}

void pcp_drain(struct pcp *p)
{
    for (unsigned cpu = 0; cpu < p->cpus; cpu++) {
        unsigned long irq = lock_take_irq(&p->cpu[cpu].lock);
        drain_cpu(p, &p->cpu[cpu]);
        lock_drop_irq(&p->cpu[cpu].lock, irq);
    }
}

unsigned long pcp_freeze(struct pcp *p)
{
    unsigned long irq = lock_take_irq(&p->cpu[0].lock);
    for (unsigned cpu = 1; cpu < p->cpus; cpu++)
        lock_take(&p->cpu[cpu].lock);
    for (unsigned node = 0; node < p->nodes->count; node++)
        lock_take(&p->node[node].lock);
    return irq;
}

void pcp_thaw(struct pcp *p, unsigned long irq)
{
    for (unsigned node = 0; node < p->nodes->count; node++)
        lock_drop(&p->node[node].lock);
    for (unsigned cpu = 1; cpu < p->cpus; cpu++)
        lock_drop(&p->cpu[cpu].lock);
    lock_drop_irq(&p->cpu[0].lock, irq);
}
