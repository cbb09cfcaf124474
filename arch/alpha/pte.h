/*
 * Page tables of Alpha: entries, and the walk and map operations of the address spaces.
 *
 * Three levels of 8K tables; level 0 holds the pages. A large page is 512 entries with the
 * granularity hint for that many. No access bits: what a page does not allow it faults on.
 */
#ifndef ALPHA_PTE_H
#define ALPHA_PTE_H

#include "core/types.h"

typedef uint64_t pte_t;

#define PTE_VALID         (1ul << 0)
#define PTE_FAULT_READ    (1ul << 1)
#define PTE_FAULT_WRITE   (1ul << 2)
#define PTE_FAULT_EXECUTE (1ul << 3)
#define PTE_HINT          (3ul << 5) /* granularity 3: 512 pages, aligned, all with it */
#define PTE_KERNEL_READ   (1ul << 8)
#define PTE_KERNEL_WRITE  (1ul << 12)
#define PTE_PFN_SHIFT     32

#define PTE_TABLE (PTE_VALID | PTE_KERNEL_READ | PTE_KERNEL_WRITE)

#define TABLE_ENTRIES 1024
#define TABLE_BITS    10
#define TABLE_LEVELS  3

#define LARGE_ORDER (LARGE_PAGE_SHIFT - PAGE_SHIFT)

/* The entry of the page at va in root; makes missing tables when made is not NULL, and counts
 * them there. NULL when a table is missing (or cannot be made). */
pte_t *table_entry(phys_t root, uintptr_t va, unsigned *made);

/* Frees the tables below *e, which is an entry of `level`, and clears it; counts them down. */
void table_free(pte_t *e, unsigned level, unsigned *made);

static inline phys_t pte_address(pte_t e)
{
    return phys(e >> PTE_PFN_SHIFT << PAGE_SHIFT);
}

static inline pte_t pte_of(phys_t a, pte_t flags)
{
    return a.a >> PAGE_SHIFT << PTE_PFN_SHIFT | flags;
}

static inline unsigned table_index(uintptr_t va, unsigned level)
{
    return va >> (PAGE_SHIFT + TABLE_BITS * level) & (TABLE_ENTRIES - 1);
}

/* The root that belongs to no space: the own window, and the way to the tables themselves. */
phys_t vm_root(void);

/* Makes root the one that this CPU translates with, and forgets all translations. */
void vm_load(phys_t root);
phys_t vm_loaded(void);

/* What every root has: PALcode finds entries at ARCH_VPTB through it, and the own window's table.
 */
void vm_set_kernel_slots(phys_t root);

#endif
