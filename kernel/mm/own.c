/* The kernel's own memory: a bump pointer from below, freed pages reused, newlib's heap above. */
#include "mm/own.h"

#include "arch.h"
#include "core/kprintf.h"
#include "core/lock.h"
#include "core/panic.h"
#include "mm/color.h"
#include "mm/own_window.h"

#include <string.h>

/* A freed page's first word links to the next. */
struct free_page {
    struct free_page *next;
};

static struct {
    struct phys_range range;
    uint64_t next;           /* physical address of the first byte never handed out */
    uint64_t heap, heap_end; /* [heap, heap_end): newlib's, brk in between; none with own_colors= */
    uint64_t brk;
    struct free_page *free;
    uint64_t left;              /* pages: on that list, and allowed ones in [next, heap) */
    uint64_t refusals, refused; /* how often, and the pages that were asked for last */
    size_t live_bytes, peak_bytes;
} own;

/* Over all of it once boot is through: page tables grow, and newlib's heap, on every CPU. */
static struct lock own_lock = LOCK_INIT("own");

/* ---- the range ------------------------------------------------------------------------------ */

#define BYTES_MIN (8ul << 20)
#define BYTES_MAX (64ul << 20)

static uint64_t goal_bytes; /* of allowed frames */

/*
 * An eighth of RAM, at least 8 MiB (heap and page tables for the largest experiment here) and at
 * most 64 MiB. With own_colors= another 32nd for descriptors, which are 64 bytes of 4096 if nobody
 * asks for more; and what the option leaves unused is added, as long as half of RAM stays.
 */
uint64_t own_range_bytes(uint64_t ram_bytes)
{
    uint64_t bytes = min_u64(max_u64(ram_bytes / 8, BYTES_MIN), BYTES_MAX);
    struct own_colors c = own_colors();
    if (c.given) {
        bytes += ram_bytes / 32;
        goal_bytes = bytes;
        bytes = max_u64(bytes, min_u64(bytes * c.colors / c.allowed, ram_bytes / 2));
    }
    return align_down(bytes, PAGE_SIZE);
}

static uint64_t allowed_frames(uint64_t start, uint64_t end)
{
    uint64_t n = 0;
    for (; start < end; start += PAGE_SIZE)
        n += own_color_allowed(phys_to_pfn(phys(start)));
    return n;
}

/*
 * Half of it for newlib's heap: samples are 8 bytes each, so 4 MiB hold half a million; the other
 * half for page tables (a 2 MiB page of direct map per 512 entries) and stacks. With own_colors=
 * the heap's pages are pages like others, in the window.
 */
void own_init(struct phys_range r)
{
    memset(&own, 0, sizeof own);
    window_init_empty();
    own.range = r;
    own.next = r.start.a;
    own.heap_end = r.end.a;
    uint64_t below = own_colors().given ? phys_range_bytes(r) : phys_range_bytes(r) / 2;
    own.heap = own.brk = align_down(r.start.a + below, PAGE_SIZE);
    own.left = allowed_frames(own.next, own.heap);
}

static void account(ptrdiff_t bytes)
{
    own.live_bytes += (size_t)bytes;
    if (own.live_bytes > own.peak_bytes)
        own.peak_bytes = own.live_bytes;
}

struct own_usage own_usage(void)
{
    return (struct own_usage){own.range, own.live_bytes, own.peak_bytes, own.left, own.refusals};
}

