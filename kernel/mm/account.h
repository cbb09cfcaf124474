/*
 * Colour accounting of one instance: what was wanted, what was got, how far apart.
 *
 * This is what replaces the posted patch's /proc/page_color, whose `hits` counted every
 * successful allocation and whose `misses` counted probes of colours. A block is counted once, by
 * order and colour of its first frame; the colours of all its frames follow from that when
 * somebody asks (account_frames), so that a large block costs no more than a page.
 */
#ifndef TT_MM_ACCOUNT_H
#define TT_MM_ACCOUNT_H

#include "arch.h"
#include "mm/color.h"

struct account {
    const struct color_map *map;  /* the coloured cache, not the lists' map */
    uint32_t *wanted;             /* [colors]; allocations by wanted colour, if there was one */
    uint32_t *got[MAX_ORDER + 1]; /* [order][colors]; allocations by colour of the first frame */
    uint64_t allocations;         /* successful */
    uint64_t wishes;              /* successful ones that wanted a colour */
    uint64_t missed;              /* of those, served by a block that does not cover it */
    uint64_t failed;              /* nothing was delivered */
    uint64_t probes;              /* colours tried in vain */
    uint64_t distance_sum;        /* over `missed`: from the wanted to the nearest colour covered */
    uint32_t distance_max;
    /* where there are several nodes; blocks: */
    uint64_t node_wanted[NUMA_NODES]; /* by node of the CPU that asked */
    uint64_t node_got[NUMA_NODES];    /* by node of the block */
    uint64_t local;                   /* both were the same */
};

size_t account_bytes(const struct color_map *map);
void account_init(struct account *a, const struct color_map *map, void *memory);
void account_reset(struct account *a);

/* Moves all that `from` counted to another account of the same map. */
void account_move(struct account *to, struct account *from);

/* A block that was not wished for in any colour; got_of: a->got[its order]. */
static inline void account_any(struct account *a, color_t got, uint32_t *got_of)
{
    got_of[got]++;
    a->allocations++;
}

/* A block that covers the wanted colour. */
static inline void account_hit(struct account *a, color_t want, color_t got, uint32_t *got_of)
{
    account_any(a, got, got_of);
    a->wanted[want]++;
    a->wishes++;
}

/* A block, and the colour that was wanted or COLOR_NONE. */
void account_got(struct account *a, color_t want, pfn_t p, unsigned order);

/* A block of node `got`, accounted by one of the above, was asked for on node `home`. */
static inline void account_node(struct account *a, unsigned home, unsigned got)
{
    a->node_wanted[home]++;
    a->node_got[got]++;
    a->local += home == got;
}

/* Adds the frames of all blocks by their colours to frames[colors]; returns how many there are. */
uint64_t account_frames(const struct account *a, uint32_t *frames);

/* Sums of the arrays against the counters; NULL or what is broken. */
const char *account_check(const struct account *a);

#endif
