/*
 * What a free-list allocator may do, decided naively: an array with one entry per frame.
 *
 * Knows nothing of lists, orders of search or classes: only which frames are out, and the colour
 * of each frame by the naive colour function. Every complaint is a text; NULL means right.
 */
#ifndef TT_UNIT_MM_ORACLE_H
#define TT_UNIT_MM_ORACLE_H

#include "mm/nodes.h"

struct oracle_block {
    pfn_t at;
    unsigned order;
};

struct oracle {
    struct buddy *b;             /* of node 0 */
    struct nodes *nodes;         /* NULL: b is all there is */
    const struct color_map *map; /* of the colours that are asked for */
    uint32_t frames;
    uint8_t *used;  /* by descriptor number */
    color_t *color; /* by descriptor number, naive */
    pfn_t *frame;   /* by descriptor number */
    uint32_t *free_of_color;
    uint32_t free;
    struct oracle_block *live; /* blocks that are out, in no order */
    uint32_t live_count;
};

/* Over an instance of which nothing is out. */
void oracle_init(struct oracle *o, struct buddy *b, const struct color_map *map);
void oracle_drop(struct oracle *o);

/* p was delivered for a request: aligned, inside one range, nobody else's? Then it is out. */
const char *oracle_out(struct oracle *o, pfn_t p, unsigned order);

/* Block live[i] is given back. */
struct oracle_block oracle_back(struct oracle *o, uint32_t i);

/* Does the block hold a frame of colour c? */
bool oracle_covers(const struct oracle *o, pfn_t p, unsigned order, color_t c);

/*
 * Is there an aligned, wholly free block of 2^order frames that holds colour c (COLOR_NONE: any)?
 * Of an order that the lists do not keep there is none.
 */
bool oracle_could(const struct oracle *o, unsigned order, color_t c);

/* The same of one node, by a search of all its frames. */
bool oracle_could_on(const struct oracle *o, unsigned node, unsigned order, color_t c);

/* The whole instance: validator, every frame free or not, merged as far as possible. */
const char *oracle_compare(const struct oracle *o);

#endif
