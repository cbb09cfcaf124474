/*
 * Address spaces of subjects: the lower half of a root of their own, the kernel's upper half.
 *
 * Pages are the supervisor's (nothing runs in user mode) and never both writable and executable.
 */
#include "arch.h"
#include "core/errno.h"
#include "mm/own.h"
#include "pte.h"
#include "regs.h"

#include <string.h>

#define LARGE_ORDER (LARGE_PAGE_SHIFT - PAGE_SHIFT)

int arch_space_create(struct arch_space *s)
{
    pte_t *table = own_page_alloc();
    const pte_t *kernel = arch_phys_to_virt(vm_root());

    if (!table)
        return -TT_ENOMEM;
    memcpy(table + TABLE_KERNEL_SLOT, kernel + TABLE_KERNEL_SLOT,
           (TABLE_ENTRIES - TABLE_KERNEL_SLOT) * sizeof(pte_t));
    s->root = arch_virt_to_phys(table);
    s->table_pages = 1;
    return 0;
}

void arch_space_destroy(struct arch_space *s)
{
    pte_t *table = arch_phys_to_virt(s->root);

    if ((read_cr3() & PTE_ADDRESS) == s->root.a)
        arch_space_switch(NULL);
    for (unsigned i = 0; i < TABLE_KERNEL_SLOT; i++) {
        if (table[i] & PTE_PRESENT)
            table_free(&table[i], TABLE_LEVELS - 2, &s->table_pages);
    }
    own_page_free(table);
    s->table_pages = 0;
    s->root = PHYS_NONE;
}

void arch_space_switch(struct arch_space *s)
{
    write_cr3(s ? s->root.a : vm_root().a);
}

/* Leaf bits of prot. Writable and executable at once is refused: returns 0. */
static pte_t leaf_flags(unsigned prot)
{
    pte_t flags = PTE_LEAF;

    if ((prot & PROT_W) && (prot & PROT_X))
        return 0;
    if (prot & PROT_W)
        flags |= PTE_WRITE;
    if (!(prot & PROT_X))
        flags |= pte_nx();
    return flags;
}

int arch_space_map(struct arch_space *s, uintptr_t va, pfn_t p, unsigned order, unsigned prot)
{
    uint64_t size = (uint64_t)PAGE_SIZE << order;
    pte_t flags = leaf_flags(prot);

    if ((order != 0 && order != LARGE_ORDER) || !flags)
        return -TT_EINVAL;
    if (va < ARCH_WINDOW || va >= ARCH_WINDOW_END || (va | pfn_to_phys(p).a) & (size - 1))
        return -TT_EINVAL;

    /* No flush: the processor does not remember that a translation was missing. */
    return table_map(s->root, va, pfn_to_phys(p).a, order != 0, flags, &s->table_pages);
}

pfn_t arch_space_unmap(struct arch_space *s, uintptr_t va)
{
    struct walk w = table_walk(s->root, va);

    if (va < ARCH_WINDOW || va >= ARCH_WINDOW_END || !w.leaf)
        return PFN_NONE;

    pfn_t p = phys_to_pfn(phys(align_down(w.address, 1ul << table_shift(w.level))));

    *w.leaf = 0;
    invlpg(va);
    return p;
}

int arch_space_protect(struct arch_space *s, uintptr_t va, unsigned prot)
{
    struct walk w = table_walk(s->root, va);
    pte_t flags = leaf_flags(prot);

    if (va < ARCH_WINDOW || va >= ARCH_WINDOW_END || !w.leaf)
        return -TT_ENOENT;
    if (!flags)
        return -TT_EINVAL;
    *w.leaf = (*w.leaf & (PTE_ADDRESS | PTE_LARGE)) | flags;
    invlpg(va);
    return 0;
}

phys_t arch_space_lookup(const struct arch_space *s, uintptr_t va, unsigned *prot)
{
    struct walk w = table_walk(s ? s->root : vm_root(), va);

    /* Not canonical: bits 63..47 differ, and the walk did not look at the upper 16. */
    if (!w.leaf || (intptr_t)(va << 16) >> 16 != (intptr_t)va)
        return PHYS_NONE;
    if (prot)
        *prot = PROT_R | (w.write ? PROT_W : 0) | (w.exec ? PROT_X : 0);
    return phys(w.address);
}

static void visit(phys_t at, unsigned level, unsigned first, unsigned end,
                  void (*page)(phys_t at, void *arg), void *arg)
{
    const pte_t *table = arch_phys_to_virt(at);

    page(at, arg);
    for (unsigned i = first; level > 0 && i < end; i++) {
        if ((table[i] & PTE_PRESENT) && !(table[i] & PTE_LARGE))
            visit(phys(table[i] & PTE_ADDRESS), level - 1, 0, TABLE_ENTRIES, page, arg);
    }
}

void arch_space_tables(const struct arch_space *s, void (*page)(phys_t at, void *arg), void *arg)
{
    if (s)
        visit(s->root, TABLE_LEVELS - 1, 0, TABLE_KERNEL_SLOT, page, arg);
    else
        visit(vm_root(), TABLE_LEVELS - 1, TABLE_KERNEL_SLOT, TABLE_ENTRIES, page, arg);
}

void arch_tlb_flush(void)
{
    write_cr3(read_cr3());
}
