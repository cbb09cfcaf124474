/*
 * Places for small objects, packed into pages that the instance's policy gives. Places are numbered
 * by their distance from the instance's lowest frame, in units, as tables want it (cache/table.h).
 */
#ifndef TT_WORK_SLAB_H
#define TT_WORK_SLAB_H

#include "cache/table.h"
#include "work/take_page.h"

struct slab {
    struct memory *memory;
    uint32_t stride, unit; /* bytes from place to place, and of a number's unit */
    uint32_t places;       /* given so far */
    uint64_t page;         /* bytes from the lowest frame */
};

/* Number 0's address. */
static inline void *slab_base(const struct memory *m)
{
    return arch_phys_to_virt(pfn_to_phys(page_pfn(&m->pages, 0)));
}

/* The next place, below max units from the lowest frame. TABLE_NONE: there is none. */
static inline uint32_t slab_next(struct slab *s, uint32_t max)
{
    uint32_t in_page = (uint32_t)PAGE_SIZE / s->stride, slot = s->places % in_page;
    const struct pages *pages = &s->memory->pages;
    if (!slot) {
        uint32_t page = take_page(s->memory, s->places / in_page);
        if (page == PAGE_NR_NONE)
            return TABLE_NONE;
        s->page = (page_pfn(pages, page).n - page_pfn(pages, 0).n) << PAGE_SHIFT;
    }
    uint64_t nr = (s->page + slot * s->stride) / s->unit;
    s->places++;
    return nr < max ? (uint32_t)nr : TABLE_NONE;
}

#endif
