/* The kernel's own memory: a bump pointer from below, freed pages reused, newlib's heap above. */
#include "mm/own.h"

#include "arch.h"
#include "core/panic.h"

#include <string.h>

/* A freed page's first word links to the next. */
struct free_page {
    struct free_page *next;
};

static struct {
    struct phys_range range;
    uint64_t next;           /* physical address of the first byte never handed out */
    uint64_t heap, heap_end; /* [heap, heap_end): newlib's, brk in between */
    uint64_t brk;
    struct free_page *free;
    size_t live_bytes, peak_bytes;
} own;

/*
 * Half of it for newlib's heap: samples are 8 bytes each, so 4 MiB hold half a million; the other
 * half for page tables (a 2 MiB page of direct map per 512 entries) and stacks.
 */
void own_init(struct phys_range r)
{
    own.range = r;
    own.next = r.start.a;
    own.heap_end = r.end.a;
    own.heap = own.brk = align_down(r.start.a + phys_range_bytes(r) / 2, PAGE_SIZE);
    own.free = NULL;
    own.live_bytes = own.peak_bytes = 0;
}

static void account(ptrdiff_t bytes)
{
    own.live_bytes += (size_t)bytes;
    if (own.live_bytes > own.peak_bytes)
        own.peak_bytes = own.live_bytes;
}

phys_t own_alloc(size_t bytes, size_t align)
{
    check(1, is_power_of_two(align) && align >= PAGE_SIZE);
    uint64_t start = align_up(own.next, align), size = align_up(bytes, PAGE_SIZE);
    if (start > own.heap || own.heap - start < size)
        return PHYS_NONE;
    own.next = start + size;
    account((ptrdiff_t)size);
    return phys(start);
}

void *own_page_alloc(void)
{
    void *page = own.free;
    if (page) {
        own.free = own.free->next;
        account(PAGE_SIZE);
    } else {
        phys_t a = own_alloc(PAGE_SIZE, PAGE_SIZE);
        if (a.a == PHYS_NONE.a)
            return NULL;
        page = arch_phys_to_virt(a);
    }
    return memset(page, 0, PAGE_SIZE);
}

void own_page_free(void *page)
{
    struct free_page *f = page;
    f->next = own.free;
    own.free = f;
    account(-(ptrdiff_t)PAGE_SIZE);
}

void *own_sbrk(ptrdiff_t delta)
{
    uint64_t old = own.brk, brk = old + (uint64_t)delta;
    if (delta > 0 ? brk > own.heap_end || brk < old : brk < own.heap || brk > old)
        return NULL;
    own.brk = brk;
    account(delta);
    return arch_phys_to_virt(phys(old));
}

struct own_usage own_usage(void)
{
    return (struct own_usage){own.range, own.live_bytes, own.peak_bytes};
}
