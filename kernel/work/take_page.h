/* Pages of the instance that a workload takes one by one, instead of by lab_grow(). */
#ifndef TT_WORK_TAKE_PAGE_H
#define TT_WORK_TAKE_PAGE_H

#include "arch.h"
#include "mm/memory.h"

/* Descriptor number of a page, chosen by the instance's policy; PAGE_NR_NONE: nothing is free. at:
 * 0, 1, 2 ..., for policies that look at addresses. */
static inline uint32_t take_page(struct memory *m, uint32_t at)
{
    struct place_request q = {.va = ARCH_WINDOW + ((uintptr_t)at << PAGE_SHIFT), .pid = 1};
    pfn_t p = memory_alloc(m, &q);
    return p.n == PFN_NONE.n ? PAGE_NR_NONE : page_nr(&m->pages, p);
}

#endif
