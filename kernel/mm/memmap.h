/*
 * The physical memory map: from the firmware's raw list to sorted, disjoint, typed ranges.
 *
 * Everything starts reserved: RAM is added, then image, modules and what the firmware keeps are
 * taken out. Rules, each tested: entries may be empty, unsorted, overlapping, wrapping, adjacent
 * or unaligned; where two overlap, the more restrictive type wins; RAM is trimmed inwards to
 * whole pages, other types outwards; an unknown type is reserved.
 */
#ifndef TT_MM_MEMMAP_H
#define TT_MM_MEMMAP_H

#include "boot_info.h"
#include "core/types.h"

#define MEMMAP_MAX    (2 * BOOT_MAP_MAX + 2 * BOOT_MODULE_MAX + 64) /* ranges after splitting */
#define MEMMAP_KERNEL MEM_TYPES /* own type of image, modules and own memory: wins over all */

struct mem_range {
    struct pfn_range at;
    uint32_t type; /* enum mem_type or MEMMAP_KERNEL */
};

struct memmap {
    unsigned count;
    struct mem_range range[MEMMAP_MAX]; /* sorted, disjoint, neighbours differ in type */
};

/* for (r over all ranges of type) */
#define for_each_range(map, r, want)                                                               \
    for (const struct mem_range *r = (map)->range; r < (map)->range + (map)->count; r++)           \
        if (r->type == (want))

/*
 * Builds map from bi (map, image, modules). limit: highest physical address plus one that the
 * CPU can map; what lies above is dropped. 0, or -TT_EINVAL with a message in err (nothing
 * usable left, too many ranges).
 */
int memmap_build(struct memmap *map, const struct boot_info *bi, phys_t limit, char *err,
                 size_t err_bytes);

/*
 * Turns [start, end) into type where it is less restrictive. 0, or -TT_ENOSPC: then the map is
 * still valid, and nothing in it is less restricted than before.
 */
int memmap_set(struct memmap *map, struct pfn_range at, uint32_t type);

/* Keeps only the first `bytes` of RAM, counted from the bottom (mem=). */
void memmap_limit(struct memmap *map, uint64_t bytes);

/* Pages of a type. */
uint64_t memmap_pages(const struct memmap *map, uint32_t type);

/*
 * Takes `pages` contiguous RAM frames, aligned to align frames, lowest fit at or above `above`,
 * out of RAM (type becomes MEMMAP_KERNEL). PFN_NONE if there is no such hole.
 */
pfn_t memmap_take(struct memmap *map, uint64_t pages, uint64_t align, pfn_t above);

/* Checks the stated invariants; NULL or what is broken. */
const char *memmap_check(const struct memmap *map);

#endif
