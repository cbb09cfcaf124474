/*
 * Page descriptors: the page array of one instance, its shape, stride and offset chosen at run
 * time.
 *
 * A shape is the set of fields that a kernel of its time kept per page frame. The array lays the
 * descriptors out at any stride that is at least the shape's size, starting at any offset from a
 * page boundary, so that "40 bytes, 48 bytes or 64, aligned or not" is a level of an experiment.
 *
 * Links between descriptors are descriptor numbers, 0 to count - 1, in every shape, as a 32-bit
 * number in the low half of the field: a shape decides which bytes are touched, not how far they
 * can point. Numbers run through all ranges without gaps, so a hole in physical memory costs no
 * descriptor; each descriptor knows its range, which turns its number into a frame in O(1).
 *
 * Sources of the shapes: field order of struct page in Linux 2.2.5 (i386; LP64 layout computed)
 * and 2.6.16 (x86_64, without and with WANT_PAGE_VIRTUAL).
 */
#ifndef TT_MM_PAGE_H
#define TT_MM_PAGE_H

#include "core/types.h"
#include "mm/numa.h"

#define PAGE_NR_NONE UINT32_MAX
#define PAGE_RANGES  2048 /* twice what a boot path hands over; 16 bits would allow 65536 */

/* Byte offset of each field that Tintype's code uses; 0xff: the shape has no such field. */
struct page_shape {
    const char *name;   /* "2.2" */
    const char *origin; /* whose struct page this is */
    uint8_t size_bytes; /* of one descriptor without padding */
    uint8_t word_bytes; /* 4 or 8: width of its pointers */
    uint8_t next, prev, flags, count, mapping, index, virtual;
    uint8_t next_hash, pprev_hash; /* of the page cache's hash chains */
};
#define PAGE_NO_FIELD 0xff

/* Every shape there is, NULL-terminated. */
extern const struct page_shape *const page_shapes[];

/* One level of page_struct=. */
struct page_layout {
    const struct page_shape *shape;
    uint32_t stride_bytes; /* at least shape->size_bytes, a multiple of 4 */
    uint32_t offset_bytes; /* of descriptor 0 from a page boundary, a multiple of 4, < PAGE_SIZE */
};

/* "2.2:40", "2.6v:64+8", "2.2l" (natural size): 0, or -TT_EINVAL with what would be valid. */
int page_layout_parse(const char *s, struct page_layout *out, char *err, size_t err_bytes);

/* Frames [start, start + pages) have the descriptors first, first + 1, ... */
struct page_range {
    uint64_t start; /* pfn */
    uint32_t pages;
    uint32_t first;
};

struct pages {
    uint8_t *base; /* descriptor 0 */
    uint64_t stride;
    uint32_t count;
    uint8_t *next, *prev, *flags; /* these fields of descriptor 0: saves adding their offsets */
    uint8_t stride_shift;         /* page_number(): trailing zeros of the stride */
    uint64_t stride_inverse;      /* and the inverse of its odd part modulo 2^64 */
    const struct page_shape *shape;
    unsigned range_count;
    const struct page_range *range_hint; /* where the last lookup ended */
    uint64_t to_pfn[PAGE_RANGES];        /* by range: frame number less descriptor number */
    struct page_range range[PAGE_RANGES];
    uint8_t node[PAGE_RANGES]; /* of each range: ranges never reach across nodes */
};

/* Bytes that an array of count descriptors needs, offset included. */
size_t pages_bytes(const struct page_layout *l, uint64_t count);

/*
 * Lays the descriptors of ranges[0..n) (sorted, disjoint, not empty) out at area (page aligned).
 * All are cleared: state PAGE_TAIL, range set, virtual set where the shape has it. With numa (NULL:
 * one node) ranges are cut where the node changes; n + NUMA_RANGES * 2 <= PAGE_RANGES then.
 */
void pages_init(struct pages *p, const struct page_layout *l, void *area,
                const struct pfn_range *ranges, unsigned n, const struct numa *numa);

/* NULL, or the first descriptor whose frame, number and range disagree. O(count). */
const char *pages_check(const struct pages *p);

/* ---- one descriptor -------------------------------------------------------------------------
 *
 * flags, 32 bits: order 0..3, state 4..5, range 16..31; lists of pages in use 6..7 (mm/lru.h), and
 * PAGE_REFERENCED, which says that a cache's page was used. Only the first descriptor of a block
 * carries a state other than PAGE_TAIL. PAGE_LISTED is PAGE_USED on a CPU's list (mm/pcp.h).
 */
