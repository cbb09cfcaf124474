/*
 * KSEG and the process context: Alpha maps all of RAM, the image in it and the devices without
 * page tables, readable, writable and executable: nothing of that can be protected. Of the kernel's
 * own only what lies in the own window needs translations.
 */
#include "arch.h"
#include "core/errno.h"
#include "mm/own.h"
#include "pal.h"
#include "percpu.h"
#include "pte.h"

#include <arch/cpu.h>

/* KSEG shows the physical addresses below 2^40, and in its upper half those from 2^43 on. */
#define KSEG_HALF (1ul << 40)
#define IO_BIT    (1ul << 43)

static phys_t root;
static phys_t own_table; /* the own window's, below every root */

phys_t vm_root(void)
{
    return root;
}

phys_t vm_loaded(void)
{
    return this_of(alpha_cpus).loaded;
}

/* The stack stays: swpctx loads its pointer from where it has just been kept. */
void vm_load(phys_t to)
{
    struct alpha_cpu *me = &this_of(alpha_cpus);
    uint64_t at = arch_virt_to_phys(&me->context).a;
    register uint64_t a0 __asm__("$16") = at;

    me->context.flags = 1;
    me->context.ptbr = to.a >> PAGE_SHIFT;
    __asm__ volatile("stq $30, %1\n\tmb\n\tcall_pal %2"
                     : "+r"(a0), "=m"(me->context.ksp)
                     : "i"(PAL_SWPCTX), "m"(me->context)
                     : "$0", PAL_CLOBBERS);
    me->loaded = to;
    arch_tlb_flush();
}

void vm_set_kernel_slots(phys_t to)
{
    pte_t *table = arch_phys_to_virt(to);

    table[table_index(ARCH_VPTB, TABLE_LEVELS - 1)] = pte_of(to, PTE_TABLE | PTE_FAULT_EXECUTE);
    table[table_index(ARCH_OWN, TABLE_LEVELS - 1)] = pte_of(own_table, PTE_TABLE);
}

int arch_own_map(uintptr_t va, pfn_t p)
{
    unsigned made = 0;
    pte_t *e = table_entry(root, va, &made);

    if (!e)
        return -TT_ENOMEM;
    if (*e & PTE_VALID)
        return -TT_EEXIST;
    *e = pte_of(pfn_to_phys(p), PTE_VALID | PTE_KERNEL_READ | PTE_KERNEL_WRITE | PTE_FAULT_EXECUTE);
    cpu_mb(); /* PALcode must see it */
    return 0;
}

void *arch_phys_to_virt(phys_t a)
{
    return (void *)(ARCH_KSEG + a.a);
}

phys_t arch_virt_to_phys(const void *v)
{
    return phys((uintptr_t)v - ARCH_KSEG);
}

phys_t arch_phys_limit(void)
{
    return phys(KSEG_HALF);
}

/* Registers lie above 2^43, where the CPU neither caches nor reorders within the device. */
volatile void *arch_map_device(phys_t a, size_t bytes)
{
    if (a.a < IO_BIT || a.a - IO_BIT >= KSEG_HALF || bytes > KSEG_HALF - (a.a - IO_BIT))
        return NULL;
    return (volatile void *)(ARCH_KSEG_IO + (a.a - IO_BIT));
}

void arch_tlb_flush(void)
{
    cpu_mb();
    pal_tbi(TBI_ALL, 0);
}

int arch_vm_init(const struct memmap *map)
{
    void *page = own_page_alloc(), *own = own_page_alloc();

    (void)map; /* KSEG maps it all */
    if (!page || !own)
        return -TT_ENOMEM;
    root = arch_virt_to_phys(page);
    own_table = arch_virt_to_phys(own);
    vm_set_kernel_slots(root);
    vm_load(root);
    return 0;
}
