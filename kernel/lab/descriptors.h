/*
 * Descriptors by node: those of a node's frames lie in that node's memory, as in Linux since
 * discontigmem's first mem_map per node.
 *
 * All descriptors of an instance have consecutive addresses, so that finding one costs the same
 * instructions with nodes as without; which memory is behind them is a matter of page tables. The
 * own window (mm/own.h) gives each layout (page_struct=) addresses of its own over the same
 * frames, as many of each node as the largest layout needs there. A page that holds descriptors of
 * two nodes lies on the node of the one in its middle. Levels with numa=off have theirs in one
 * piece in the area, but in the same experiment through the window, too: a translation of 4K
 * instead of the direct map's 2M is not what numa=on,off asks for.
 */
#ifndef TT_LAB_DESCRIPTORS_H
#define TT_LAB_DESCRIPTORS_H

#include "lab/factor.h"
#include "mm/memmap.h"

/* Pages for descriptors of so many frames that lie by node: at least what descriptors_place()
 * takes. 0 where no level has such. */
uint64_t descriptors_pages(const struct levels *levels, const struct topology *t, uint64_t frames);

/* Of a node's pages, how many leave it room for their descriptors; all where they do not lie there.
 */
uint64_t descriptors_fit(const struct levels *levels, const struct topology *t, uint64_t pages);

/*
 * Takes memory for the descriptors of a planned subject out of rest and fills in its places. 0, or
 * -TT_ENOMEM with a message.
 */
int descriptors_place(struct subject *on, struct memmap *rest, const struct levels *levels,
                      char *err, size_t err_bytes);

/* What came of it, by a walk of the page tables. */
struct descriptors_found {
    uint64_t pages[NUMA_NODES]; /* that hold a level's descriptors, by their own node */
    uint64_t away;              /* descriptors that begin on another node than their frame's */
};
void descriptors_find(const struct subject *on, const struct setup *s,
                      struct descriptors_found *out);

#endif
