/*
 * The modelled TLB: a hash-backed LRU when fully associative (128 entries are too many to search
 * on every page change), short arrays otherwise.
 */
#include "tools/model/tlb.h"

#include <stdlib.h>
#include <string.h>

int tlb_init(struct tlb *tlb, uint32_t entries, uint32_t ways)
{
    memset(tlb, 0, sizeof(*tlb));
    tlb->entries = entries;
    tlb->ways = ways;
    if (entries == 0) {
        return 0;
    }
    if (ways == entries) {
        return lru_init(&tlb->full, entries);
    }
    tlb->set_mask = entries / ways - 1;
    tlb->page = calloc(entries, sizeof(*tlb->page));
    return tlb->page ? 0 : -1;
}

void tlb_destroy(struct tlb *tlb)
{
    free(tlb->page);
    lru_destroy(&tlb->full);
    memset(tlb, 0, sizeof(*tlb));
}

void tlb_clear(struct tlb *tlb)
{
    if (tlb->page) {
        memset(tlb->page, 0, tlb->entries * sizeof(*tlb->page));
    } else if (tlb->entries) {
        lru_clear(&tlb->full);
    }
}

bool tlb_miss(struct tlb *tlb, uint64_t page)
{
    uint64_t *set;
    uint32_t way;

    if (tlb->entries == 0) {
        return false;
    }
    if (!tlb->page) {
        return !lru_use(&tlb->full, page);
    }
    set = tlb->page + (page & tlb->set_mask) * tlb->ways;
    for (way = 0; way < tlb->ways - 1 && set[way] != page + 1; way++) {
    }
    if (set[way] == page + 1) {
        memmove(set + 1, set, way * sizeof(*set));
        set[0] = page + 1;
        return false;
    }
    memmove(set + 1, set, (tlb->ways - 1) * sizeof(*set));
    set[0] = page + 1;
    return true;
}
