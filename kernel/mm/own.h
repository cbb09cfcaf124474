/*
 * The kernel's own small memory: page tables, stacks, newlib's heap, logs.
 *
 * Taken out of the memory map once at boot, one contiguous range, and never part of a subject:
 * so that what the kernel does for itself cannot change the placement that it measures. Single
 * pages can be freed again (page tables of short-lived spaces); larger pieces live for the boot.
 */
#ifndef TT_MM_OWN_H
#define TT_MM_OWN_H

#include "core/types.h"

/* Hands the range over; page aligned, direct-mapped by the time a piece of it is used. */
void own_init(struct phys_range r);

/* bytes rounded up to pages, aligned to align (a power of two >= PAGE_SIZE). PHYS_NONE if full. */
phys_t own_alloc(size_t bytes, size_t align);

/* One page, zeroed; NULL when none is left. */
void *own_page_alloc(void);

/* Gives back what own_page_alloc returned. */
void own_page_free(void *page);

struct own_usage {
    struct phys_range range;
    size_t used_bytes; /* live pages and pieces */
    size_t peak_bytes;
};
struct own_usage own_usage(void);

/* newlib's heap grows here, inside the own range: returns the old break, or NULL when full. */
void *own_sbrk(ptrdiff_t delta);

#endif
