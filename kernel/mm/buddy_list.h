/*
 * The two doors to the free lists, and the part of buddy_alloc that almost every call needs.
 *
 * Included by buddy.h, for buddy*.c and for the inline fast path only. The links of a block live
 * in its descriptor. Of the first block of a list only `next` counts: its `prev` is left as it
 * was, so that taking the first block off touches no neighbour.
 *
 * `bitmap` is the order's, or a constant NULL where the caller knows that there is none: then the
 * compiler drops what maintains it.
 */
#ifndef TT_MM_BUDDY_LIST_H
#define TT_MM_BUDDY_LIST_H

#include "core/panic.h"
#include "mm/buddy.h"

/* Links the block at nr, which is on no list, as first of its class, and marks it free. */
static inline void list_add(const struct buddy *b, const struct buddy_order *o, uint32_t nr,
                            unsigned order, uint32_t class, uint64_t *bitmap)
{
    const struct pages *p = b->pages;
    struct free_list *l = &o->list[class];
    uint32_t second = l->first;
    uint32_t *next = page_next(p, nr), *flags = page_flag_word(p, nr);
    if (second != PAGE_NR_NONE)
        *page_prev(p, second) = nr;
    else if (bitmap)
        bitmap[class / 64] |= 1ul << class % 64;
    l->first = nr;
    l->count++;
    *next = second;
    *flags = (*flags & PAGE_RANGE_MASK) | PAGE_BLOCK(PAGE_FREE, order);
}

/* Takes the first block of a list off, whose link says next; the caller sets its new state. */
static inline void list_remove_first(const struct buddy_order *o, struct free_list *l,
                                     uint32_t next, uint64_t *bitmap)
{
    l->first = next;
    l->count--;
    if (bitmap && next == PAGE_NR_NONE) {
        uint32_t class = (uint32_t)(l - o->list);
        bitmap[class / 64] &= ~(1ul << class % 64);
    }
}

/* The same for any block of a list. */
static inline void list_remove(const struct buddy *b, const struct buddy_order *o, uint32_t nr,
                               uint32_t class, uint64_t *bitmap)
{
    const struct pages *p = b->pages;
    struct free_list *l = &o->list[class];
    uint32_t next = *page_next(p, nr);
    if (l->first == nr) {
        list_remove_first(o, l, next, bitmap);
        return;
    }
    uint32_t prev = *page_prev(p, nr);
    *page_next(p, prev) = next;
    if (next != PAGE_NR_NONE)
        *page_prev(p, next) = prev;
    l->count--;
}

/* Everything but "the list of exactly this order and class has a block". */
pfn_t buddy_alloc_larger(struct buddy *b, unsigned order, color_t c);

/* CHECK >= 2: fills the block at nr with what a fresh, not yet written block holds. */
void buddy_fill_used(struct buddy *b, uint32_t nr, unsigned order);

/* The list of the blocks of an order, without bitmap, that cover c. */
static inline struct free_list *buddy_list(const struct buddy_order *o, color_t c)
{
    return &o->list[c >> o->shift];
}

/* Takes the newest block of such a list. Precondition: it is not empty. */
static inline pfn_t buddy_take_newest(struct buddy *b, const struct buddy_order *o,
                                      struct free_list *l, unsigned order)
{
    const struct pages *p = b->pages;
    uint32_t nr = l->first, next = *page_next(p, nr);
    uint32_t *flags = page_flag_word(p, nr), range = *flags & PAGE_RANGE_MASK;
    uint64_t at = p->to_pfn[range >> PAGE_RANGE_SHIFT] + nr;
    list_remove_first(o, l, next, NULL);
    *flags = range | PAGE_BLOCK(PAGE_USED, order);
    if (CHECK >= 2)
        buddy_fill_used(b, nr, order);
    return pfn(at);
}

static inline pfn_t buddy_alloc(struct buddy *b, unsigned order, color_t c)
{
    check(1, order <= MAX_ORDER);
    check(1, c < b->map->colors);
    const struct buddy_order *o = &b->order[order];
    if (o->bitmap || buddy_list(o, c)->first == PAGE_NR_NONE)
        return buddy_alloc_larger(b, order, c);
    return buddy_take_newest(b, o, buddy_list(o, c), order);
}

#endif
