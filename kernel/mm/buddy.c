/* Free lists by order and colour class: find, split, take, merge. Contract in buddy.h. */
#include "mm/buddy.h"

#include "core/panic.h"

#include <string.h>

#define JUNK_FREED 0xdb /* differs from JUNK_USED, so that a use after free shows which it was */
#define JUNK_USED  0xa7

static size_t bitmap_words(const struct color_map *map, unsigned order)
{
    return map->interval[order] ? (map->classes[order] + 63) / 64 : 0;
}

size_t buddy_bytes(const struct color_map *map)
{
    size_t bytes = 0;
    for (unsigned k = 0; k <= MAX_ORDER; k++)
        bytes +=
            map->classes[k] * sizeof(struct free_list) + bitmap_words(map, k) * sizeof(uint64_t);
    return bytes;
}

void buddy_init(struct buddy *b, struct pages *pages, unsigned node, const struct color_map *map,
                void *memory)
{
    b->pages = pages;
    b->node = node;
    b->map = map;
    b->mask = map->mask;
    uint64_t *words = memory;
    for (unsigned k = 0; k <= MAX_ORDER; k++) {
        size_t n = bitmap_words(map, k);
        b->order[k] = (struct buddy_order){
            .bitmap = n ? words : NULL,
            .classes = map->classes[k],
            .pages = 1u << k,
            .shift = map->shift[k],
        };
        memset(words, 0, n * sizeof *words);
        words += n;
    }
    struct free_list *list = (struct free_list *)words;
    for (unsigned k = 0; k <= MAX_ORDER; k++) {
        b->order[k].list = list;
        for (uint32_t class = 0; class < map->classes[k]; class ++)
            *list++ = (struct free_list){PAGE_NR_NONE, 0};
    }
}

uint64_t buddy_blocks(const struct buddy *b, unsigned order)
{
    uint64_t blocks = 0;
    for (uint32_t class = 0; class < b->order[order].classes; class ++)
        blocks += b->order[order].list[class].count;
    return blocks;
}

uint64_t buddy_free_pages(const struct buddy *b)
{
    uint64_t pages = 0;
    for (unsigned k = 0; k <= MAX_ORDER; k++)
        pages += buddy_blocks(b, k) << k;
    return pages;
}

static void fill(struct buddy *b, uint32_t nr, unsigned order, int junk)
{
    if (CHECK >= 2)
        memset(page_address(b->pages, nr), junk, (size_t)PAGE_SIZE << order);
}

void buddy_fill_used(struct buddy *b, uint32_t nr, unsigned order)
{
    fill(b, nr, order, JUNK_USED);
}

/* ---- the doors, with the class found ----------------------------------------------------------
 */

static inline uint32_t buddy_class(const struct buddy *b, pfn_t p, unsigned order)
{
    return color_of(b->map, p) >> b->order[order].shift;
}

static void add_block(struct buddy *b, uint32_t nr, unsigned order, pfn_t p)
{
    const struct buddy_order *o = &b->order[order];
    list_add(b, o, nr, order, buddy_class(b, p, order), o->bitmap);
}

static void remove_block(struct buddy *b, uint32_t nr, unsigned order, uint32_t class)
{
    const struct buddy_order *o = &b->order[order];
    list_remove(b, o, nr, class, o->bitmap);
}

/* ---- finding ----------------------------------------------------------------------------------
 */

/* First class in [from, to) with a block on its list, COLOR_NONE if none. */
static uint32_t scan_classes(const uint64_t *bitmap, uint32_t from, uint32_t to)
{
    while (from < to) {
        uint64_t bits = bitmap[from / 64] >> from % 64;
        if (bits) {
            uint32_t at = from + (uint32_t)__builtin_ctzl(bits);
            return at < to ? at : COLOR_NONE;
        }
        from = (from / 64 + 1) * 64;
    }
    return COLOR_NONE;
}

/*
 * Above t with N not a power of two, the blocks that cover c start at one of the last
 * 2^(order - t) classes up to c's own, round the circle: the lowest such start ahead wins.
 */
