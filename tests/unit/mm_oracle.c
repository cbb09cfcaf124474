/* The naive allocator oracle; see mm_oracle.h. */
#include "mm_oracle.h"

#include <stdlib.h>
#include <string.h>

void oracle_init(struct oracle *o, struct buddy *b, const struct color_map *map)
{
    const struct pages *p = b->pages;
    memset(o, 0, sizeof *o);
    o->b = b;
    o->map = map;
    o->frames = o->free = p->count;
    o->used = calloc(p->count, 1);
    o->color = calloc(p->count, sizeof *o->color);
    o->frame = calloc(p->count, sizeof *o->frame);
    o->free_of_color = calloc(map->colors, sizeof *o->free_of_color);
    o->live = calloc(p->count, sizeof *o->live);
    uint32_t nr = 0;
    for (unsigned i = 0; i < p->range_count; i++) {
        for (uint32_t k = 0; k < p->range[i].pages; k++, nr++) {
            o->frame[nr] = pfn(p->range[i].start + k);
            o->color[nr] = color_of_naive(map, pfn_to_phys(o->frame[nr]));
            o->free_of_color[o->color[nr]]++;
        }
    }
}

void oracle_drop(struct oracle *o)
{
    free(o->used);
    free(o->color);
    free(o->frame);
    free(o->free_of_color);
    free(o->live);
}

/* Descriptor number of a frame, UINT32_MAX if it is in no range: by the ranges alone. */
static uint32_t number(const struct oracle *o, pfn_t p)
{
    const struct pages *pages = o->b->pages;
    uint32_t first = 0;
    for (unsigned i = 0; i < pages->range_count; i++) {
        if (p.n >= pages->range[i].start && p.n < pages->range[i].start + pages->range[i].pages)
            return first + (uint32_t)(p.n - pages->range[i].start);
        first += pages->range[i].pages;
    }
    return UINT32_MAX;
}

/* First descriptor of a block that is aligned and inside one range, else UINT32_MAX. */
static uint32_t block(const struct oracle *o, pfn_t p, unsigned order)
{
    const struct pages *pages = o->b->pages;
    uint64_t size = 1ul << order;
    for (unsigned i = 0; i < pages->range_count && p.n % size == 0; i++) {
        uint64_t start = pages->range[i].start, end = start + pages->range[i].pages;
        if (p.n >= start && p.n + size <= end)
            return number(o, p);
    }
    return UINT32_MAX;
}

const char *oracle_out(struct oracle *o, pfn_t p, unsigned order)
{
    uint32_t first = block(o, p, order);
    if (first == UINT32_MAX)
        return "a block that is not aligned or not inside one range";
    for (uint32_t i = first; i < first + (1u << order); i++) {
        if (o->used[i])
            return "a frame was given twice";
    }
    for (uint32_t i = first; i < first + (1u << order); i++) {
        o->used[i] = 1;
        o->free_of_color[o->color[i]]--;
    }
    o->free -= 1u << order;
    o->live[o->live_count++] = (struct oracle_block){p, order};
    return NULL;
}

struct oracle_block oracle_back(struct oracle *o, uint32_t i)
{
    struct oracle_block gone = o->live[i];
    o->live[i] = o->live[--o->live_count];
    uint32_t first = number(o, gone.at);
    for (uint32_t k = first; k < first + (1u << gone.order); k++) {
        o->used[k] = 0;
        o->free_of_color[o->color[k]]++;
    }
    o->free += 1u << gone.order;
    return gone;
}

bool oracle_covers(const struct oracle *o, pfn_t p, unsigned order, color_t c)
{
    uint32_t first = number(o, p);
    for (uint32_t i = first; i < first + (1u << order); i++) {
        if (o->color[i] == c)
            return true;
    }
    return false;
}

static bool all_free(const struct oracle *o, uint32_t first, unsigned order)
{
    return !memchr(o->used + first, 1, 1ul << order);
}

static bool range_could(const struct oracle *o, unsigned range, unsigned order, color_t c)
{
    const struct page_range *r = &o->b->pages->range[range];
    uint64_t size = 1u << order, end = r->start + r->pages;
    for (uint64_t at = align_up(r->start, size); at + size <= end; at += size) {
        if (all_free(o, r->first + (uint32_t)(at - r->start), order) &&
            (c == COLOR_NONE || oracle_covers(o, pfn(at), order, c)))
            return true;
    }
    return false;
}

bool oracle_could_on(const struct oracle *o, unsigned node, unsigned order, color_t c)
{
    bool could = false;
    for (unsigned i = 0; i < o->b->pages->range_count && order <= o->b->map->max_order; i++)
        could |= o->b->pages->node[i] == node && range_could(o, i, order, c);
    return could;
}

bool oracle_could(const struct oracle *o, unsigned order, color_t c)
{
    if (order > o->b->map->max_order)
        return false; /* such blocks are not kept */
    if (order == 0)
        return c == COLOR_NONE ? o->free : o->free_of_color[c];
    for (unsigned i = 0; i < o->b->pages->range_count; i++) {
        if (range_could(o, i, order, c))
            return true;
    }
    return false;
}

/* Blocks per order when everything free is merged as far as it goes. */
static void merged(const struct oracle *o, uint32_t *blocks)
{
    for (uint32_t nr = 0; nr < o->frames;) {
        if (o->used[nr]) {
            nr++;
            continue;
        }
        unsigned k = o->b->map->max_order;
        while (block(o, o->frame[nr], k) != nr || !all_free(o, nr, k))
            k--;
        blocks[k]++;
        nr += 1u << k;
    }
}

const char *oracle_compare(const struct oracle *o)
{
    const char *broken = o->nodes ? nodes_check(o->nodes) : buddy_check(o->b);
    if (broken)
        return broken;
    for (uint32_t nr = 0; nr < o->frames; nr++) {
        struct buddy *b = o->nodes ? nodes_lists_of(o->nodes, o->frame[nr]) : o->b;
        if (buddy_is_free(b, o->frame[nr], 0) == o->used[nr])
            return o->used[nr] ? "a frame that is out is free" : "a frame was lost";
    }
    if ((o->nodes ? nodes_free_pages(o->nodes) : buddy_free_pages(o->b)) != o->free)
        return "the free frames do not add up";
    uint32_t blocks[MAX_ORDER + 1] = {0};
    merged(o, blocks);
    for (unsigned k = 0; k <= MAX_ORDER; k++) {
        if ((o->nodes ? nodes_blocks(o->nodes, k) : buddy_blocks(o->b, k)) != blocks[k])
            return "not merged as far as possible";
    }
    return NULL;
}
