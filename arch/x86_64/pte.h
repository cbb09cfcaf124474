/*
 * Page tables of x86_64: entries, and the walk and map operations shared by the kernel's own map,
 * the device window and the address spaces of subjects.
 *
 * A level is 0 for page tables (4K pages), 1 for page directories (2M pages), 2, 3 above.
 * Entries above the leaf always grant everything: the leaf alone decides.
 */
#ifndef X86_PTE_H
#define X86_PTE_H

#include "core/types.h"

typedef uint64_t pte_t;

#define PTE_PRESENT  (1ul << 0)
#define PTE_WRITE    (1ul << 1)
#define PTE_USER     (1ul << 2)
#define PTE_UNCACHED (3ul << 3) /* PWT and PCD: entry 3 of the PAT, UC after reset */
#define PTE_ACCESSED (1ul << 5)
#define PTE_DIRTY    (1ul << 6)
#define PTE_LARGE    (1ul << 7) /* levels 1 and 2 */
#define PTE_GLOBAL   (1ul << 8)
#define PTE_NX       (1ul << 63)
#define PTE_ADDRESS  0x000ffffffffff000ul

/* What every leaf of ours has: set beforehand, so that a first use need not write to the table. */
#define PTE_LEAF (PTE_PRESENT | PTE_ACCESSED | PTE_DIRTY)

#define TABLE_ENTRIES 512
#define TABLE_LEVELS  4

/* What the hardware would make of a virtual address. */
struct walk {
    pte_t *leaf; /* NULL: no translation */
    unsigned level;
    uint64_t address; /* physical, offset in the page included */
    bool write, exec; /* granted by all levels */
};
struct walk table_walk(phys_t root, uintptr_t va);

/*
 * Maps `pages` pages of `level` (0 or 1) from va on to pa and what follows it with `flags`, and
 * makes missing tables, counted in *made. 0, -TT_ENOMEM, or -TT_EEXIST when something is mapped
 * there already; the pages before it are mapped then.
 */
int table_map_run(phys_t root, uintptr_t va, uint64_t pa, uint64_t pages, unsigned level,
                  pte_t flags, unsigned *made);

static inline int table_map(phys_t root, uintptr_t va, uint64_t pa, unsigned level, pte_t flags,
                            unsigned *made)
{
    return table_map_run(root, va, pa, 1, level, flags, made);
}

/* Frees the tables below entry *e of `level` + 1 and clears it; counts them down in *made. */
void table_free(pte_t *e, unsigned level, unsigned *made);

/* PTE_NX where the CPU has it, else 0: a bit that must be zero then. */
pte_t pte_nx(void);

static inline unsigned table_shift(unsigned level)
{
    return PAGE_SHIFT + 9 * level;
}

static inline unsigned table_index(uintptr_t va, unsigned level)
{
    return va >> table_shift(level) & (TABLE_ENTRIES - 1);
}

/* The first slot of the root that belongs to the kernel: the upper half of addresses. */
#define TABLE_KERNEL_SLOT 256

/* The kernel's own root: the boot tables before arch_vm_init. */
phys_t vm_root(void);

#endif