static uint32_t find_in_interval(const struct buddy_order *o, unsigned order, color_t c)
{
    uint32_t own = c >> o->shift, span = 1u << (order - o->shift);
    if (span > o->classes)
        span = o->classes;
    uint32_t from = own + 1 >= span ? own + 1 - span : own + 1 + o->classes - span;
    if (from <= own)
        return scan_classes(o->bitmap, from, own + 1);
    uint32_t found = scan_classes(o->bitmap, from, o->classes);
    return found != COLOR_NONE ? found : scan_classes(o->bitmap, 0, own + 1);
}

/* The class of a free block of this order that covers c, COLOR_NONE if there is none. */
static uint32_t find_class(const struct buddy *b, unsigned order, color_t c)
{
    const struct buddy_order *o = &b->order[order];
    if (o->bitmap)
        return find_in_interval(o, order, c);
    uint32_t class = c >> o->shift;
    return o->list[class].first != PAGE_NR_NONE ? class : COLOR_NONE;
}

/* ---- alloc ------------------------------------------------------------------------------------
 */

/*
 * Splits the block [nr] of order `have`, off its list already, down to `order`, keeping the half
 * that covers c (the lower one when both do) and listing the other. Returns the kept block.
 */
static uint32_t split(struct buddy *b, uint32_t nr, unsigned have, unsigned order, color_t c)
{
    pfn_t at = page_pfn(b->pages, nr);
    while (have > order) {
        have--;
        uint32_t half = 1u << have;
        pfn_t upper = pfn(at.n + half);
        if (color_covers(b->map, color_of(b->map, at), have, c)) {
            add_block(b, nr + half, have, upper);
        } else {
            add_block(b, nr, have, at);
            nr += half;
            at = upper;
        }
    }
    return nr;
}

__attribute__((noinline)) pfn_t buddy_alloc_larger(struct buddy *b, unsigned order, color_t c)
{
    for (unsigned k = order; k <= MAX_ORDER; k++) {
        uint32_t class = find_class(b, k, c);
        if (class == COLOR_NONE)
            continue;
        uint32_t nr = b->order[k].list[class].first;
        remove_block(b, nr, k, class);
        page_set_block(b->pages, nr, PAGE_TAIL, 0);
        nr = split(b, nr, k, order, c);
        page_set_block(b->pages, nr, PAGE_USED, order);
        fill(b, nr, order, JUNK_USED);
        return page_pfn(b->pages, nr);
    }
    return PFN_NONE;
}

/* The free block that wholly holds the block at p: its order, or -1. *head is its number. */
static int holder(struct buddy *b, pfn_t p, unsigned order, uint32_t *head)
{
    const struct page_range *r = pages_find_range(b->pages, p);
    if (!r || page_range_node(b->pages, r) != b->node)
        return -1;
    for (unsigned k = order; k <= MAX_ORDER; k++) {
        uint64_t start = align_down(p.n, 1ul << k);
        if (start < r->start)
            return -1;
        *head = r->first + (uint32_t)(start - r->start);
        if (page_is_block(b->pages, *head, PAGE_FREE, k))
            return (int)k;
    }
    return -1;
}

bool buddy_is_free(struct buddy *b, pfn_t p, unsigned order)
{
    uint32_t head;
    return holder(b, p, order, &head) >= 0;
}

bool buddy_take(struct buddy *b, pfn_t p, unsigned order)
{
    check(1, order <= MAX_ORDER && p.n % (1ul << order) == 0);
    uint32_t nr;
    int found = holder(b, p, order, &nr);
    if (found < 0)
        return false;
    unsigned k = (unsigned)found;
    pfn_t at = page_pfn(b->pages, nr);
    remove_block(b, nr, k, buddy_class(b, at, k));
    page_set_block(b->pages, nr, PAGE_TAIL, 0);
    while (k > order) {
        k--;
        uint32_t half = 1u << k;
        pfn_t upper = pfn(at.n + half);
        if (p.n < upper.n) {
            add_block(b, nr + half, k, upper);
        } else {
            add_block(b, nr, k, at);
            nr += half;
            at = upper;
        }
    }
    page_set_block(b->pages, nr, PAGE_USED, order);
    fill(b, nr, order, JUNK_USED);
    return true;
}

