/*
 * LRU lists of a node: active and inactive pages, threaded through their descriptors, under one
 * lock, filled from pagevecs in batches (as Linux 2.6 did from 2002 on).
 *
 * Pages on a list are in use; free pages use the same two fields for the free lists. The lock, the
 * heads and the counts lie together, on lines that belong to nobody else.
 */
#ifndef TT_MM_LRU_H
#define TT_MM_LRU_H

#include "core/lock.h"
#include "mm/page.h"
#include "mm/pagevec.h"

/* Bits 6 and 7 of a descriptor's flags, which mm/page.h leaves free: on a list, on the active one.
 */
#define PAGE_LRU    (1u << 6)
#define PAGE_ACTIVE (1u << 7)

enum lru_list { LRU_INACTIVE, LRU_ACTIVE, LRU_LISTS };

struct lru {
    struct pages *pages; /* constant */
    unsigned node;       /* constant: of the pages on the lists */
    struct lock lock;    /* over everything below, and over links of pages on the lists */
    struct {
        uint32_t first; /* newest; PAGE_NR_NONE when empty */
        uint32_t last;  /* oldest: where reclaim would begin */
        uint32_t count;
    } list[LRU_LISTS];
} __attribute__((aligned(128)));

void lru_init(struct lru *l, struct pages *pages, unsigned node);

/*
 * Puts all pages of a pagevec on a list of their nodes, newest first, drops the reference that the
 * pagevec held on each, and empties it. A lock is taken once for pages of one node that follow each
 * other, as Linux does. nodes: the lists of all nodes. Precondition: no page is on a list.
 */
void lru_add(struct lru *nodes, enum lru_list which, const struct pagevec *v);

/* l is the lists of the page's node. Moves it to the active list, or takes it off the lists. False
 * if it was on none. */
bool lru_activate(struct lru *l, uint32_t page);
bool lru_remove(struct lru *l, uint32_t page);

/* Takes the oldest page of a list off; PAGE_NR_NONE when it is empty. */
uint32_t lru_take_oldest(struct lru *l, enum lru_list which);

/* Links, counts and flags of all pages on both lists; NULL, or what is broken. O(pages on them). */
const char *lru_check(struct lru *l);

#endif
