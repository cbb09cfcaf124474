/* The physical memory map. Contract and rules in memmap.h. */
#include "mm/memmap.h"

#include "core/errno.h"
#include "core/kprintf.h"

#include <string.h>

/* ---- editing: split, raise, fill, join ---------------------------------------------------------
 */

static bool insert_at(struct memmap *map, unsigned i, struct mem_range r)
{
    if (map->count == MEMMAP_MAX)
        return false;
    memmove(&map->range[i + 1], &map->range[i], (map->count - i) * sizeof r);
    map->range[i] = r;
    map->count++;
    return true;
}

/* After it no range has p strictly inside. */
static bool split_at(struct memmap *map, pfn_t p)
{
    for (unsigned i = 0; i < map->count; i++) {
        struct mem_range *r = &map->range[i];
        if (r->at.start.n < p.n && p.n < r->at.end.n) {
            struct mem_range upper = {{p, r->at.end}, r->type};
            if (!insert_at(map, i + 1, upper))
                return false;
            map->range[i].at.end = p;
            return true;
        }
    }
    return true;
}

static void join(struct memmap *map)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < map->count; i++) {
        struct mem_range *last = kept ? &map->range[kept - 1] : NULL;
        if (last && last->type == map->range[i].type && last->at.end.n == map->range[i].at.start.n)
            last->at.end = map->range[i].at.end;
        else
            map->range[kept++] = map->range[i];
    }
    map->count = kept;
}

static int set_unjoined(struct memmap *map, struct pfn_range at, uint32_t type)
{
    if (!split_at(map, at.start) || !split_at(map, at.end))
        return -TT_ENOSPC;
    pfn_t done = at.start; /* everything below is settled */
    for (unsigned i = 0; i < map->count && done.n < at.end.n; i++) {
        struct mem_range *r = &map->range[i];
        if (r->at.end.n <= done.n)
            continue;
        if (r->at.start.n > done.n) {
            pfn_t gap_end = pfn(min_u64(r->at.start.n, at.end.n));
            if (!insert_at(map, i, (struct mem_range){{done, gap_end}, type}))
                return -TT_ENOSPC;
            done = gap_end;
            continue;
        }
        if (r->type < type)
            r->type = type;
        done = r->at.end;
    }
    if (done.n < at.end.n && !insert_at(map, map->count, (struct mem_range){{done, at.end}, type}))
        return -TT_ENOSPC;
    return 0;
}

int memmap_set(struct memmap *map, struct pfn_range at, uint32_t type)
{
    if (!pfn_range_pages(at))
        return 0;
    int bad = set_unjoined(map, at, type);
    join(map);
    return bad;
}

/* ---- building -----------------------------------------------------------------------------------
 */

/* Whole frames of [start, start + size) below limit: RAM inwards, everything else outwards. */
static struct pfn_range trim(uint64_t start, uint64_t size, bool ram, phys_t limit)
{
    struct pfn_range none = {pfn(0), pfn(0)};
    bool wraps = start + size < start;
    if (wraps && ram)
        return none; /* not a size anybody has: do not believe it */
    uint64_t end = wraps ? limit.a : min_u64(start + size, limit.a);
    if (!size || start >= end)
        return none;
    if (ram) {
        uint64_t first = start / PAGE_SIZE + (start % PAGE_SIZE != 0);
        return (struct pfn_range){pfn(first), pfn(end / PAGE_SIZE)};
    }
    return (struct pfn_range){pfn(start / PAGE_SIZE),
                              pfn(end / PAGE_SIZE + (end % PAGE_SIZE != 0))};
}

static struct pfn_range outwards(struct phys_range r, phys_t limit)
{
    return trim(r.start.a, phys_range_bytes(r), false, limit);
}

