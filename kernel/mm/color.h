/*
 * Colour maps: page frame -> colour, and the class under which a block of frames is listed.
 *
 * Two frames have the same colour when they compete for the same sets of the cache. A map has N
 * colours, numbered in the order in which the frames 0, 1, 2, ... show them first. A block of 2^k
 * frames (aligned to its size) covers several colours; the allocator keeps it on the list of its
 * class = color_of(first frame) >> shift[k].
 *
 *   modulo N:  colour = pfn mod N, any N. With t = ctz(N): for k <= t a block starts at a multiple
 *              of 2^k, so its class names exactly the colours it covers, shift[k] = k. Above t
 *              the class is the start >> t, and the block covers the 2^k colours from there
 *              on, modulo N: class and colour are related by an interval, not by equality.
 *   xor:       M x physical address over GF(2), one mask (row of M) per bit of the result: a set
 *              index, a slice hash, a DRAM bank. Values that differ by what the in-page address
 *              bits can add are one colour. shift[k] is how many colour bits the low k bits of
 *              the frame number reach, so class equality is exact at every order.
 *   table:     colours as measured, one per frame. Nothing is known of neighbours, so blocks
 *              above order 0 are not kept: max_order is 0.
 *
 * color_of() is in the path of every allocation; color_of_naive() computes the same from the
 * definition, by other means, and is what the accounting is checked against.
 */
#ifndef TT_MM_COLOR_H
#define TT_MM_COLOR_H

#include "core/types.h"
#include "mm/order.h"

typedef uint32_t color_t;
#define COLOR_NONE      UINT32_MAX
#define COLORS_MAX      65536 /* 256 MB direct-mapped with 4K pages: beyond any cache built */
#define COLOR_BITS_MAX  16    /* log2(COLORS_MAX) */
#define COLOR_MASKS_MAX 24    /* rows of a xor map: 16 colour bits, and 8 that pages cancel */

enum color_kind { COLOR_MODULO, COLOR_XOR, COLOR_TABLE };

/* A vector of the elimination: value, reduced, and the colour bits that it stands for. */
struct color_vector {
    uint32_t value;
    color_t color;
};

struct color_map {
    uint32_t colors; /* N >= 1 */
    uint32_t mask;   /* N - 1 when colour = pfn & mask, else COLOR_NO_MASK */
    enum color_kind kind;
    uint8_t max_order; /* of blocks that may be kept on lists */
    uint8_t shift[MAX_ORDER + 1];
    bool interval[MAX_ORDER + 1];    /* class covers an interval of colours (k > t, N no 2^t) */
    uint32_t classes[MAX_ORDER + 1]; /* lists per order */
    /* xor: */
    unsigned bits;                /* log2(N) */
    uint64_t row[COLOR_BITS_MAX]; /* colour bit = parity of pfn & row */
    unsigned masks;               /* rows as given, over physical address bits */
    uint64_t given[COLOR_MASKS_MAX];
    unsigned vectors;
    struct color_vector vector[COLOR_MASKS_MAX];
    /* table: colours of the frames from table_start on; constant, the caller's */
    const color_t *table;
    pfn_t table_start;
};
#define COLOR_NO_MASK UINT32_MAX

/* Precondition: 1 <= colors <= COLORS_MAX. */
void color_map_modulo(struct color_map *m, uint32_t colors);

/* False when the masks have more than COLORS_MAX colours. Precondition: n <= COLOR_MASKS_MAX. */
bool color_map_xor(struct color_map *m, const uint64_t *masks, unsigned n);

/* table[i] < colors is the colour of frame start + i; it must hold every frame of the instance. */
void color_map_table(struct color_map *m, const color_t *table, pfn_t start, uint32_t colors);

/* color_of() of maps that are not a mask. */
color_t color_of_other(const struct color_map *m, pfn_t p);

static inline color_t color_of(const struct color_map *m, pfn_t p)
{
    if (__builtin_expect(m->mask != COLOR_NO_MASK, 1))
        return (color_t)p.n & m->mask;
    return color_of_other(m, p);
}

color_t color_of_naive(const struct color_map *m, phys_t a);

/* Does the block of 2^order frames whose first has colour `first` hold a frame of colour c? */
static inline bool color_covers(const struct color_map *m, color_t first, unsigned order, color_t c)
{
    if (__builtin_expect(!m->interval[order], 1))
        return (first ^ c) >> m->shift[order] == 0;
    color_t ahead = c >= first ? c - first : c + m->colors - first;
    return ahead < (color_t)1 << order;
}

/* Steps from a to b around the circle of colours, the shorter way. */
static inline uint32_t color_distance(const struct color_map *m, color_t a, color_t b)
{
    uint32_t up = b >= a ? b - a : b + m->colors - a;
    return up <= m->colors - up ? up : m->colors - up;
}

#endif
