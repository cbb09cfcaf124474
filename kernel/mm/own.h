/*
 * The kernel's own small memory: page tables, stacks, newlib's heap, logs, arrays.
 *
 * Taken out of the memory map once at boot, one contiguous range, and never part of a subject:
 * so that what the kernel does for itself cannot change the placement that it measures. Single
 * pages can be freed again (page tables of short-lived spaces); everything else lives for the boot.
 *
 * own_colors=LIST restricts all of it to some colours of the cache under study: frames of other
 * colours in the range stay unused. What takes several pages is then gathered frame by frame and
 * mapped in the own window (arch.h), so that no run of allowed frames is too short for it; each of
 * its pages needs a translation of its own, which the direct map's large pages do not, and so
 * without the option nothing lies there but stacks, and on machines with nodes descriptors.
 * Descriptors of the subject, which are else taken out of the map beside it, are own memory with
 * it. Not own memory, and so of any colour: the image (its place is the loader's choice), boot
 * modules, and the low page that starts CPUs.
 */
#ifndef TT_MM_OWN_H
#define TT_MM_OWN_H

#include "core/types.h"

struct color_map;
struct arch_space;

/* ---- colours ------------------------------------------------------------------------------- */

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

/* ---- the range ----------------------------------------------------------------------------- */

/* Bytes of the range that own memory should have on a machine with so much RAM. */
uint64_t own_range_bytes(uint64_t ram_bytes);

/* Hands the range over; page aligned, direct-mapped by the time a piece of it is used. */
void own_init(struct phys_range r);

struct own_usage {
    struct phys_range range;
    size_t used_bytes; /* live pages and pieces */
    size_t peak_bytes;
    uint64_t pages_left; /* that own_page_alloc() could still give */
    uint64_t refusals;   /* how often too few were left */
};
struct own_usage own_usage(void);

/* What to tell whoever got nothing: how much there is, what was needed, and what would help. */
void own_advise(char *text, size_t text_bytes);

/* ---- what it gives ------------------------------------------------------------------------- */

/* One page, zeroed, in the direct map; NULL when none is left. */
void *own_page_alloc(void);

/* Gives back what own_page_alloc returned. */
void own_page_free(void *page);

/* A stack, in the own window, with a page below it that has no translation. NULL when full. */
void *own_stack(size_t bytes);

/* An array of the kernel's, page aligned, zeroed. Not always in the direct map. NULL when full. */
void *own_array(size_t bytes);

/*
 * The place for a subject's descriptors, of at least so many bytes, in the own window: always the
 * same address, grown when more is asked for than ever before. NULL when own memory is full.
 */
void *own_descriptors(size_t bytes);

/*
 * Without own_colors=: addresses in the own window for frames that are not own memory, one behind
 * the other, next() giving each; for the rest of the boot, and never given before. NULL: the window
 * is full, or own memory has no page left for tables.
 */
void *own_map_frames(size_t pages, pfn_t (*next)(void *arg), void *arg);

/*
 * newlib's heap grows here: returns the start of the new part, or NULL when full. In the own range
 * above everything else; with own_colors= in the own window.
 */
void *own_sbrk(ptrdiff_t delta);

/* ---- accounting ---------------------------------------------------------------------------- */

/* Adds the live pages by colour of a map to pages[]; the heap's up to its break. O(range). */
void own_pages_of_color(const struct color_map *map, uint32_t *pages);

/* With own_colors=; without it the last three are not found by their addresses. */
enum own_kind { OWN_TABLES, OWN_STACKS, OWN_HEAP, OWN_ARRAYS, OWN_DESCRIPTORS, OWN_KINDS };
extern const char *const own_kind_names[OWN_KINDS];

/*
 * Calls page() for each page of a kind with what a walk of the page tables finds behind its
 * address: PHYS_NONE where that is nothing (but guard pages). Tables are the kernel's own and those
 * of a space, unless it is NULL.
 */
void own_walk(enum own_kind kind, const struct arch_space *s, void (*page)(phys_t at, void *arg),
              void *arg);

#endif
