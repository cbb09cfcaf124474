/*
 * The modelled TLB: set-up, and the ways through it that are not the usual one.
 */
#include "tools/model/tlb.h"

#include <stdlib.h>
#include <string.h>

int tlb_init(struct tlb *tlb, uint32_t entries, uint32_t ways)
{
    bool full = ways == entries;

    memset(tlb, 0, sizeof(*tlb));
    tlb->entries = entries;
    tlb->ways = ways;
    if (entries == 0) {
        return 0;
    }
    if (full) {
        tlb->full = calloc((size_t)entries + 1, sizeof(*tlb->full));
        tlb->place = calloc(TLB_PLACES, sizeof(*tlb->place));
    } else {
        tlb->set_mask = entries / ways - 1;
        tlb->page = calloc(entries, sizeof(*tlb->page));
    }
    if (full ? !tlb->full || !tlb->place : !tlb->page) {
        tlb_destroy(tlb);
        return -1;
    }
    tlb_clear(tlb);
    return 0;
}

void tlb_destroy(struct tlb *tlb)
{
    free(tlb->page);
    free(tlb->full);
    free(tlb->place);
    memset(tlb, 0, sizeof(*tlb));
}

void tlb_clear(struct tlb *tlb)
{
    if (tlb->page) {
        memset(tlb->page, 0, tlb->entries * sizeof(*tlb->page));
    }
    /* the places stay: what they name is not there any more */
    for (uint32_t i = 0; tlb->full && i <= tlb->entries; i++) {
        tlb->full[i].page = TLB_NO_PAGE;
        tlb->full[i].newer = i == tlb->entries ? 0 : i + 1;
        tlb->full[i].older = i == 0 ? tlb->entries : i - 1;
    }
}

uint32_t tlb_search(const struct tlb *tlb, uint64_t page)
{
    uint32_t number = 0;

    while (number < tlb->entries && tlb->full[number].page != page) {
        number++;
    }
    return number;
}

bool tlb_miss_in_set(struct tlb *tlb, uint64_t page)
{
    uint64_t *set;
    uint32_t way = 0;
    bool miss;

    if (tlb->entries == 0) {
        return false;
    }
    set = tlb->page + (page & tlb->set_mask) * tlb->ways;
    while (way < tlb->ways - 1 && set[way] != page + 1) {
        way++;
    }
    miss = set[way] != page + 1;
    for (; way > 0; way--) {
        set[way] = set[way - 1];
    }
    set[0] = page + 1;
    return miss;
}
