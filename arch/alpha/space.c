/*
 * Address spaces of subjects: roots with the window's tables in them, beside the kernel's slots.
 *
 * Pages are the kernel's (nothing runs in user mode) and never both writable and executable: a
 * store that is not allowed ends in an access violation, a fetch in a fault on execute.
 */
#include "arch.h"
#include "core/errno.h"
#include "mm/own.h"
#include "pal.h"
#include "pte.h"

#include <arch/cpu.h>

static bool in_window(uintptr_t va)
{
    return va >= ARCH_WINDOW && va < ARCH_WINDOW_END;
}

int arch_space_create(struct arch_space *s)
{
    void *table = own_page_alloc();

    if (!table)
        return -TT_ENOMEM;
    s->root = arch_virt_to_phys(table);
    s->table_pages = 1;
    vm_set_kernel_slots(s->root);
    return 0;
}

void arch_space_destroy(struct arch_space *s)
{
    pte_t *table = arch_phys_to_virt(s->root);
    unsigned end = table_index(ARCH_WINDOW_END, TABLE_LEVELS - 1);

    if (vm_loaded().a == s->root.a)
        arch_space_switch(NULL);
    for (unsigned i = table_index(ARCH_WINDOW, TABLE_LEVELS - 1); i < end; i++) {
        if (table[i] & PTE_VALID)
            table_free(&table[i], TABLE_LEVELS - 1, &s->table_pages);
    }
    own_page_free(table);
    s->table_pages = 0;
    s->root = PHYS_NONE;
}

void arch_space_switch(struct arch_space *s)
{
    vm_load(s ? s->root : vm_root());
}

/* Bits of a page with prot. Writable and executable at once is refused: returns 0. */
static pte_t page_flags(unsigned prot)
{
    pte_t flags = PTE_VALID | PTE_KERNEL_READ;

    if ((prot & PROT_W) && (prot & PROT_X))
        return 0;
    if (prot & PROT_W)
        flags |= PTE_KERNEL_WRITE;
    if (!(prot & PROT_X))
        flags |= PTE_FAULT_EXECUTE;
    return flags;
}

static void forget(uintptr_t va)
{
    cpu_mb();
    pal_tbi(TBI_ONE, va);
}

/* A large page is half of a lowest table, so its entries follow each other. */
_Static_assert((1u << LARGE_ORDER) <= TABLE_ENTRIES, "a large page fits into one table");

int arch_space_map(struct arch_space *s, uintptr_t va, pfn_t p, unsigned order, unsigned prot)
{
    uint64_t pages = 1ul << order;
    pte_t flags = page_flags(prot);

    if ((order != 0 && order != LARGE_ORDER) || !flags)
        return -TT_EINVAL;
    if (!in_window(va) || (va | pfn_to_phys(p).a) & ((pages << PAGE_SHIFT) - 1))
        return -TT_EINVAL;

    pte_t *e = table_entry(s->root, va, &s->table_pages);

    if (!e)
        return -TT_ENOMEM;
    for (uint64_t i = 0; i < pages; i++)
        if (e[i] & PTE_VALID)
            return -TT_EEXIST;
    for (uint64_t i = 0; i < pages; i++)
        e[i] = pte_of(pfn_to_phys(pfn(p.n + i)), flags | (order ? PTE_HINT : 0));

    /* No flush: an entry that is not valid is not remembered. PALcode must see the stores. */
    cpu_mb();
    return 0;
}

/* The valid entry of the page at va, or NULL; for a large page its first, and *pages says so. */
static pte_t *find(const struct arch_space *s, uintptr_t va, uint64_t *pages)
{
    pte_t *e = in_window(va) ? table_entry(s->root, va, NULL) : NULL;

    *pages = 1;
    if (!e || !(*e & PTE_VALID))
        return NULL;
    if (*e & PTE_HINT) {
        *pages = 1ul << LARGE_ORDER;
        e -= table_index(va, 0) & (*pages - 1);
    }
    return e;
}

pfn_t arch_space_unmap(struct arch_space *s, uintptr_t va)
{
    uint64_t pages;
    pte_t *e = find(s, va, &pages);

    if (!e)
        return PFN_NONE;

    pfn_t p = phys_to_pfn(pte_address(*e));

    for (uint64_t i = 0; i < pages; i++) {
        e[i] = 0;
        forget(align_down(va, pages << PAGE_SHIFT) + (i << PAGE_SHIFT));
    }
    return p;
}

int arch_space_protect(struct arch_space *s, uintptr_t va, unsigned prot)
{
    uint64_t pages;
    pte_t *e = find(s, va, &pages);
    pte_t flags = page_flags(prot);

    if (!e)
        return -TT_ENOENT;
    if (!flags)
        return -TT_EINVAL;
    for (uint64_t i = 0; i < pages; i++) {
        e[i] = pte_of(pte_address(e[i]), flags | (e[i] & PTE_HINT));
        forget(align_down(va, pages << PAGE_SHIFT) + (i << PAGE_SHIFT));
    }
    return 0;
}

phys_t arch_space_lookup(const struct arch_space *s, uintptr_t va, unsigned *prot)
{
    if (va >= ARCH_KSEG && va < ARCH_KSEG_IO) {
        if (prot)
            *prot = PROT_R | PROT_W | PROT_X;
        return phys(va - ARCH_KSEG);
    }
    bool own = va >= ARCH_OWN && va < ARCH_OWN_END;

    if (!own && (!s || !in_window(va)))
        return PHYS_NONE;

    const pte_t *e = table_entry(own ? vm_root() : s->root, va, NULL);

    if (!e || !(*e & PTE_VALID))
        return PHYS_NONE;
    if (prot)
        *prot = (*e & PTE_FAULT_READ ? 0 : PROT_R) |
                (*e & PTE_KERNEL_WRITE && !(*e & PTE_FAULT_WRITE) ? PROT_W : 0) |
                (*e & PTE_FAULT_EXECUTE ? 0 : PROT_X);
    return phys(pte_address(*e).a + (va & (PAGE_SIZE - 1)));
}

static void visit(phys_t at, unsigned level, unsigned first, unsigned end,
                  void (*page)(phys_t at, void *arg), void *arg)
{
    const pte_t *table = arch_phys_to_virt(at);

    page(at, arg);
    for (unsigned i = first; level > 0 && i < end; i++) {
        if (table[i] & PTE_VALID)
            visit(pte_address(table[i]), level - 1, 0, TABLE_ENTRIES, page, arg);
    }
}

void arch_space_tables(const struct arch_space *s, void (*page)(phys_t at, void *arg), void *arg)
{
    uintptr_t first = s ? ARCH_WINDOW : ARCH_OWN, end = s ? ARCH_WINDOW_END : ARCH_OWN_END;

    visit(s ? s->root : vm_root(), TABLE_LEVELS - 1, table_index(first, TABLE_LEVELS - 1),
          table_index(end, TABLE_LEVELS - 1), page, arg);
}
