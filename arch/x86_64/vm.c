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

/* The image's [start, end) with `flags`, where it is linked to; its guard pages stay out. */
static int map_part(phys_t to, const char *start, const char *end, pte_t flags, unsigned *made)
{
    uintptr_t va = (uintptr_t)start;

    while (va < (uintptr_t)end) {
        uintptr_t guard = stack_next_guard(va, (uintptr_t)end);
        uint64_t pages = (guard - va) >> PAGE_SHIFT;
        int err = table_map_run(to, va, arch_virt_to_phys((void *)va).a, pages, 0,
                                PTE_LEAF | PTE_GLOBAL | flags, made);

        if (err)
            return err;
        va = guard + PAGE_SIZE;
    }
    return 0;
}

static int map_image(phys_t to, unsigned *made)
{
    pte_t nx = pte_nx();
    int err = map_part(to, __image_start, __rodata_start, 0, made);

    if (!err)
        err = map_part(to, __rodata_start, __data_start, nx, made);
    if (!err)
        err = map_part(to, __data_start, __image_end, PTE_WRITE | nx, made);
    return err;
}

/* Direct map of [start, end): small pages up to the first large one, large ones, small ones. */
static int map_direct(phys_t to, uint64_t start, uint64_t end, pte_t flags, unsigned *made)
{
    uint64_t cut[] = {start, min_u64(align_up(start, LARGE_PAGE_SIZE), end), 0, end};

    cut[2] = max_u64(align_down(end, LARGE_PAGE_SIZE), cut[1]);
    for (unsigned i = 0; i < 3; i++) {
        unsigned level = i == 1;
        int err = table_map_run(to, ARCH_DIRECT + cut[i], cut[i],
                                (cut[i + 1] - cut[i]) >> table_shift(level), level,
                                PTE_LEAF | PTE_GLOBAL | pte_nx() | flags, made);

        if (err)
            return err;
    }
    return 0;
}

/* The same with the image's text and rodata read-only, as in the image. */
static int map_run(phys_t to, uint64_t start, uint64_t end, unsigned *made)
{
    uint64_t ro_start = min_u64(max_u64(arch_virt_to_phys(__image_start).a, start), end);
    uint64_t ro_end = max_u64(min_u64(arch_virt_to_phys(__data_start).a, end), ro_start);
    int err = map_direct(to, start, ro_start, PTE_WRITE, made);

    if (!err)
        err = map_direct(to, ro_start, ro_end, 0, made);
    if (!err)
        err = map_direct(to, ro_end, end, PTE_WRITE, made);
    return err;
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

        end = min_u64(end, arch_phys_limit().a);

        int err = start < end ? map_run(to, start, end, made) : 0;

        if (err)
            return err;
    }
    return 0;
}

/* The console's registers stay where the boot tables had them. */
static int map_console(phys_t to, unsigned *made)
{
    phys_t at = arch_uart_memory();
    uint64_t page = align_down(at.a, PAGE_SIZE);

    return table_map(to, ARCH_DIRECT + page, page, 0,
                     PTE_LEAF | PTE_GLOBAL | PTE_WRITE | PTE_UNCACHED | pte_nx(), made);
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
    if (!err && arch_uart_memory().a != PHYS_NONE.a)
        err = map_console(to, &made);
    if (err)
        return err;

    /* No boot translation was global: loading the root forgets them all. */
    write_cr3(to.a);
    root = to;
    return 0;
}
