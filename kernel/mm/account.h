/*
 * Colour accounting of one instance: what was wanted, what was got, how far apart.
 *
 * This is what replaces the posted patch's /proc/page_color, whose `hits` counted every
 * successful allocation and whose `misses` counted probes of colours. Blocks
 * above order 0 are counted once, under the colour of their first frame.
 */
#ifndef TT_MM_ACCOUNT_H
#define TT_MM_ACCOUNT_H

#include "mm/color.h"

struct account {
    const struct color_map *map; /* the coloured cache, not the lists' map */
    uint32_t *wanted;            /* [colors]; allocations by wanted colour, if there was one */
    uint32_t *got;               /* [colors]; allocations by the colour of the first frame */
    uint64_t allocations;        /* successful */
    uint64_t wishes;             /* successful ones that wanted a colour */
    uint64_t missed;             /* of those, served by a block that does not cover it */
    uint64_t failed;             /* nothing was delivered */
    uint64_t probes;             /* colours tried in vain */
    uint64_t distance_sum;       /* over `missed`: from the wanted to the nearest colour covered */
    uint32_t distance_max;
};

size_t account_bytes(const struct color_map *map);
void account_init(struct account *a, const struct color_map *map, void *memory);
void account_reset(struct account *a);

/* A block that was not wished for in any colour. */
static inline void account_any(struct account *a, color_t got)
{
    a->got[got]++;
    a->allocations++;
}

/* A block that covers the wanted colour. */
static inline void account_hit(struct account *a, color_t want, color_t got)
{
    account_any(a, got);
    a->wanted[want]++;
    a->wishes++;
}

/* A block, and the colour that was wanted or COLOR_NONE. */
void account_got(struct account *a, color_t want, pfn_t p, unsigned order);

/* Sums of the arrays against the counters; NULL or what is broken. */
const char *account_check(const struct account *a);

#endif
