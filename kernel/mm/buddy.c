/* Free lists by order and colour class, split and merge. Contract in buddy.h. */
#include "mm/buddy.h"

#include "core/panic.h"

#include <string.h>

#define JUNK_FREED 0xdb /* differs from JUNK_USED, so that a use after free shows which it was */
#define JUNK_USED  0xa7

size_t buddy_bytes(const struct color_map *map)
{
    size_t lists = 0, words = 0;
    for (unsigned k = 0; k <= MAX_ORDER; k++) {
        lists += map->classes[k];
        words += (map->classes[k] + 63) / 64;
    }
    return lists * sizeof(struct free_list) + words * sizeof(uint64_t);
}

void buddy_init(struct buddy *b, struct pages *pages, const struct color_map *map, void *memory)
{
    memset(b, 0, sizeof *b);
    b->pages = pages;
    b->map = map;
    for (unsigned k = 0; k <= MAX_ORDER; k++) {
        b->base[k + 1] = b->base[k] + map->classes[k];
        b->word[k + 1] = b->word[k] + (map->classes[k] + 63) / 64;
    }
    b->bitmap = memory;
    b->list = (struct free_list *)(b->bitmap + b->word[MAX_ORDER + 1]);
    memset(b->bitmap, 0, b->word[MAX_ORDER + 1] * sizeof(uint64_t));
    for (uint32_t i = 0; i < b->base[MAX_ORDER + 1]; i++)
        b->list[i] = (struct free_list){PAGE_NR_NONE, 0};
}

/* ---- the two doors ----------------------------------------------------------------------------
 */

static inline void list_add(struct buddy *b, uint32_t nr, unsigned order, uint32_t class)
{
    struct pages *p = b->pages;
    struct free_list *l = &b->list[b->base[order] + class];
    *page_field(p, nr, p->o_next) = l->first;
    *page_field(p, nr, p->o_prev) = PAGE_NR_NONE;
    page_set_block(p, nr, PAGE_FREE, order);
    if (l->first != PAGE_NR_NONE)
        *page_field(p, l->first, p->o_prev) = nr;
    else
        b->bitmap[b->word[order] + class / 64] |= 1ul << class % 64;
    l->first = nr;
    l->count++;
    b->blocks[order]++;
    b->free_pages += 1ul << order;
}

static inline void list_remove(struct buddy *b, uint32_t nr, unsigned order, uint32_t class,
                               enum page_state becomes)
{
    struct pages *p = b->pages;
    struct free_list *l = &b->list[b->base[order] + class];
    uint32_t next = *page_field(p, nr, p->o_next);
    uint32_t prev = *page_field(p, nr, p->o_prev);
    if (next != PAGE_NR_NONE)
        *page_field(p, next, p->o_prev) = prev;
    if (prev != PAGE_NR_NONE)
        *page_field(p, prev, p->o_next) = next;
    else if ((l->first = next) == PAGE_NR_NONE)
        b->bitmap[b->word[order] + class / 64] &= ~(1ul << class % 64);
    page_set_block(p, nr, becomes, order);
    l->count--;
    b->blocks[order]--;
    b->free_pages -= 1ul << order;
}

/* ---- finding ----------------------------------------------------------------------------------
 */

static inline uint32_t class_of(const struct buddy *b, pfn_t p, unsigned order)
{
    return color_of(b->map, p) >> b->map->shift[order];
}

