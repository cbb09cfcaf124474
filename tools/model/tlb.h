/*
 * The modelled machine's data TLB: one level, LRU, set-associative or fully associative. Pages of
 * one size only (the machine's base page): larger guest pages count as many.
 *
 * Fully associative ones are too large to be searched whenever the page changes (128 entries). They
 * are a ring of entries in order of use, and a table by the page's low bits that says which entry a
 * page was last put into: where the table has the page, it is there or nowhere.
 */
#ifndef TOOLS_MODEL_TLB_H
#define TOOLS_MODEL_TLB_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/model/machine.h"

/* 32 MiB of 4 KiB pages, 64 KiB of host memory a CPU; beyond, pages may displace one another here,
 * which costs a search. */
#define TLB_PLACES 8192u

struct tlb_entry {
    uint64_t page; /* TLB_NO_PAGE: none */
    uint32_t newer;
    uint32_t older;
};

#define TLB_NO_PAGE UINT64_MAX

struct tlb {
    uint32_t entries; /* 0: nothing modelled, never a miss */
    uint32_t ways;
    uint32_t set_mask;
    uint64_t *page; /* sets x ways, most recent first; page + 1, 0 when empty */
    /*
     * Instead, if fully associative: the entries, and one more that closes the ring (newer: the
     * oldest, older: the newest) and never holds a page.
     */
    struct tlb_entry *full;
    uint64_t *place; /* page << MACHINE_TLB_BITS | entry; a page has at most 52 bits */
};

/* entries / ways must be a power of two. Returns -1 when memory is short. */
int tlb_init(struct tlb *tlb, uint32_t entries, uint32_t ways);
void tlb_destroy(struct tlb *tlb);
void tlb_clear(struct tlb *tlb);

/* tlb_miss() of one that is not fully associative. */
bool tlb_miss_in_set(struct tlb *tlb, uint64_t page);

/* The entry of a page whose place is not known; if none, the one that closes the ring. */
uint32_t tlb_search(const struct tlb *tlb, uint64_t page);

/* Use a page's translation. Returns true on a miss, after which it is there. */
static inline bool tlb_miss(struct tlb *tlb, uint64_t page)
{
    struct tlb_entry *full = tlb->full;
    uint32_t ring = tlb->entries;
    struct tlb_entry *entry;
    uint64_t *place;
    uint32_t number;
    bool miss;

    if (!full) {
        return tlb_miss_in_set(tlb, page);
    }
    place = &tlb->place[page % TLB_PLACES];
    number = *place >> MACHINE_TLB_BITS == page ? *place % MACHINE_MAX_TLB : tlb_search(tlb, page);
    miss = full[number].page != page;
    if (miss) {
        number = full[ring].newer;
        full[number].page = page;
    }
    *place = page << MACHINE_TLB_BITS | number;
    entry = &full[number];
    full[entry->newer].older = entry->older;
    full[entry->older].newer = entry->newer;
    entry->newer = ring;
    entry->older = full[ring].older;
    full[entry->older].newer = number;
    full[ring].older = number;
    return miss;
}

#endif
