/*
 * The kernel's own small memory: page tables, stacks, newlib's heap, logs.
 *
 * Taken out of the memory map once at boot, one contiguous range, and never part of a subject:
 * so that what the kernel does for itself cannot change the placement that it measures. Single
 * pages can be freed again (page tables of short-lived spaces); larger pieces live for the boot.
 *
 * own_colors=LIST restricts all of it to some colours of the cache under study: frames of other
 * colours in the range stay unused. Then a piece or a growth of the heap in one step fits only
 * where as many frames in a row are allowed. Not own memory, and so of any colour: the image with
 * the boot CPU's stacks (its place is the loader's choice) and the low page that starts CPUs.
 */
#ifndef TT_MM_OWN_H
#define TT_MM_OWN_H

#include "core/types.h"

struct color_map;

/*
 * The map that own_colors= speaks of; copied. Before own_init(). 0, or -TT_EINVAL with a reason
 * when the option names a colour that the map has not.
 */
int own_set_colors(const struct color_map *map, char *err, size_t err_bytes);

/* May own memory use this frame? All, without own_colors=. */
bool own_color_allowed(pfn_t p);

/* The same from the map's naive definition, for checks. */
bool own_color_allowed_naive(phys_t a);

struct own_colors {
    uint32_t colors;  /* of the map; 0: own_set_colors() was not called */
    uint32_t allowed; /* how many of them own memory may use; all without own_colors= */
    bool given;       /* own_colors= is on the command line */
};
struct own_colors own_colors(void);

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

/* Adds the live pages by colour of a map to pages[]; the heap's up to its break. O(range). */
void own_pages_of_color(const struct color_map *map, uint32_t *pages);

/*
 * newlib's heap grows here, inside the own range: returns the start of the new part, or NULL when
 * full. With own_colors= it may lie above a gap, as any sbrk may after somebody else's.
 */
void *own_sbrk(ptrdiff_t delta);

#endif
