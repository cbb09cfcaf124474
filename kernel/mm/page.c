/* Page descriptors: shapes, the array's layout, the numbering of frames. Contract in page.h. */
#include "mm/page.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"

#include <string.h>

#define NONE PAGE_NO_FIELD

/* next prev inode offset next_hash count flags wait pprev_hash buffers: ten 32-bit words. */
static const struct page_shape shape_22 = {.name = "2.2",
                                           .origin = "Linux 2.2.5, 32-bit",
                                           .size_bytes = 40,
                                           .word_bytes = 4,
                                           .next = 0,
                                           .prev = 4,
                                           .mapping = 8,
                                           .index = 12,
                                           .count = 20,
                                           .flags = 24,
                                           .virtual = NONE,
                                           .next_hash = 16,
                                           .pprev_hash = 32};

/* The same ten fields on LP64; count is an int and padded. */
static const struct page_shape shape_22l = {.name = "2.2l",
                                            .origin = "Linux 2.2.5, LP64",
                                            .size_bytes = 80,
                                            .word_bytes = 8,
                                            .next = 0,
                                            .prev = 8,
                                            .mapping = 16,
                                            .index = 24,
                                            .count = 40,
                                            .flags = 48,
                                            .virtual = NONE,
                                            .next_hash = 32,
                                            .pprev_hash = 64};

/* flags, _count, _mapcount, private, mapping, index, lru. */
static const struct page_shape shape_26 = {.name = "2.6",
                                           .origin = "Linux 2.6.16, LP64",
                                           .size_bytes = 56,
                                           .word_bytes = 8,
                                           .flags = 0,
                                           .count = 8,
                                           .mapping = 24,
                                           .index = 32,
                                           .next = 40,
                                           .prev = 48,
                                           .virtual = NONE,
                                           .next_hash = NONE,
                                           .pprev_hash = NONE};

/* With WANT_PAGE_VIRTUAL. */
static const struct page_shape shape_26v = {.name = "2.6v",
                                            .origin = "Linux 2.6.16, LP64, WANT_PAGE_VIRTUAL",
                                            .size_bytes = 64,
                                            .word_bytes = 8,
                                            .flags = 0,
                                            .count = 8,
                                            .mapping = 24,
                                            .index = 32,
                                            .next = 40,
                                            .prev = 48,
                                            .virtual = 56,
                                            .next_hash = NONE,
                                            .pprev_hash = NONE};

const struct page_shape *const page_shapes[] = {&shape_22, &shape_22l, &shape_26, &shape_26v, NULL};

static const struct page_shape *shape_named(const char *name)
{
    for (const struct page_shape *const *s = page_shapes; *s; s++) {
        if (!strcmp((*s)->name, name))
            return *s;
    }
    return NULL;
}

int page_layout_parse(const char *s, struct page_layout *out, char *err, size_t err_bytes)
{
    char name[16];
    bool ok = true;
    const char *rest = parse_item(s, ':', name, sizeof name, &ok);
    const struct page_shape *shape = ok ? shape_named(name) : NULL;
    if (!shape) {
        ksnprintf(err, err_bytes,
                  "%s: no such shape; valid: 2.2, 2.2l, 2.6, 2.6v, each with "
                  ":STRIDE[+OFFSET]",
                  s);
        return -TT_EINVAL;
    }
    uint64_t stride = shape->size_bytes, offset = 0;
    if (rest) {
        char number[16];
        const char *plus = parse_item(rest, '+', number, sizeof number, &ok);
        if (!ok || parse_u64(number, 1, PAGE_SIZE, &stride) ||
            (plus && parse_u64(plus, 0, PAGE_SIZE - 4, &offset)) || stride % 4 || offset % 4) {
            ksnprintf(err, err_bytes,
                      "%s: valid: SHAPE:STRIDE[+OFFSET], both multiples of 4 bytes, "
                      "at most %lu",
                      s, (unsigned long)PAGE_SIZE);
            return -TT_EINVAL;
        }
    }
    if (stride < shape->size_bytes) {
        ksnprintf(err, err_bytes, "%s: stride %u is below the shape's %u bytes; valid: %u to %lu",
                  s, (unsigned)stride, shape->size_bytes, shape->size_bytes,
                  (unsigned long)PAGE_SIZE);
        return -TT_EINVAL;
    }
    *out = (struct page_layout){shape, (uint32_t)stride, (uint32_t)offset};
    return 0;
}

size_t pages_bytes(const struct page_layout *l, uint64_t count)
{
    return l->offset_bytes + count * l->stride_bytes;
}

