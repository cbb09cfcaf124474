/* buddy_check: the whole-structure validator of the free lists. Contract in buddy.h. */
#include "mm/buddy.h"

/* Walks one list: links, states, class; counts its pages into *pages_seen. */
static const char *check_list(struct buddy *b, unsigned order, uint32_t class, uint64_t *pages_seen)
{
    const struct pages *p = b->pages;
    const struct buddy_order *o = &b->order[order];
    const struct free_list *l = &o->list[class];
    uint32_t n = 0, before = PAGE_NR_NONE;
    for (uint32_t nr = l->first; nr != PAGE_NR_NONE; nr = *page_next(p, nr)) {
        if (nr >= p->count)
            return "buddy: a link points past the descriptors";
        if (n++ >= l->count)
            return "buddy: a list is longer than its count";
        if (!page_is_block(p, nr, PAGE_FREE, order))
            return "buddy: a listed block's state or order is wrong";
        if (before != PAGE_NR_NONE && *page_prev(p, nr) != before)
            return "buddy: a link does not point back";
        if (page_node(p, nr) != b->node)
            return "buddy: a block is on the list of another node";
        if (color_of_naive(b->map, pfn_to_phys(page_pfn(p, nr))) >> b->map->shift[order] != class)
            return "buddy: a block is on the list of another class";
        before = nr;
        *pages_seen += 1ul << order;
    }
    if (n != l->count)
        return "buddy: a list is shorter than its count";
    if (o->bitmap && (o->bitmap[class / 64] >> class % 64 & 1) != (n > 0))
        return "buddy: a bitmap bit and its list disagree";
    return NULL;
}

/* The block at nr is aligned, inside its range, and has no free buddy if it is free. */
static const char *check_block(struct buddy *b, const struct page_range *r, uint32_t nr,
                               unsigned order, bool free)
{
    const struct pages *p = b->pages;
    uint64_t at = page_pfn(p, nr).n, buddy = (at ^ 1ul << order) - r->start;
    if (order > MAX_ORDER || at % (1ul << order) || at + (1ul << order) > r->start + r->pages)
        return "buddy: a block is not aligned or leaves its range";
    for (uint32_t k = 1; k < 1u << order; k++) {
        if ((page_flags(p, nr + k) & PAGE_STATE_MASK) != PAGE_TAIL << PAGE_STATE_SHIFT)
            return "buddy: two blocks overlap";
    }
    if (free && order < b->map->max_order && buddy < r->pages &&
        page_is_block(p, r->first + (uint32_t)buddy, PAGE_FREE, order))
        return "buddy: two free buddies are not merged";
    return NULL;
}

/* Every block in the descriptors of a range; counts the pages of free ones. */
static const char *check_range(struct buddy *b, const struct page_range *r, uint64_t *pages_seen)
{
    const struct pages *p = b->pages;
    for (uint32_t nr = r->first; nr < r->first + r->pages; nr++) {
        uint32_t state = (page_flags(p, nr) & PAGE_STATE_MASK) >> PAGE_STATE_SHIFT;
        if (state == PAGE_TAIL)
            continue;
        unsigned order = page_flags(p, nr) & PAGE_ORDER_MASK;
        const char *broken = check_block(b, r, nr, order, state == PAGE_FREE);
        if (broken)
            return broken;
        if (state == PAGE_FREE)
            *pages_seen += 1ul << order;
        nr += (1u << order) - 1;
    }
    return NULL;
}

const char *buddy_check(struct buddy *b)
{
    uint64_t listed = 0, marked = 0;
    for (unsigned k = 0; k <= MAX_ORDER; k++) {
        for (uint32_t class = 0; class < b->order[k].classes; class ++) {
            const char *broken = check_list(b, k, class, &listed);
            if (broken)
                return broken;
        }
    }
    for (unsigned i = 0; i < b->pages->range_count; i++) {
        const char *broken =
            b->pages->node[i] == b->node ? check_range(b, &b->pages->range[i], &marked) : NULL;
        if (broken)
            return broken;
    }
    return listed == marked ? NULL : "buddy: a free block is on no list";
}