void own_advise(char *text, size_t text_bytes)
{
    uint64_t all = phys_range_bytes(own.range) >> PAGE_SHIFT;
    struct own_colors c = own_colors();
    if (!c.given) {
        ksnprintf(text, text_bytes, "the kernel's own %lu MiB are full",
                  (unsigned long)(all << PAGE_SHIFT >> 20));
        return;
    }
    uint64_t has = allowed_frames(own.range.start.a, own.range.end.a);
    size_t n =
        ksnprintf(text, text_bytes, "own_colors= leaves %lu pages, %lu of them free, %lu needed: ",
                  (unsigned long)has, (unsigned long)own.left, (unsigned long)own.refused);
    /* Below the goal the range is half of RAM already, and only more colours help. */
    uint64_t need = has - min_u64(own.left, has) + own.refused;
    uint64_t colors = max_u64((need * c.colors + all - 1) / all, c.allowed + 1);
    if (n >= text_bytes)
        return;
    if (need <= goal_bytes >> PAGE_SHIFT && colors <= c.colors)
        ksnprintf(text + n, text_bytes - n,
                  "name %lu colours or more, or a smaller subject=", (unsigned long)colors);
    else
        ksnprintf(text + n, text_bytes - n, "name a smaller subject=, or give more memory");
}

/* ---- pages and arrays ----------------------------------------------------------------------- */

/* own_lock is held. A run of pages never handed out; with own_colors= only one is ever asked for.
 */
static phys_t take_run(uint64_t bytes)
{
    while (own.next < own.heap && !own_color_allowed(phys_to_pfn(phys(own.next))))
        own.next += PAGE_SIZE;
    if (bytes > own.heap - own.next)
        return PHYS_NONE;
    uint64_t start = own.next;
    own.next += bytes;
    own.left -= bytes >> PAGE_SHIFT;
    return phys(start);
}

/* own_lock is held. */
static phys_t take_page(void)
{
    struct free_page *page = own.free;
    if (!page)
        return take_run(PAGE_SIZE);
    own.free = page->next;
    own.left--;
    return arch_virt_to_phys(page);
}

void own_refuse(uint64_t pages)
{
    own.refusals++;
    own.refused = pages;
}

static void *given(phys_t a, uint64_t bytes)
{
    if (a.a == PHYS_NONE.a) {
        own_refuse((bytes + PAGE_SIZE - 1) >> PAGE_SHIFT);
        return NULL;
    }
    account((ptrdiff_t)bytes);
    return arch_phys_to_virt(a);
}

void *own_page_alloc(void)
{
    unsigned long irq = lock_take_irq(&own_lock);
    void *page = given(take_page(), PAGE_SIZE);
    lock_drop_irq(&own_lock, irq);
    return page ? memset(page, 0, PAGE_SIZE) : NULL;
}

void own_page_free(void *page)
{
    struct free_page *f = page;
    unsigned long irq = lock_take_irq(&own_lock);
    f->next = own.free;
    own.free = f;
    own.left++;
    account(-(ptrdiff_t)PAGE_SIZE);
    lock_drop_irq(&own_lock, irq);
}

void *own_array(size_t bytes)
{
    bytes = align_up(bytes, PAGE_SIZE);
    if (own_colors().given)
        return window_array(bytes);
    unsigned long irq = lock_take_irq(&own_lock);
    void *array = given(take_run(bytes), bytes);
    lock_drop_irq(&own_lock, irq);
    return array ? memset(array, 0, bytes) : NULL;
}

/* ---- heap ------------------------------------------------------------------------------------ */

static void *move_break(ptrdiff_t delta)
{
    uint64_t old = own.brk;
    if (delta < 0 ? -(uint64_t)delta > old - own.heap : (uint64_t)delta > own.heap_end - old) {
        if (delta > 0)
            own_refuse((uint64_t)delta >> PAGE_SHIFT);
        return NULL;
    }
    own.brk = old + (uint64_t)delta;
    account(delta);
    return arch_phys_to_virt(phys(old));
}

void *own_sbrk(ptrdiff_t delta)
{
    if (own_colors().given)
        return window_sbrk(delta);
    unsigned long irq = lock_take_irq(&own_lock);
    void *part = move_break(delta);
    lock_drop_irq(&own_lock, irq);
    return part;
}

/* ---- by colour ------------------------------------------------------------------------------- */

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
