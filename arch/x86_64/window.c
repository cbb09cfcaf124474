/* The device window (window.h), arch_map_device and arch_own_map. */
#include "window.h"

#include "arch.h"
#include "core/errno.h"
#include "mm/own.h"
#include "pte.h"

static uintptr_t next; /* first free address; 0: not ready, but for what the early map has */

static int make_slot(phys_t root, uintptr_t va, unsigned *made)
{
    pte_t *top = arch_phys_to_virt(root);
    void *page = own_page_alloc();

    if (!page)
        return -TT_ENOMEM;
    top[table_index(va, TABLE_LEVELS - 1)] =
        arch_virt_to_phys(page).a | PTE_PRESENT | PTE_WRITE | PTE_ACCESSED;
    ++*made;
    return 0;
}

int window_init(phys_t root, unsigned *made)
{
    int err = make_slot(root, ARCH_DEVICE, made);

    if (!err)
        err = make_slot(root, ARCH_OWN, made);
    if (!err)
        next = ARCH_DEVICE;
    return err;
}

static void *map(phys_t a, size_t bytes, pte_t flags)
{
    uint64_t limit = arch_phys_limit().a;
    uint64_t first = align_down(a.a, PAGE_SIZE);
    unsigned made = 0;

    if (!next)
        limit = min_u64(limit, ARCH_EARLY_MAP);
    if (!bytes || a.a >= limit || bytes > limit - a.a)
        return NULL;
    if (!next)
        return arch_phys_to_virt(a);

    uint64_t pages = (align_up(a.a + bytes, PAGE_SIZE) - first) >> PAGE_SHIFT;

    if (pages > (ARCH_DEVICE_END - next) >> PAGE_SHIFT)
        return NULL;

    char *va = (char *)next + (a.a - first);

    /* Addresses are used up even when memory runs out half-way: nothing is mapped twice. */
    uintptr_t at = next;

    next += pages << PAGE_SHIFT;
    if (table_map_run(vm_root(), at, first, pages, 0, PTE_LEAF | PTE_GLOBAL | pte_nx() | flags,
                      &made))
        return NULL;
    return va;
}

volatile void *arch_map_device(phys_t a, size_t bytes)
{
    return map(a, bytes, PTE_WRITE | PTE_UNCACHED);
}

const void *window_map_firmware(phys_t a, size_t bytes)
{
    return map(a, bytes, 0);
}

int arch_own_map(uintptr_t va, pfn_t p)
{
    unsigned made = 0;

    return table_map(vm_root(), va, pfn_to_phys(p).a, 0,
                     PTE_LEAF | PTE_GLOBAL | PTE_WRITE | pte_nx(), &made);
}