enum page_state { PAGE_TAIL = 0, PAGE_FREE = 1, PAGE_USED = 2, PAGE_LISTED = 3 };

#define PAGE_ORDER_MASK          0x0fu
#define PAGE_STATE_SHIFT         4
#define PAGE_STATE_MASK          (3u << PAGE_STATE_SHIFT)
#define PAGE_REFERENCED          (1u << 8)
#define PAGE_RANGE_SHIFT         16
#define PAGE_RANGE_MASK          0xffff0000u
#define PAGE_BLOCK(state, order) ((uint32_t)(state) << PAGE_STATE_SHIFT | (order))

static inline uint8_t *page_at(const struct pages *p, uint32_t nr)
{
    return p->base + nr * p->stride;
}

/* A field by its offset in the shape, such as p->shape->count. */
static inline uint32_t *page_field(const struct pages *p, uint32_t nr, uint8_t offset)
{
    return (uint32_t *)(page_at(p, nr) + offset);
}

static inline uint32_t *page_next(const struct pages *p, uint32_t nr)
{
    return (uint32_t *)(p->next + nr * p->stride);
}

static inline uint32_t *page_prev(const struct pages *p, uint32_t nr)
{
    return (uint32_t *)(p->prev + nr * p->stride);
}

static inline uint32_t *page_flag_word(const struct pages *p, uint32_t nr)
{
    return (uint32_t *)(p->flags + nr * p->stride);
}

static inline uint32_t page_flags(const struct pages *p, uint32_t nr)
{
    return *page_flag_word(p, nr);
}

/* Sets state and order, keeps the range. */
static inline void page_set_block(struct pages *p, uint32_t nr, enum page_state s, unsigned order)
{
    uint32_t *f = page_flag_word(p, nr);
    *f = (*f & PAGE_RANGE_MASK) | PAGE_BLOCK(s, order);
}

/* Is nr the first descriptor of a block with this state and order? */
static inline bool page_is_block(const struct pages *p, uint32_t nr, enum page_state s,
                                 unsigned order)
{
    return (page_flags(p, nr) & (PAGE_STATE_MASK | PAGE_ORDER_MASK)) == PAGE_BLOCK(s, order);
}

static inline const struct page_range *page_range_of(const struct pages *p, uint32_t nr)
{
    return &p->range[page_flags(p, nr) >> PAGE_RANGE_SHIFT];
}

/* The node of a descriptor's frame, and of a range of this array. */
static inline unsigned page_node(const struct pages *p, uint32_t nr)
{
    return p->node[page_flags(p, nr) >> PAGE_RANGE_SHIFT];
}

static inline unsigned page_range_node(const struct pages *p, const struct page_range *r)
{
    return p->node[r - p->range];
}

static inline pfn_t page_pfn(const struct pages *p, uint32_t nr)
{
    return pfn(p->to_pfn[page_flags(p, nr) >> PAGE_RANGE_SHIFT] + nr);
}

/* Number of the descriptor at d: the same few instructions for every stride. */
static inline uint32_t page_number(const struct pages *p, const void *d)
{
    uint64_t bytes = (uint64_t)((const uint8_t *)d - p->base);
    return (uint32_t)((bytes >> p->stride_shift) * p->stride_inverse);
}

/* Slow path of pages_find_range: binary search. NULL when no range holds p. */
const struct page_range *pages_search_range(struct pages *p, pfn_t at);

/* The range that holds a frame, NULL if none does. O(1) while lookups stay in one range. */
static inline const struct page_range *pages_find_range(struct pages *p, pfn_t at)
{
    const struct page_range *r = p->range_hint;
    if (__builtin_expect(at.n - r->start < r->pages, 1))
        return r;
    return pages_search_range(p, at);
}

/* The number of a frame's descriptor, PAGE_NR_NONE when no range holds it. */
static inline uint32_t page_nr(struct pages *p, pfn_t at)
{
    const struct page_range *r = pages_find_range(p, at);
    return r ? r->first + (uint32_t)(at.n - r->start) : PAGE_NR_NONE;
}

/* Kernel address of a frame's memory: computed, or loaded from `virtual` where the shape has it. */
void *page_address(const struct pages *p, uint32_t nr);

#endif