/* Inverse of an odd number modulo 2^64: each Newton step doubles the correct low bits (5, 10...).
 */
static uint64_t inverse_of_odd(uint64_t odd)
{
    uint64_t x = odd * 3 ^ 2;
    for (int bits = 5; bits < 64; bits *= 2)
        x *= 2 - odd * x;
    return x;
}

/* Appends a range, cut into pieces of one node each. */
static void add_range(struct pages *p, struct pfn_range r, const struct numa *numa)
{
    while (r.start.n < r.end.n) {
        unsigned node = 0, i = p->range_count++;
        struct pfn_range piece = numa ? numa_first(numa, r, &node) : r;
        uint64_t start = piece.start.n, pages = pfn_range_pages(piece);
        check(1, i < PAGE_RANGES && pages <= PAGE_NR_NONE - p->count);
        p->range[i] = (struct page_range){start, (uint32_t)pages, p->count};
        p->node[i] = (uint8_t)node;
        p->to_pfn[i] = start - p->count;
        p->count += (uint32_t)pages;
        r.start = piece.end;
    }
}

void pages_init(struct pages *p, const struct page_layout *l, void *area,
                const struct pfn_range *ranges, unsigned n, const struct numa *numa)
{
    check(1, n >= 1 && n <= PAGE_RANGES);
    p->base = (uint8_t *)area + l->offset_bytes;
    p->stride = l->stride_bytes;
    p->shape = l->shape;
    p->next = p->base + l->shape->next;
    p->prev = p->base + l->shape->prev;
    p->flags = p->base + l->shape->flags;
    p->stride_shift = (uint8_t)__builtin_ctz(l->stride_bytes);
    p->stride_inverse = inverse_of_odd(l->stride_bytes >> p->stride_shift);
    p->range_hint = p->range;
    p->range_count = 0;
    p->count = 0;
    for (unsigned i = 0; i < n; i++) {
        check(1, ranges[i].start.n < ranges[i].end.n);
        add_range(p, ranges[i], numa);
    }
    memset(p->base, 0, (size_t)p->count * p->stride);
    for (unsigned i = 0; i < p->range_count; i++) {
        for (uint32_t k = 0; k < p->range[i].pages; k++) {
            uint32_t nr = p->range[i].first + k;
            *page_flag_word(p, nr) = i << PAGE_RANGE_SHIFT;
            if (p->shape->virtual != NONE) {
                void *v = arch_phys_to_virt(pfn_to_phys(pfn(p->range[i].start + k)));
                memcpy(page_at(p, nr) + p->shape->virtual, &v, sizeof v);
            }
        }
    }
}

const struct page_range *pages_search_range(struct pages *p, pfn_t at)
{
    unsigned lo = 0, hi = p->range_count;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (at.n < p->range[mid].start)
            hi = mid;
        else if (at.n - p->range[mid].start < p->range[mid].pages)
            return p->range_hint = &p->range[mid];
        else
            lo = mid + 1;
    }
    return NULL;
}

void *page_address(const struct pages *p, uint32_t nr)
{
    if (p->shape->virtual != NONE) {
        void *v;
        memcpy(&v, page_at(p, nr) + p->shape->virtual, sizeof v);
        return v;
    }
    return arch_phys_to_virt(pfn_to_phys(page_pfn(p, nr)));
}

/* In few steps per descriptor: with every check on, this is called after each operation. */
const char *pages_check(const struct pages *p)
{
    uint32_t nr = 0;
    /* Then page_number(page_at(nr)) is nr for every nr. */
    uint64_t odd = p->stride >> p->stride_shift;
    if (odd * p->stride_inverse != 1 || odd << p->stride_shift != p->stride)
        return "pages: address and number of a descriptor disagree";
    for (unsigned i = 0; i < p->range_count; i++) {
        const struct page_range *r = &p->range[i];
        if (r->first != nr)
            return "pages: a range's first number does not follow the one before";
        if (i && r->start < p->range[i - 1].start + p->range[i - 1].pages)
            return "pages: ranges overlap or are not sorted";
        if (p->to_pfn[i] + nr != r->start)
            return "pages: a range's frame numbers do not follow its descriptors'";
        for (const uint8_t *flags = p->flags + nr * p->stride; nr < r->first + r->pages; nr++) {
            if (*(const uint32_t *)flags >> PAGE_RANGE_SHIFT != i)
                return "pages: a descriptor names a wrong range";
            flags += p->stride;
        }
    }
    return nr == p->count ? NULL : "pages: count is not the sum of the ranges";
}
