/*
 * Colour maps: page frame -> colour, and the class under which a block of frames is listed.
 *
 * Two frames have the same colour when they compete for the same sets of the cache. A map has N
 * colours. A block of 2^k frames (aligned to its size) covers several colours; the allocator
 * keeps it on the list of its class = color_of(first frame) >> shift[k].
 *
 *   modulo N:  colour = pfn mod N, any N. With t = ctz(N): for k <= t a block starts at a multiple
 *              of 2^k, so its class names exactly the colours it covers, shift[k] = k. Above t
 *              the class is the start >> t, and the block covers the 2^k colours from there
 *              on, modulo N: class and colour are related by an interval, not by equality.
 *
 * color_of() is in the path of every allocation; color_of_naive() computes the same from the
 * definition, by other means, and is what the accounting is checked against.
 */
#ifndef TT_MM_COLOR_H
#define TT_MM_COLOR_H

#include "core/types.h"
#include "mm/order.h"

struct arch_cache;

typedef uint32_t color_t;
#define COLOR_NONE UINT32_MAX
#define COLORS_MAX 65536 /* 256 MB direct-mapped with 4K pages: beyond any cache built */

struct color_map {
    uint32_t colors; /* N >= 1 */
    uint32_t mask;   /* N - 1 when N is a power of two, else 0 and `%` is used */
    uint8_t shift[MAX_ORDER + 1];
    uint32_t classes[MAX_ORDER + 1]; /* lists per order */
    bool interval[MAX_ORDER + 1];    /* class covers an interval of colours (k > t, N no 2^t) */
};

void color_map_modulo(struct color_map *m, uint32_t colors);

static inline color_t color_of(const struct color_map *m, pfn_t p)
{
    if (__builtin_expect(m->mask || m->colors == 1, 1))
        return (color_t)p.n & m->mask;
    return (color_t)(p.n % m->colors);
}

color_t color_of_naive(const struct color_map *m, phys_t a);

/* Does the block of 2^order frames whose first has colour `first` hold a frame of colour c? */
static inline bool color_covers(const struct color_map *m, color_t first, unsigned order, color_t c)
{
    if (__builtin_expect(!m->interval[order], 1))
        return first >> m->shift[order] == c >> m->shift[order];
    color_t ahead = c >= first ? c - first : c + m->colors - first;
    return ahead < (color_t)1 << order;
}

/* Steps from a to b around the circle of colours, the shorter way. */
static inline uint32_t color_distance(const struct color_map *m, color_t a, color_t b)
{
    uint32_t up = b >= a ? b - a : b + m->colors - a;
    return up <= m->colors - up ? up : m->colors - up;
}

/* ---- page_color= ---------------------------------------------------------------------------- */

/* One level of the option; what it asks for, and where the number came from. */
struct color_spec {
    uint32_t colors;
    uint64_t size_bytes; /* of the coloured cache: colours * ways * page; 0 for off */
    unsigned ways;
    char source[40]; /* "command line", "cpuid leaf 4, L3", "off" */
};

/*
 *   page_color=KB[,WAYS]   cache of KB kilobytes, WAYS ways (default 1): size / (ways * page)
 * colours page_color=auto        the largest cache that the machine describes plausibly
 *   page_color=off         one colour
 *
 * 0, or -TT_EINVAL with a message that says what would be valid. auto asks caches[0..n).
 */
int color_spec_parse(const char *s, const struct arch_cache *caches, unsigned n,
                     struct color_spec *out, char *err, size_t err_bytes);

#endif
