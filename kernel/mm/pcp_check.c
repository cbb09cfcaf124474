/* pcp_check: the whole-structure validator of the per-CPU page lists. Contract in pcp.h. */
#include "mm/pcp.h"

static const char *check_list(struct pcp *p, const struct pcp_list *l, unsigned node,
                              unsigned order, uint32_t class)
{
    const struct pages *pages = p->nodes->pages;
    uint32_t n = 0;
    for (uint32_t nr = l->first; nr != PAGE_NR_NONE; nr = *page_next(pages, nr)) {
        if (nr >= pages->count || n++ == l->count)
            return "a page list of a CPU leads nowhere, or is longer than its count";
        if (!page_is_block(pages, nr, CHECK >= 1 ? PAGE_LISTED : PAGE_USED, order))
            return "a block on a page list of a CPU is free, or of another order";
        if (page_node(pages, nr) != node)
            return "a block on a page list of a CPU is of another node";
        color_t c = color_of_naive(p->map, pfn_to_phys(page_pfn(pages, nr)));
        if (!color_covers(p->map, c, order, class << p->map->shift[order]))
            return "a block on a page list of a CPU has another colour";
    }
    return n == l->count ? NULL : "a page list of a CPU is shorter than its count";
}

static const char *check_cpu(struct pcp *p, struct pcp_cpu *c)
{
    uint64_t blocks = 0;
    for (unsigned node = 0; node < p->nodes->count; node++)
        for (unsigned order = 0; order <= PCP_ORDER_MAX; order++)
            for (uint32_t class = 0; class < p->map->classes[order]; class ++) {
                const struct pcp_list *l = &c->list[node][order][class];
                const char *broken = check_list(p, l, node, order, class);
                if (broken)
                    return broken;
                blocks += l->count;
            }
    return blocks == c->blocks ? NULL : "the page lists of a CPU do not add up to its count";
}

/* With CHECK >= 1 every block that says so is on a list. */
static const char *check_states(struct pcp *p, uint64_t listed)
{
    const struct pages *pages = p->nodes->pages;
    for (uint32_t nr = 0; nr < pages->count && CHECK >= 1; nr++)
        if ((page_flags(pages, nr) & PAGE_STATE_MASK) == (uint32_t)PAGE_LISTED << PAGE_STATE_SHIFT)
            listed--;
    return listed && CHECK >= 1 ? "a block says that it is on a page list of a CPU, and is not"
                                : NULL;
}

const char *pcp_check(struct pcp *p)
{
    uint64_t listed = 0;
    for (unsigned cpu = 0; cpu < p->cpus; cpu++) {
        const char *broken = check_cpu(p, &p->cpu[cpu]);
        if (broken)
            return broken;
        listed += p->cpu[cpu].blocks;
    }
    return check_states(p, listed);
}
