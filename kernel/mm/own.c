/* The kernel's own memory: a bump pointer from below, freed pages reused, newlib's heap above. */
#include "mm/own.h"

#include "arch.h"
#include "core/lock.h"
#include "core/panic.h"
#include "mm/color.h"

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
    uint64_t run; /* where the piece of heap that ends at brk starts */
    struct free_page *free;
    size_t live_bytes, peak_bytes;
} own;

/* Over all of it once boot is through: page tables grow, and newlib's heap, on every CPU. */
static struct lock own_lock = LOCK_INIT("own");

/*
 * Half of it for newlib's heap: samples are 8 bytes each, so 4 MiB hold half a million; the other
 * half for page tables (a 2 MiB page of direct map per 512 entries) and stacks.
 */
void own_init(struct phys_range r)
{
    own.range = r;
    own.next = r.start.a;
    own.heap_end = r.end.a;
    own.heap = own.brk = own.run = align_down(r.start.a + phys_range_bytes(r) / 2, PAGE_SIZE);
    own.free = NULL;
    own.live_bytes = own.peak_bytes = 0;
}

static void account(ptrdiff_t bytes)
{
    own.live_bytes += (size_t)bytes;
    if (own.live_bytes > own.peak_bytes)
        own.peak_bytes = own.live_bytes;
}

static void put_page(void *page)
{
    struct free_page *f = page;
    f->next = own.free;
    own.free = f;
}

/* ---- colours -----------------------------------------------------------------------------------
 */

/* Lowest start >= from, aligned, of `bytes` in allowed frames below end; end if there is none. */
static uint64_t find_run(uint64_t from, uint64_t bytes, uint64_t align, uint64_t end)
{
    uint64_t start = align_up(from, align), at = start;
    while (start < end && end - start >= bytes) {
        if (at - start >= bytes)
            return start;
        if (!own_color_allowed(phys_to_pfn(phys(at))))
            start = align_up(at + PAGE_SIZE, align);
        at = at < start ? start : at + PAGE_SIZE;
    }
    return end;
}

/* Allowed frames that were passed over serve as single pages. */
static void recycle(uint64_t start, uint64_t end)
{
    for (; start < end; start += PAGE_SIZE) {
        if (own_color_allowed(phys_to_pfn(phys(start))))
            put_page(arch_phys_to_virt(phys(start)));
    }
}

static void count_colors(const struct color_map *map, uint64_t start, uint64_t end, uint32_t *pages)
{
    for (; start < end; start += PAGE_SIZE) {
        pfn_t p = phys_to_pfn(phys(start));
        pages[color_of(map, p)] += own_color_allowed(p);
    }
}

void own_pages_of_color(const struct color_map *map, uint32_t *pages)
{
    count_colors(map, own.range.start.a, own.next, pages);
    count_colors(map, own.heap, align_up(own.brk, PAGE_SIZE), pages);
    for (const struct free_page *f = own.free; f; f = f->next)
        pages[color_of(map, phys_to_pfn(arch_virt_to_phys(f)))]--;
}

/* ---- pieces and pages --------------------------------------------------------------------------
 */

/* own_lock is held. */
static phys_t take_piece(size_t bytes, size_t align)
{
    uint64_t size = align_up(bytes, PAGE_SIZE);
    uint64_t start = find_run(own.next, size, align, own.heap);
    if (start == own.heap)
        return PHYS_NONE;
    recycle(own.next, start);
    own.next = start + size;
    account((ptrdiff_t)size);
    return phys(start);
}

phys_t own_alloc(size_t bytes, size_t align)
{
    check(1, is_power_of_two(align) && align >= PAGE_SIZE);
    unsigned long irq = lock_take_irq(&own_lock);
    phys_t a = take_piece(bytes, align);
    lock_drop_irq(&own_lock, irq);
    return a;
}

/* own_lock is held. NULL when none is left. */
static void *take_page(void)
{
    struct free_page *page = own.free;
    if (page) {
        own.free = page->next;
        account(PAGE_SIZE);
        return page;
    }
    phys_t a = take_piece(PAGE_SIZE, PAGE_SIZE);
    return a.a == PHYS_NONE.a ? NULL : arch_phys_to_virt(a);
}

void *own_page_alloc(void)
{
    unsigned long irq = lock_take_irq(&own_lock);
    void *page = take_page();
    lock_drop_irq(&own_lock, irq);
    return page ? memset(page, 0, PAGE_SIZE) : NULL;
}

void own_page_free(void *page)
{
    unsigned long irq = lock_take_irq(&own_lock);
    put_page(page);
    account(-(ptrdiff_t)PAGE_SIZE);
    lock_drop_irq(&own_lock, irq);
}

/* ---- heap --------------------------------------------------------------------------------------
 */

static void *grow(uint64_t bytes)
{
    if (bytes > own.heap_end - own.heap)
        return NULL;
    /* What is left of the break's own page is the heap's already. */
    uint64_t page = align_up(own.brk, PAGE_SIZE), inside = page - own.brk;
    uint64_t more = bytes > inside ? align_up(bytes - inside, PAGE_SIZE) : 0;
    bool fits = more <= own.heap_end - page;
    if (more && !(fits && find_run(page, more, PAGE_SIZE, own.heap_end) == page)) {
        uint64_t start = find_run(page, align_up(bytes, PAGE_SIZE), PAGE_SIZE, own.heap_end);
        if (start == own.heap_end)
            return NULL;
        recycle(page, start);
        own.run = own.brk = start;
    }
    uint64_t old = own.brk;
    own.brk += bytes;
    account((ptrdiff_t)bytes);
    return arch_phys_to_virt(phys(old));
}

static void *move_break(ptrdiff_t delta)
{
    if (delta > 0)
        return grow((uint64_t)delta);
    uint64_t old = own.brk, back = -(uint64_t)delta;
    if (back > old - own.run)
        return NULL;
    own.brk = old - back;
    account(delta);
    return arch_phys_to_virt(phys(old));
}

void *own_sbrk(ptrdiff_t delta)
{
    unsigned long irq = lock_take_irq(&own_lock);
    void *part = move_break(delta);
    lock_drop_irq(&own_lock, irq);
    return part;
}

struct own_usage own_usage(void)
{
    return (struct own_usage){own.range, own.live_bytes, own.peak_bytes};
}
