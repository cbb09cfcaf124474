/*
 * Free lists of blocks: one split and merge for the buddy and for every coloured allocator.
 *
 * A block of order k (0..MAX_ORDER) is on the list of its (order, class), where the class comes
 * from a colour map (mm/color.h). With one colour there is one list per order, and this is the
 * binary buddy allocator (Knowlton 1965; Knuth vol. 1, 2.5); with N colours a block of any order
 * can be asked for by colour. Lists are LIFO: a freed block is the next one delivered. The order
 * of delivery is a contract, held by golden tests: it *is* the experiment.
 *
 * Cost: alloc and free are O(MAX_ORDER), independent of the size of memory and of the number of
 * colours; for maps with intervals (see color.h) finding a class scans N / 2^t / 64 bitmap words.
 *
 * Only list_add and list_remove in buddy_list.h link blocks, set their state and move their counts.
 */
#ifndef TT_MM_BUDDY_H
#define TT_MM_BUDDY_H

#include "mm/color.h"
#include "mm/page.h"

struct free_list {
    uint32_t first; /* descriptor number, PAGE_NR_NONE when empty */
    uint32_t count; /* blocks on the list */
};

/* The lists of one order: list[class]. All constant. */
struct buddy_order {
    struct free_list *list;
    uint64_t *bitmap; /* bit per class with a block on its list; NULL unless map->interval */
    uint32_t classes;
    uint32_t pages; /* of a block */
    uint8_t shift;  /* class = colour >> shift */
};

/* The lists of one node: all frames and blocks below are of that node. */
struct buddy {
    struct pages *pages;         /* constant; of all nodes */
    const struct color_map *map; /* constant: of the lists, not of the accounting */
    uint32_t mask;               /* constant: map->mask */
    struct buddy_order order[MAX_ORDER + 1];
    unsigned node; /* constant; last, where it moves no offset of the common path */
};

/* Bytes of lists and bitmap for a map. */
size_t buddy_bytes(const struct color_map *map);

/* Empty lists of a node over pages; memory holds buddy_bytes(map), 8-byte aligned. */
void buddy_init(struct buddy *b, struct pages *pages, unsigned node, const struct color_map *map,
                void *memory);

/* Puts all frames of the node's ranges on the lists in the largest aligned blocks, highest first,
 * so that allocation from a fresh instance proceeds upwards. O(frames / 2^MAX_ORDER). */
void buddy_add_all(struct buddy *b);

/*
 * Takes a block of 2^order frames that covers colour c, splitting a larger one if need be: the
 * lowest order that has one, the newest block of its list. PFN_NONE when none covers c.
 * Preconditions: order <= MAX_ORDER; c < map->colors.
 */
static inline pfn_t buddy_alloc(struct buddy *b, unsigned order, color_t c);

/*
 * Takes exactly the block of 2^order frames at p out of whatever free block holds it. False if
 * it is not wholly free, or of another node. Precondition: p aligned to the block.
 */
bool buddy_take(struct buddy *b, pfn_t p, unsigned order);

/*
 * Gives a block back and merges it with its free buddies. CHECK >= 1 panics on a double free, a
 * wrong order or a frame of no range or another node; CHECK >= 2 fills the frames with junk.
 */
void buddy_free(struct buddy *b, pfn_t p, unsigned order);

/* Is the block of 2^order frames at p (aligned) wholly inside one free block? */
bool buddy_is_free(struct buddy *b, pfn_t p, unsigned order);

/* Free blocks of an order, and free frames, over all lists. O(lists). */
uint64_t buddy_blocks(const struct buddy *b, unsigned order);
uint64_t buddy_free_pages(const struct buddy *b);

/*
 * Every descriptor, every list and its count: states match lists, links point back, counts equal
 * lengths, bitmap bits equal emptiness, no two free buddies are left unmerged, every free block is
 * on a list, every block is of the node. NULL, or what is broken. O(frames).
 */
const char *buddy_check(struct buddy *b);

#include "mm/buddy_list.h"

#endif