/* First set bit of the order's bitmap in classes [from, to), COLOR_NONE if none. */
static uint32_t scan_classes(const struct buddy *b, unsigned order, uint32_t from, uint32_t to)
{
    const uint64_t *w = b->bitmap + b->word[order];
    while (from < to) {
        uint64_t bits = w[from / 64] >> from % 64;
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
static uint32_t find_in_interval(const struct buddy *b, unsigned order, color_t c)
{
    unsigned t = b->map->shift[order];
    uint32_t classes = b->map->classes[order], own = c >> t;
    uint32_t span = 1u << (order - t);
    if (span > classes)
        span = classes;
    uint32_t from = own + 1 >= span ? own + 1 - span : own + 1 + classes - span;
    if (from <= own)
        return scan_classes(b, order, from, own + 1);
    uint32_t found = scan_classes(b, order, from, classes);
    return found != COLOR_NONE ? found : scan_classes(b, order, 0, own + 1);
}

static inline uint32_t find_class(const struct buddy *b, unsigned order, color_t c)
{
    if (__builtin_expect(b->map->interval[order], 0))
        return find_in_interval(b, order, c);
    uint32_t class = c >> b->map->shift[order];
    return b->list[b->base[order] + class].first != PAGE_NR_NONE ? class : COLOR_NONE;
}

/* ---- junk -------------------------------------------------------------------------------------
 */

static void fill(struct buddy *b, uint32_t nr, unsigned order, int junk)
{
    if (CHECK >= 2)
        memset(page_address(b->pages, nr), junk, (size_t)PAGE_SIZE << order);
}

/* ---- alloc ------------------------------------------------------------------------------------
 */

/*
 * Splits the block [nr] of order `have`, off its list already, down to `order`, keeping the half
 * that covers c (the lower one when both do) and listing the other. Returns the kept block.
 */
static uint32_t split(struct buddy *b, uint32_t nr, unsigned have, unsigned order, color_t c)
{
    while (have > order) {
        have--;
        pfn_t lower = page_pfn(b->pages, nr);
        uint32_t upper_nr = nr + (1u << have);
        uint32_t other = upper_nr;
        if (!color_covers(b->map, color_of(b->map, lower), have, c)) {
            page_set_block(b->pages, nr, PAGE_TAIL, 0);
            other = nr;
            nr = upper_nr;
        }
        list_add(b, other, have, class_of(b, page_pfn(b->pages, other), have));
    }
    page_set_block(b->pages, nr, PAGE_USED, order);
    return nr;
}

pfn_t buddy_alloc(struct buddy *b, unsigned order, color_t c)
{
    check(1, order <= MAX_ORDER);
    check(1, c < b->map->colors);
    for (unsigned k = order; k <= MAX_ORDER; k++) {
        uint32_t class = find_class(b, k, c);
        if (class == COLOR_NONE)
            continue;
        uint32_t nr = b->list[b->base[k] + class].first;
        list_remove(b, nr, k, class, PAGE_USED);
        if (k > order)
            nr = split(b, nr, k, order, c);
        fill(b, nr, order, JUNK_USED);
        return page_pfn(b->pages, nr);
    }
    return PFN_NONE;
}

/* The free block that wholly holds the block at p: its order, or -1. *head is its number. */
static int holder(struct buddy *b, pfn_t p, unsigned order, uint32_t *head)
{
    const struct page_range *r = pages_find_range(b->pages, p);
    if (!r)
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
    uint32_t head;
    int k = holder(b, p, order, &head);
    if (k < 0)
        return false;
    uint32_t at = head + (uint32_t)(p.n - page_pfn(b->pages, head).n);
    list_remove(b, head, (unsigned)k, class_of(b, page_pfn(b->pages, head), (unsigned)k),
                PAGE_TAIL);
    while ((unsigned)k > order) {
        k--;
        uint32_t upper = head + (1u << k), other = at < upper ? upper : head;
        head = at < upper ? head : upper;
        list_add(b, other, (unsigned)k, class_of(b, page_pfn(b->pages, other), (unsigned)k));
    }
    page_set_block(b->pages, at, PAGE_USED, order);
    fill(b, at, order, JUNK_USED);
    return true;
}

/* ---- free -------------------------------------------------------------------------------------
 */

void buddy_free(struct buddy *b, pfn_t p, unsigned order)
{
    struct pages *pages = b->pages;
    const struct page_range *r = pages_find_range(pages, p);
    if (CHECK >= 1 && !r)
        panic("buddy_free: frame %#lx is in no range", (unsigned long)p.n);
    uint32_t nr = r->first + (uint32_t)(p.n - r->start);
    if (CHECK >= 1 && !page_is_block(pages, nr, PAGE_USED, order))
        panic("buddy_free: frame %#lx order %u: its descriptor says state %u order %u "
              "(double free or wrong order)",
              (unsigned long)p.n, order,
              (page_flags(pages, nr) & PAGE_STATE_MASK) >> PAGE_STATE_SHIFT,
              page_flags(pages, nr) & PAGE_ORDER_MASK);
    fill(b, nr, order, JUNK_FREED);
    while (order < MAX_ORDER) {
        uint64_t buddy = p.n ^ 1ul << order;
        if (buddy - r->start >= r->pages)
            break;
        uint32_t buddy_nr = r->first + (uint32_t)(buddy - r->start);
        if (!page_is_block(pages, buddy_nr, PAGE_FREE, order))
            break;
        list_remove(b, buddy_nr, order, class_of(b, pfn(buddy), order), PAGE_TAIL);
        if (buddy_nr < nr) {
            page_set_block(pages, nr, PAGE_TAIL, 0);
            nr = buddy_nr;
            p = pfn(buddy);
        }
        order++;
    }
    list_add(b, nr, order, class_of(b, p, order));
}

void buddy_add_all(struct buddy *b)
{
    for (unsigned i = b->pages->range_count; i-- > 0;) {
        const struct page_range *r = &b->pages->range[i];
        uint64_t end = r->start + r->pages;
        while (end > r->start) {
            unsigned k = (unsigned)__builtin_ctzl(end | 1ul << MAX_ORDER);
            while (end - r->start < 1ul << k)
                k--;
            end -= 1ul << k;
            list_add(b, r->first + (uint32_t)(end - r->start), k, class_of(b, pfn(end), k));
        }
    }
}

/* ---- check ------------------------------------------------------------------------------------
 */

/* Walks one list: links, states, class; counts its pages into *pages_seen. */
static const char *check_list(struct buddy *b, unsigned order, uint32_t class, uint64_t *pages_seen)
{
    const struct pages *p = b->pages;
    const struct free_list *l = &b->list[b->base[order] + class];
    uint32_t n = 0, before = PAGE_NR_NONE;
    for (uint32_t nr = l->first; nr != PAGE_NR_NONE; nr = *page_field(p, nr, p->o_next)) {
        if (nr >= p->count)
            return "buddy: a link points past the descriptors";
        if (n++ > l->count)
            return "buddy: a list is longer than its count";
        if (!page_is_block(p, nr, PAGE_FREE, order))
            return "buddy: a listed block's state or order is wrong";
        if (*page_field(p, nr, p->o_prev) != before)
            return "buddy: a link does not point back";
        if (color_of_naive(b->map, pfn_to_phys(page_pfn(p, nr))) >> b->map->shift[order] != class)
            return "buddy: a block is on the list of another class";
        before = nr;
        *pages_seen += 1ul << order;
    }
    bool bit = b->bitmap[b->word[order] + class / 64] >> class % 64 & 1;
    if (n != l->count)
        return "buddy: a count is not the length of its list";
    return bit == (n > 0) ? NULL : "buddy: a bitmap bit and its list disagree";
}

/* Every free block in the descriptors is aligned, inside its range and has no free buddy. */
static const char *check_blocks(struct buddy *b, uint64_t *pages_seen)
{
    const struct pages *p = b->pages;
    for (uint32_t nr = 0; nr < p->count; nr++) {
        uint32_t state = (page_flags(p, nr) & PAGE_STATE_MASK) >> PAGE_STATE_SHIFT;
        if (state == PAGE_TAIL)
            continue;
        unsigned order = page_flags(p, nr) & PAGE_ORDER_MASK;
        const struct page_range *r = page_range_of(p, nr);
        uint64_t at = page_pfn(p, nr).n, buddy = at ^ 1ul << order;
        if (order > MAX_ORDER || at % (1ul << order) || at + (1ul << order) > r->start + r->pages)
            return "buddy: a block is not aligned or leaves its range";
        for (uint32_t k = 1; k < 1u << order; k++) {
            if ((page_flags(p, nr + k) & PAGE_STATE_MASK) != 0)
                return "buddy: two blocks overlap";
        }
        if (state == PAGE_FREE) {
            *pages_seen += 1ul << order;
            if (order < MAX_ORDER && buddy - r->start < r->pages &&
                page_is_block(p, r->first + (uint32_t)(buddy - r->start), PAGE_FREE, order))
                return "buddy: two free buddies are not merged";
        }
        nr += (1u << order) - 1;
    }
    return NULL;
}

const char *buddy_check(struct buddy *b)
{
    uint64_t listed = 0, marked = 0;
    for (unsigned k = 0; k <= MAX_ORDER; k++) {
        uint32_t blocks = 0;
        for (uint32_t class = 0; class < b->map->classes[k]; class ++) {
            const char *broken = check_list(b, k, class, &listed);
            if (broken)
                return broken;
            blocks += b->list[b->base[k] + class].count;
        }
        if (blocks != b->blocks[k])
            return "buddy: blocks of an order are not the sum of its lists";
    }
    const char *broken = check_blocks(b, &marked);
    if (broken)
        return broken;
    if (listed != b->free_pages || marked != b->free_pages)
        return "buddy: free_pages is not the sum of the free blocks";
    return NULL;
}
