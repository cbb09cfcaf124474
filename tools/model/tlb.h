/*
 * The modelled machine's data TLB: one level, LRU, set-associative or fully associative. Pages of
 * one size only (the machine's base page): larger guest pages count as many.
 */
#ifndef TOOLS_MODEL_TLB_H
#define TOOLS_MODEL_TLB_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/model/lru.h"

struct tlb {
    uint32_t entries; /* 0: nothing modelled, never a miss */
    uint32_t ways;
    uint32_t set_mask;
    uint64_t *page; /* sets x ways, most recent first; page + 1, 0 when empty */
    struct lru full;
};

/* entries / ways must be a power of two. Returns -1 when memory is short. */
int tlb_init(struct tlb *tlb, uint32_t entries, uint32_t ways);
void tlb_destroy(struct tlb *tlb);
void tlb_clear(struct tlb *tlb);

/* Use a page's translation. Returns true on a miss, after which it is there. */
bool tlb_miss(struct tlb *tlb, uint64_t page);

#endif
