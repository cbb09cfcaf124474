/* Walking, extending and freeing page tables (pte.h). Tables come from the kernel's own memory. */
#include "arch.h"
#include "mm/own.h"
#include "pte.h"

pte_t *table_entry(phys_t root, uintptr_t va, unsigned *made)
{
    pte_t *table = arch_phys_to_virt(root);

    for (unsigned level = TABLE_LEVELS - 1; level > 0; level--) {
        pte_t *e = &table[table_index(va, level)];

        if (!(*e & PTE_VALID)) {
            void *page = made ? own_page_alloc() : NULL;

            if (!page)
                return NULL;
            *e = pte_of(arch_virt_to_phys(page), PTE_TABLE);
            ++*made;
        }
        table = arch_phys_to_virt(pte_address(*e));
    }
    return &table[table_index(va, 0)];
}

void table_free(pte_t *e, unsigned level, unsigned *made)
{
    pte_t *table = arch_phys_to_virt(pte_address(*e));

    for (unsigned i = 0; level > 1 && i < TABLE_ENTRIES; i++) {
        if (table[i] & PTE_VALID)
            table_free(&table[i], level - 1, made);
    }
    *e = 0;
    own_page_free(table);
    --*made;
}
