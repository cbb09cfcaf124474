/*
 * page_color=: what one level of the option asks for, and where the numbers came from.
 *
 *   KB[,WAYS]            a cache of KB kilobytes with WAYS ways (default 1): size / (ways * page)
 *                        colours
 *   KB,WAYS+KB,WAYS...   several caches at once, for policies that can serve them all: the
 *                        colours are those of the least common multiple, and size and ways of the
 *                        record are those of the cache with the most colours
 *   auto                 the largest cache that the machine describes plausibly
 *   posted               the same cache as Papadopoulos counted: size / page, ways ignored
 *   posted:KB            the same for a cache of KB kilobytes
 *   xor:MASK[,MASK...]   one bit of colour per mask: the parity of physical address & mask
 *   probe[:KB[,WAYS]]    a table of what the machine shows (lab/probe.h), of the cache that auto
 *                        takes or of one of KB kilobytes; no more colours than it can have
 *   off                  one colour
 *
 * Levels of the factor are separated by '/', so ',' and '+' belong to one level.
 */
#ifndef TT_MM_COLOR_SPEC_H
#define TT_MM_COLOR_SPEC_H

#include "mm/color.h"

struct arch_cache;

#define COLOR_CACHES_MAX 4

struct color_spec {
    enum color_kind kind;
    uint32_t colors;
    uint64_t size_bytes; /* of the coloured cache; xor: a page of each colour; 0 for off */
    unsigned ways;
    char source[40]; /* "command line", "cpuid leaf 4, L3", "off", "posted, ..." */
    unsigned caches; /* colours of each cache, ascending; one for most */
    uint32_t cache_colors[COLOR_CACHES_MAX];
    unsigned masks;
    uint64_t mask[COLOR_MASKS_MAX];
    const color_t *table; /* COLOR_TABLE: as probed; NULL until then */
    pfn_t table_start;
};

/*
 * 0, or -TT_EINVAL with a message that names the level and says what would be valid. auto and
 * posted ask caches[0..n).
 */
int color_spec_parse(const char *s, const struct arch_cache *caches, unsigned n,
                     struct color_spec *out, char *err, size_t err_bytes);

/* The map of a level that color_spec_parse accepted, or of one filled in by hand. */
void color_spec_map(const struct color_spec *s, struct color_map *m);

#endif
