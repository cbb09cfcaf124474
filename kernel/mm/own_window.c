/*
 * The own window (arch.h): stacks, and with own_colors= heap, arrays and descriptors, as single own
 * pages mapped one behind the other; without it descriptors that lie on several nodes. Contracts in
 * own.h.
 *
 * A quarter of the window for each kind, from below. What is mapped stays mapped to the same frame
 * for the boot: no CPU can remember a translation that is not true any more.
 */
#include "mm/own_window.h"

#include "arch.h"
#include "core/lock.h"
#include "core/panic.h"

#include <string.h>

const char *const own_kind_names[OWN_KINDS] = {"tables", "stacks", "heap", "arrays", "descriptors"};

#define REGION_BYTES ((ARCH_OWN_END - ARCH_OWN) / (OWN_KINDS - 1))

static uintptr_t region(enum own_kind kind)
{
    return ARCH_OWN + (kind - 1) * REGION_BYTES;
}

/* Bytes handed out of each region, whole pages; the heap's break lies in its last page or below. */
static size_t used[OWN_KINDS];
static size_t heap_break;

/* Over all of it; own.c's lock is taken inside. */
static struct lock window_lock = LOCK_INIT("own window");

void window_init_empty(void)
{
    memset(used, 0, sizeof used);
    heap_break = 0;
}

/* ---- growing -------------------------------------------------------------------------------- */

/* Gives the next page of a region a frame. window_lock is held. */
static bool map_next(enum own_kind kind)
{
    void *page = used[kind] < REGION_BYTES ? own_page_alloc() : NULL;
    if (!page)
        return false;
    if (arch_own_map(region(kind) + used[kind], phys_to_pfn(arch_virt_to_phys(page)))) {
        own_page_free(page);
        return false;
    }
    used[kind] += PAGE_SIZE;
    return true;
}

/*
 * Grows a region to at least `bytes`, or not at all: only when other CPUs take what was left, or
 * tables need it, does it end half-way, and then what it has got stays its own.
 */
static bool grow_to(enum own_kind kind, size_t bytes)
{
    uint64_t pages = used[kind] < bytes ? (bytes - used[kind] + PAGE_SIZE - 1) >> PAGE_SHIFT : 0;
    if (pages > own_usage().pages_left || bytes > REGION_BYTES) {
        own_refuse(pages);
        return false;
    }
    while (used[kind] < bytes) {
        if (!map_next(kind))
            return false;
    }
    return true;
}

/* A piece at the region's end, after `gap` bytes without translation. */
static void *append(enum own_kind kind, size_t gap, size_t bytes)
{
    unsigned long irq = lock_take_irq(&window_lock);
    size_t start = used[kind] += gap;
    bool grown = grow_to(kind, start + bytes);
    lock_drop_irq(&window_lock, irq);
    return grown ? (void *)(region(kind) + start) : NULL;
}

void *own_stack(size_t bytes)
{
    return append(OWN_STACKS, PAGE_SIZE, bytes);
}

void *window_array(size_t bytes)
{
    return append(OWN_ARRAYS, 0, bytes);
}

void *own_descriptors(size_t bytes)
{
    unsigned long irq = lock_take_irq(&window_lock);
    bool grown = grow_to(OWN_DESCRIPTORS, bytes);
    lock_drop_irq(&window_lock, irq);
    return grown ? (void *)region(OWN_DESCRIPTORS) : NULL;
}

void *own_map_frames(size_t pages, pfn_t (*next)(void *arg), void *arg)
{
    unsigned long irq = lock_take_irq(&window_lock);
    uintptr_t start = region(OWN_DESCRIPTORS) + used[OWN_DESCRIPTORS];
    size_t done = 0, room = (REGION_BYTES - used[OWN_DESCRIPTORS]) >> PAGE_SHIFT;
    while (done < pages && pages <= room && !arch_own_map(start + done * PAGE_SIZE, next(arg)))
        done++;
    used[OWN_DESCRIPTORS] += done * PAGE_SIZE;
    lock_drop_irq(&window_lock, irq);
    return done == pages ? (void *)start : NULL;
}

/* ---- the heap ------------------------------------------------------------------------------- */

static void *move_break(ptrdiff_t delta)
{
    size_t old = heap_break;
    if (delta < 0 ? -(size_t)delta > old : (size_t)delta > REGION_BYTES - old)
        return NULL;
    if (delta > 0 && !grow_to(OWN_HEAP, old + (size_t)delta))
        return NULL;
    heap_break = old + (size_t)delta;
    return (void *)(region(OWN_HEAP) + old);
}

void *window_sbrk(ptrdiff_t delta)
{
    unsigned long irq = lock_take_irq(&window_lock);
    void *part = move_break(delta);
    lock_drop_irq(&window_lock, irq);
    return part;
}

/* ---- walking -------------------------------------------------------------------------------- */

void own_walk(enum own_kind kind, const struct arch_space *s, void (*page)(phys_t at, void *arg),
              void *arg)
{
    if (kind == OWN_TABLES) {
        arch_space_tables(NULL, page, arg);
        if (s)
            arch_space_tables(s, page, arg);
        return;
    }
    uintptr_t start = region(kind);
    for (uintptr_t va = start; va < start + used[kind]; va += PAGE_SIZE) {
        phys_t at = arch_space_lookup(NULL, va, NULL);
        if (kind != OWN_STACKS || at.a != PHYS_NONE.a)
            page(at, arg);
    }
}
