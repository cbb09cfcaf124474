/* Frames by colour and address space, kept by the hooks of a policy. Contract in policy_state.h. */
#include "mm/policy_state.h"

size_t policy_counts_bytes(uint32_t colors)
{
    return (size_t)colors * (1 + POLICY_SPACES) * sizeof(uint32_t);
}

struct policy_counts policy_counts(const struct policy_state *s)
{
    uint32_t *free = s->own;
    return (struct policy_counts){free, free + s->map->colors};
}

void policy_counts_start(struct policy_state *s)
{
    const struct pages *p = s->buddy->pages;
    struct policy_counts n = policy_counts(s);
    for (uint32_t nr = 0; nr < p->count; nr++) {
        unsigned order = page_flags(p, nr) & PAGE_ORDER_MASK;
        if (!page_is_block(p, nr, PAGE_FREE, order))
            continue;
        for (uint32_t i = 0; i < 1u << order; i++)
            n.free[color_of(s->map, page_pfn(p, nr + i))]++;
    }
}

void policy_each_got(struct policy_state *s, const struct place_request *q, pfn_t p,
                     policy_count_frame count)
{
    struct pages *pages = s->buddy->pages;
    unsigned slot = q->space % POLICY_SPACES;
    *page_field(pages, page_nr(pages, p), pages->shape->mapping) = slot;
    for (uint32_t i = 0; i < 1u << q->order; i++)
        count(s, color_of(s->map, pfn(p.n + i)), slot, 1);
}

void policy_each_freed(struct policy_state *s, pfn_t p, unsigned order, policy_count_frame count)
{
    struct pages *pages = s->buddy->pages;
    unsigned slot = *page_field(pages, page_nr(pages, p), pages->shape->mapping);
    for (uint32_t i = 0; i < 1u << order; i++)
        count(s, color_of(s->map, pfn(p.n + i)), slot, -1);
}

static void count_frame(struct policy_state *s, color_t c, unsigned slot, int by)
{
    struct policy_counts n = policy_counts(s);
    n.free[c] -= (uint32_t)by;
    n.used[slot * s->map->colors + c] += (uint32_t)by;
}

void policy_counts_got(struct policy_state *s, const struct place_request *q, pfn_t p)
{
    policy_each_got(s, q, p, count_frame);
}

void policy_counts_freed(struct policy_state *s, pfn_t p, unsigned order)
{
    policy_each_freed(s, p, order, count_frame);
}