/* ---- free -------------------------------------------------------------------------------------
 */

static void check_free(struct buddy *b, pfn_t p, unsigned order)
{
    const struct page_range *r = pages_find_range(b->pages, p);
    if (!r)
        panic("buddy_free: frame 0x%lx is in no range", (unsigned long)p.n);
    if (page_range_node(b->pages, r) != b->node)
        panic("buddy_free: frame 0x%lx is of node %u, freed to node %u", (unsigned long)p.n,
              page_range_node(b->pages, r), b->node);
    uint32_t nr = r->first + (uint32_t)(p.n - r->start), flags = page_flags(b->pages, nr);
    if (!page_is_block(b->pages, nr, PAGE_USED, order))
        panic(
            "buddy_free: frame 0x%lx order %u: its descriptor says state %u order %u (double free "
            "or wrong order)",
            (unsigned long)p.n, order, (flags & PAGE_STATE_MASK) >> PAGE_STATE_SHIFT,
            flags & PAGE_ORDER_MASK);
    fill(b, nr, order, JUNK_FREED);
}

/* Everything but "in the last range used, a mask map, and the buddy is not free". */
static __attribute__((noinline)) void free_slowly(struct buddy *b, pfn_t p, unsigned order)
{
    struct pages *pages = b->pages;
    const struct page_range *r = pages_find_range(pages, p);
    if (!r)
        panic("buddy_free: frame 0x%lx is in no range", (unsigned long)p.n);
    uint32_t nr = r->first + (uint32_t)(p.n - r->start);
    for (; order < b->map->max_order; order++) {
        uint64_t offset = (p.n ^ 1ul << order) - r->start;
        uint32_t buddy = r->first + (uint32_t)offset;
        if (offset >= r->pages || !page_is_block(pages, buddy, PAGE_FREE, order))
            break;
        remove_block(b, buddy, order, buddy_class(b, pfn(r->start + offset), order));
        page_set_block(pages, buddy, PAGE_TAIL, 0);
        page_set_block(pages, nr, PAGE_TAIL, 0);
        nr = buddy < nr ? buddy : nr;
        p.n &= ~(1ul << order);
    }
    add_block(b, nr, order, p);
}

/* The common case calls nothing but free_slowly, last: so it keeps few registers. */
void buddy_free(struct buddy *b, pfn_t p, unsigned order)
{
    if (CHECK >= 1)
        check_free(b, p, order);
    const struct pages *pages = b->pages;
    const struct page_range *r = pages->range_hint;
    const struct buddy_order *o = &b->order[order];
    uint32_t mask = b->mask;
    uint64_t offset = p.n - r->start, buddy = (p.n ^ o->pages) - r->start;
    if (__builtin_expect(offset >= r->pages || mask == COLOR_NO_MASK, 0) ||
        (buddy < r->pages && page_is_block(pages, r->first + (uint32_t)buddy, PAGE_FREE, order))) {
        free_slowly(b, p, order);
        return;
    }
    list_add(b, o, r->first + (uint32_t)offset, order, ((color_t)p.n & mask) >> o->shift, NULL);
}

void buddy_add_all(struct buddy *b)
{
    for (unsigned i = b->pages->range_count; i-- > 0;) {
        const struct page_range *r = &b->pages->range[i];
        uint64_t end = page_range_node(b->pages, r) == b->node ? r->start + r->pages : r->start;
        while (end > r->start) {
            unsigned k = (unsigned)__builtin_ctzl(end | 1ul << b->map->max_order);
            while (end - r->start < 1ul << k)
                k--;
            end -= 1ul << k;
            add_block(b, r->first + (uint32_t)(end - r->start), k, pfn(end));
        }
    }
}