static int add_entries(struct memmap *map, const struct boot_info *bi, phys_t limit)
{
    for (uint32_t i = 0; i < bi->map_count && i < BOOT_MAP_MAX; i++) {
        const struct boot_range *e = &bi->map[i];
        uint32_t type = e->type >= MEM_RAM && e->type < MEM_TYPES ? e->type : MEM_RESERVED;
        /* What the boot path needed from loader memory has been copied: it is RAM now. */
        if (type == MEM_BOOT)
            type = MEM_RAM;
        int bad = memmap_set(map, trim(e->start, e->size, type == MEM_RAM, limit), type);
        if (bad)
            return bad;
    }
    return 0;
}

int memmap_build(struct memmap *map, const struct boot_info *bi, phys_t limit, char *err,
                 size_t err_bytes)
{
    map->count = 0;
    int bad = add_entries(map, bi, limit);
    if (!bad)
        bad = memmap_set(map, outwards(bi->image, limit), MEMMAP_KERNEL);
    for (uint32_t i = 0; !bad && i < bi->module_count && i < BOOT_MODULE_MAX; i++)
        bad = memmap_set(map, outwards(bi->module[i].at, limit), MEMMAP_KERNEL);
    /* Frame 0 holds real-mode vectors on a PC, and a null address must never be memory of ours. */
    if (!bad)
        bad = memmap_set(map, (struct pfn_range){pfn(0), pfn(1)}, MEM_RESERVED);
    if (bad) {
        ksnprintf(err, err_bytes, "memory map: more than %u ranges after splitting", MEMMAP_MAX);
        return -TT_EINVAL;
    }
    if (!memmap_pages(map, MEM_RAM)) {
        ksnprintf(err, err_bytes, "memory map: %u entries, none of them leaves usable RAM",
                  bi->map_count);
        return -TT_EINVAL;
    }
    return 0;
}

void memmap_limit(struct memmap *map, uint64_t bytes)
{
    uint64_t left = bytes / PAGE_SIZE;
    for (unsigned i = 0; i < map->count; i++) {
        struct mem_range *r = &map->range[i];
        if (r->type != MEM_RAM)
            continue;
        uint64_t pages = pfn_range_pages(r->at);
        if (pages <= left) {
            left -= pages;
        } else if (!left || !split_at(map, pfn(r->at.start.n + left))) {
            map->range[i].type = MEM_RESERVED;
        } else {
            left = 0; /* the upper part is the next range: it goes in the next round */
        }
    }
    join(map);
}

uint64_t memmap_pages(const struct memmap *map, uint32_t type)
{
    uint64_t pages = 0;
    for_each_range (map, r, type)
        pages += pfn_range_pages(r->at);
    return pages;
}

pfn_t memmap_take(struct memmap *map, uint64_t pages, uint64_t align, pfn_t above)
{
    for_each_range (map, r, MEM_RAM) {
        uint64_t start = align_up(max_u64(r->at.start.n, above.n), align);
        if (start >= r->at.start.n && start < r->at.end.n && r->at.end.n - start >= pages) {
            struct pfn_range at = {pfn(start), pfn(start + pages)};
            return memmap_set(map, at, MEMMAP_KERNEL) ? PFN_NONE : at.start;
        }
    }
    return PFN_NONE;
}

const char *memmap_check(const struct memmap *map)
{
    if (map->count > MEMMAP_MAX)
        return "memmap: more ranges than there is room for";
    for (unsigned i = 0; i < map->count; i++) {
        const struct mem_range *r = &map->range[i], *before = i ? r - 1 : NULL;
        if (!pfn_range_pages(r->at))
            return "memmap: an empty range";
        if (r->type < MEM_RAM || r->type > MEMMAP_KERNEL)
            return "memmap: a range of no type";
        if (before && before->at.end.n > r->at.start.n)
            return "memmap: ranges overlap or are not sorted";
        if (before && before->at.end.n == r->at.start.n && before->type == r->type)
            return "memmap: two neighbours of one type are not joined";
    }
    return NULL;
}
