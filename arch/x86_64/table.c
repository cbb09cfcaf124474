/* Walking, extending and freeing page tables (pte.h). Tables come from the kernel's own memory. */
#include "arch.h"
#include "core/errno.h"
#include "mm/own.h"
#include "pte.h"
#include "regs.h"

static pte_t *table_at(uint64_t pa)
{
    return arch_phys_to_virt(phys(pa & PTE_ADDRESS));
}

static bool is_leaf(pte_t e, unsigned level)
{
    return level == 0 || (e & PTE_LARGE);
}

pte_t pte_nx(void)
{
    return rdmsr(MSR_EFER) & EFER_NXE ? PTE_NX : 0;
}

struct walk table_walk(phys_t root, uintptr_t va)
{
    struct walk w = {.write = true, .exec = true};
    pte_t *table = table_at(root.a);

    for (unsigned level = TABLE_LEVELS; level-- > 0;) {
        pte_t *e = &table[table_index(va, level)];

        if (!(*e & PTE_PRESENT))
            return w;
        w.write &= !!(*e & PTE_WRITE);
        w.exec &= !(*e & PTE_NX);
        if (is_leaf(*e, level)) {
            uint64_t offset = (1ul << table_shift(level)) - 1;

            w.leaf = e;
            w.level = level;
            w.address = (*e & PTE_ADDRESS & ~offset) | (va & offset);
            return w;
        }
        table = table_at(*e);
    }
    return w;
}

/* The table of `level` that translates va, made if it is missing; NULL and *err. */
static pte_t *make_table(phys_t root, uintptr_t va, unsigned level, unsigned *made, int *err)
{
    pte_t *table = table_at(root.a);

    for (unsigned l = TABLE_LEVELS - 1; l > level; l--) {
        pte_t *e = &table[table_index(va, l)];

        if (!(*e & PTE_PRESENT)) {
            void *page = own_page_alloc();

            *err = -TT_ENOMEM;
            if (!page)
                return NULL;
            *e = arch_virt_to_phys(page).a | PTE_PRESENT | PTE_WRITE | PTE_ACCESSED;
            ++*made;
        } else if (is_leaf(*e, l)) {
            *err = -TT_EEXIST;
            return NULL;
        }
        table = table_at(*e);
    }
    return table;
}

int table_map_run(phys_t root, uintptr_t va, uint64_t pa, uint64_t pages, unsigned level,
                  pte_t flags, unsigned *made)
{
    uint64_t size = 1ul << table_shift(level);
    int err = 0;

    if (level)
        flags |= PTE_LARGE;
    while (pages) {
        pte_t *table = make_table(root, va, level, made, &err);

        if (!table)
            return err;
        for (unsigned i = table_index(va, level); i < TABLE_ENTRIES && pages; i++, pages--) {
            if (table[i] & PTE_PRESENT) /* a page, or a table of smaller ones */
                return -TT_EEXIST;
            table[i] = pa | flags;
            va += size;
            pa += size;
        }
    }
    return 0;
}

void table_free(pte_t *e, unsigned level, unsigned *made)
{
    pte_t *table = table_at(*e);

    if (level > 0) {
        for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
            if ((table[i] & PTE_PRESENT) && !is_leaf(table[i], level))
                table_free(&table[i], level - 1, made);
        }
    }
    *e = 0;
    own_page_free(table);
    --*made;
}
