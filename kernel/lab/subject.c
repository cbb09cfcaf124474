/* Planning the subject memory. Contract in subject.h. */
#include "lab/subject.h"

#include "arch.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "lab/descriptors.h"
#include "mm/own.h"

#include <string.h>

/* A block of the largest order: less is not a memory to place things in. */
#define SUBJECT_MIN_PAGES (1u << MAX_ORDER)

/* Every end of a node's range may cut one in two. */
#define SUBJECT_RANGES (PAGE_RANGES - 2 * NUMA_RANGES)

static uint64_t area_pages(const struct levels *levels, const struct topology *t, uint64_t pages)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < levels->count; i++)
        bytes = max_u64(bytes, memory_bytes(&levels->level[i].setup, t, (uint32_t)pages));
    return (bytes + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

/* The largest part of `pages` that leaves room for its own area in the largest range, and for
 * descriptors on their nodes; own memory has the area beside them. */
static uint64_t shrink_to_fit(const struct levels *levels, const struct topology *t, uint64_t pages,
                              uint64_t free, uint64_t largest)
{
    while (pages >= SUBJECT_MIN_PAGES) {
        uint64_t area = own_colors().given ? 0 : area_pages(levels, t, pages);
        if (area <= largest && area + descriptors_pages(levels, t, pages) + pages <= free)
            return pages;
        /* 31/32: at most a few hundred rounds from 2^32 down, and within 3% of the largest. */
        pages -= pages / 32 + 1;
    }
    return 0;
}

/* Inserts a range in ascending order; where it touches another one (at a node's end), both join. */
static void add_range(struct subject *out, struct pfn_range r)
{
    struct pfn_range *at = out->range;
    unsigned i = 0;
    out->pages += (uint32_t)pfn_range_pages(r);
    while (i < out->range_count && at[i].end.n < r.start.n)
        i++;
    unsigned joined = i;
    while (joined < out->range_count && at[joined].start.n <= r.end.n) {
        r.start = pfn(min_u64(r.start.n, at[joined].start.n));
        r.end = pfn(max_u64(r.end.n, at[joined].end.n));
        joined++;
    }
    memmove(at + i + 1, at + joined, (out->range_count - joined) * sizeof *at);
    at[i] = r;
    out->range_count = out->range_count + 1 + i - joined;
}

/*
 * Gives the subject up to `pages` frames of the largest range that is left; false when none is.
 * Largest first: a subject of one range has no small leftovers at the edges of many, which a fresh
 * allocator would deliver first. For the same reason it starts on a block of the largest order
 * where the range can spare the frames before it.
 */
static bool take_largest(struct subject *out, struct memmap *rest, uint64_t pages, unsigned node)
{
    struct pfn_range best = numa_largest(out->topology.numa, rest, node);
    if (!pages || out->range_count == SUBJECT_RANGES || !pfn_range_pages(best))
        return false;
    uint64_t aligned = align_up(best.start.n, 1ul << MAX_ORDER);
    if (aligned < best.end.n && best.end.n - aligned >= pages)
        best.start = pfn(aligned);
    best.end = pfn(min_u64(best.end.n, best.start.n + pages));
    add_range(out, best);
    return memmap_set(rest, best, MEMMAP_KERNEL) == 0;
}

/* The same again and again; returns how many they were. */
static uint64_t take_of_node(struct subject *out, struct memmap *rest, uint64_t pages,
                             unsigned node)
{
    uint64_t before = out->pages;
    while (take_largest(out, rest, before + pages - out->pages, node))
        ;
    return out->pages - before;
}

static bool nodes_apart(const struct levels *levels, const struct topology *t)
{
    bool apart = false;
    for (unsigned i = 0; i < levels->count; i++)
        apart |= topology_nodes(t, levels->level[i].setup.numa != NUMA_OFF) > 1;
    return apart;
}

/*
 * Each node's share of `pages`, by what it has left, and no more than it has room for beside their
 * descriptors; then what is missing, from whoever has room.
 */
static void take_shares(struct subject *out, struct memmap *rest, const struct levels *levels,
                        uint64_t pages)
{
    const struct numa *numa = out->topology.numa;
    uint64_t ram = memmap_pages(rest, MEM_RAM), of_node[NUMA_NODES], room[NUMA_NODES], before = 0;
    for (unsigned i = 0; i < numa->nodes; i++) {
        of_node[i] = numa_pages(numa, rest, i);
        room[i] = descriptors_fit(levels, &out->topology, of_node[i]);
    }
    for (unsigned i = 0; i < numa->nodes; i++) {
        /* By sums from the first node on, so that roundings do not add up. */
        uint64_t from = align_down(pages * before / ram, 1ul << MAX_ORDER);
        before += of_node[i];
        uint64_t to = before == ram ? pages : align_down(pages * before / ram, 1ul << MAX_ORDER);
        room[i] -= take_of_node(out, rest, min_u64(room[i], of_node[i] ? to - from : 0), i);
    }
    for (unsigned i = 0; i < numa->nodes; i++)
        take_of_node(out, rest, min_u64(room[i], pages - out->pages), i);
}

/* A place for the area: beside the subject, with own_colors= in own memory. NULL: no room. */
static void *take_area(struct memmap *rest, uint64_t pages)
{
    if (own_colors().given)
        return own_descriptors(pages << PAGE_SHIFT);
    pfn_t at = memmap_take(rest, pages, 1, pfn(0));
    return at.n == PFN_NONE.n ? NULL : arch_phys_to_virt(pfn_to_phys(at));
}

/* The message when there is none. */
static int no_area(uint64_t pages, char *err, size_t err_bytes)
{
    char advice[200];
    size_t n = ksnprintf(err, err_bytes, "subject: no room for %lu pages of descriptors",
                         (unsigned long)pages);
    if (own_colors().given && n < err_bytes) {
        own_advise(advice, sizeof advice);
        ksnprintf(err + n, err_bytes - n, ": %s", advice);
    }
    return -TT_ENOMEM;
}

int subject_plan(struct subject *out, const struct memmap *map, const struct topology *topology,
                 const struct levels *levels, uint64_t bytes, bool strict, char *err,
                 size_t err_bytes)
{
    static struct memmap rest; /* a copy to take the area from */
    rest = *map;
    out->topology = *topology;
    const struct topology *t = &out->topology;
    bool apart = nodes_apart(levels, t);
    out->topology.descriptors = apart && !own_colors().given;
    uint64_t free = memmap_pages(map, MEM_RAM), largest = 0;
    for_each_range (map, r, MEM_RAM)
        largest = max_u64(largest, pfn_range_pages(r->at));

    /* Descriptor numbers are 32-bit, and one value of them means none. */
    uint64_t wanted = min_u64(bytes >> PAGE_SHIFT, UINT32_MAX - 1);
    if (wanted < SUBJECT_MIN_PAGES) {
        ksnprintf(err, err_bytes, "subject: %lu KiB asked for; valid: at least %lu KiB",
                  (unsigned long)(bytes >> 10),
                  (unsigned long)SUBJECT_MIN_PAGES << PAGE_SHIFT >> 10);
        return -TT_ENOMEM;
    }
    uint64_t pages = shrink_to_fit(levels, t, min_u64(wanted, free), free, largest);
    if (!pages || (strict && pages < wanted)) {
        ksnprintf(
            err, err_bytes,
            "subject: %lu MiB asked for, at most about %lu MiB can be had on this machine",
            (unsigned long)(bytes >> 20),
            (unsigned long)(shrink_to_fit(levels, t, free, free, largest) << PAGE_SHIFT >> 20));
        return -TT_ENOMEM;
    }
    uint64_t area = area_pages(levels, t, pages);
    out->area = take_area(&rest, area);
    if (!out->area)
        return no_area(area, err, err_bytes);
    out->area_bytes = area << PAGE_SHIFT;
    out->pages = 0;
    out->range_count = 0;
    out->places = 0;
    if (apart)
        take_shares(out, &rest, levels, pages);
    else
        take_of_node(out, &rest, pages, NUMA_ANY);
    return t->descriptors ? descriptors_place(out, &rest, levels, err, err_bytes) : 0;
}
