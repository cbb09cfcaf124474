/*
 * The kernel's final map: the image with the rights its parts need, the direct map of RAM, and an
 * empty device window. Built once, from own memory; the boot tables, and with them the identity
 * map and everything writable and executable, are gone when arch_vm_init returns.
 */
#include "arch.h"
#include "core/errno.h"
#include "mm/memmap.h"
#include "mm/own.h"
#include "pte.h"
#include "regs.h"
#include "stacks.h"
#include "window.h"

#include <arch/boot.h>

static phys_t root; /* 0: the boot tables are still in use */

phys_t vm_root(void)
{
    return root.a ? root : phys(read_cr3() & PTE_ADDRESS);
}

void *arch_phys_to_virt(phys_t a)
{
    return (void *)(ARCH_DIRECT + a.a);
}

phys_t arch_virt_to_phys(const void *v)
{
    uintptr_t va = (uintptr_t)v;

    return phys(va >= LINK_BASE ? va - LINK_BASE + arch_load_delta : va - ARCH_DIRECT);
}

phys_t arch_phys_limit(void)
{
    unsigned bits = 36; /* what every CPU with long mode has at least */

    if (cpuid_max(0x80000000) >= 0x80000008)
        bits = cpuid(0x80000008, 0).eax & 0xff;
    return phys(min_u64(1ul << (bits < 52 ? bits : 52), ARCH_DIRECT_END - ARCH_DIRECT));
}

static int map_image(phys_t to, unsigned *made)
{
    pte_t nx = pte_nx();

    for (uintptr_t va = (uintptr_t)__image_start; va < (uintptr_t)__image_end; va += PAGE_SIZE) {
        pte_t flags = PTE_LEAF | PTE_GLOBAL;

        if (stack_is_guard(va))
            continue;
        if (va >= (uintptr_t)__data_start)
            flags |= PTE_WRITE | nx;
        else if (va >= (uintptr_t)__rodata_start)
            flags |= nx;

        int err = table_map(to, va, arch_virt_to_phys((void *)va).a, 0, flags, made);

        if (err)
            return err;
    }
    return 0;
}

/* Direct map of [start, end), with the image's text and rodata read-only as in the image. */
static int map_direct(phys_t to, uint64_t start, uint64_t end, unsigned *made)
{
    uint64_t ro_start = arch_virt_to_phys(__image_start).a;
    uint64_t ro_end = arch_virt_to_phys(__data_start).a;
    pte_t flags = PTE_LEAF | PTE_GLOBAL | pte_nx();

    for (uint64_t a = start; a < end;) {
        uint64_t large_end = a + LARGE_PAGE_SIZE;
        bool large = !(a & (LARGE_PAGE_SIZE - 1)) && large_end <= end &&
                     (large_end <= ro_start || a >= ro_end);
        bool read_only = a >= ro_start && a < ro_end;
        int err =
            table_map(to, ARCH_DIRECT + a, a, large, flags | (read_only ? 0 : PTE_WRITE), made);

        if (err)
            return err;
        a += large ? LARGE_PAGE_SIZE : PAGE_SIZE;
    }
    return 0;
}

static bool is_memory(uint32_t type)
{
    return type == MEM_RAM || type == MEM_BOOT || type == MEMMAP_KERNEL;
}

static int map_ram(phys_t to, const struct memmap *map, unsigned *made)
{
    for (unsigned i = 0; i < map->count;) {
        const struct mem_range *r = &map->range[i++];

        if (!is_memory(r->type))
            continue;

        /* Neighbours of other types of memory belong to the same run, for the sake of 2M pages. */
        uint64_t start = pfn_to_phys(r->at.start).a;
        uint64_t end = pfn_to_phys(r->at.end).a;

        while (i < map->count && is_memory(map->range[i].type) &&
               pfn_to_phys(map->range[i].at.start).a == end)
            end = pfn_to_phys(map->range[i++].at.end).a;

        int err = map_direct(to, start, min_u64(end, arch_phys_limit().a), made);

        if (err)
            return err;
    }
    return 0;
}

int arch_vm_init(const struct memmap *map)
{
    void *page = own_page_alloc();
    unsigned made = 0;

    if (!page)
        return -TT_ENOMEM;

    phys_t to = arch_virt_to_phys(page);
    int err = map_image(to, &made);

    if (!err)
        err = map_ram(to, map, &made);
    if (!err)
        err = window_init(to, &made);
    if (err)
        return err;

    /* No boot translation was global: loading the root forgets them all. */
    write_cr3(to.a);
    root = to;
    return 0;
}
