/* Nodes. Contract in numa.h. */
#include "mm/numa.h"

#include "core/kprintf.h"
#include "core/panic.h"

#include <string.h>

#define HERE 10
#define AWAY 20 /* what firmware's authors write when they have not measured */

static void one_node(struct numa *n)
{
    memset(n, 0, sizeof *n);
    n->nodes = 1;
    n->distance[0][0] = HERE;
}

static void sort(struct numa *n)
{
    for (unsigned i = 1; i < n->ranges; i++) {
        struct arch_numa_range r = n->range[i];
        unsigned k = i;
        for (; k > 0 && n->range[k - 1].at.start.a > r.at.start.a; k--)
            n->range[k] = n->range[k - 1];
        n->range[k] = r;
    }
}

/* Ranges of one node may overlap: the later one begins where the earlier one ends. */
static const char *check_ranges(struct numa *n)
{
    for (unsigned i = 1; i < n->ranges; i++) {
        struct arch_numa_range *a = &n->range[i - 1], *b = &n->range[i];
        if (a->at.end.a <= b->at.start.a)
            continue;
        if (a->node != b->node)
            return "ranges of different nodes overlap";
        b->at.end = phys(max_u64(a->at.end.a, b->at.end.a));
        b->at.start = a->at.end;
    }
    return NULL;
}

/* Every byte of [start, end) in some range? */
static bool covered(const struct numa *n, uint64_t start, uint64_t end)
{
    for (unsigned i = 0; i < n->ranges && start < end; i++) {
        const struct phys_range *r = &n->range[i].at;
        if (r->start.a <= start && start < r->end.a)
            start = r->end.a;
    }
    return start >= end;
}

static const char *check_ram(const struct numa *n, const struct memmap *map)
{
    for_each_range (map, r, MEM_RAM) {
        if (!covered(n, pfn_to_phys(r->at.start).a, pfn_to_phys(r->at.end).a))
            return "some RAM is in no node";
    }
    return NULL;
}

static const char *check_distances(const struct arch_numa *raw)
{
    for (unsigned a = 0; a < raw->nodes; a++) {
        for (unsigned b = 0; b < raw->nodes; b++) {
            unsigned d = raw->distance[a][b];
            if (a == b ? d != HERE : d <= HERE)
                return "distances: a node is not 10 from itself, or not farther from another one";
        }
    }
    return NULL;
}

static void set_distances(struct numa *n, const struct arch_numa *raw, bool believe)
{
    for (unsigned a = 0; a < n->nodes; a++)
        for (unsigned b = 0; b < n->nodes; b++)
            n->distance[a][b] = believe ? raw->distance[a][b] : a == b ? HERE : AWAY;
}

void numa_build(struct numa *out, const struct arch_numa *raw, const struct memmap *map, char *why,
                size_t why_bytes)
{
    ksnprintf(why, why_bytes, "%s", "");
    one_node(out);
    if (!raw || raw->nodes == 0)
        return;
    out->nodes = raw->nodes;
    out->ranges = raw->ranges;
    memcpy(out->range, raw->range, sizeof out->range);
    sort(out);
    const char *wrong = check_ranges(out);
    if (!wrong)
        wrong = check_ram(out, map);
    if (wrong) {
        ksnprintf(why, why_bytes, "nodes: %s; taken as one node", wrong);
        one_node(out);
        return;
    }
    for (unsigned cpu = 0; cpu < NUMA_CPUS; cpu++)
        if (raw->node_of_cpu[cpu] < raw->nodes)
            out->node_of_cpu[cpu] = raw->node_of_cpu[cpu];
    wrong = raw->has_distances ? check_distances(raw) : NULL;
    if (wrong)
        ksnprintf(why, why_bytes, "nodes: %s; all others are taken as %u away", wrong, AWAY);
    set_distances(out, raw, raw->has_distances && !wrong);
}

unsigned numa_node_of(const struct numa *n, pfn_t p)
{
    uint64_t a = pfn_to_phys(p).a;
    for (unsigned i = 0; i < n->ranges; i++)
        if (a >= n->range[i].at.start.a && a < n->range[i].at.end.a)
            return n->range[i].node;
    return 0;
}

/* The lowest of `end` and the first frame behind `start` of another node, if it begins at `at`. */
static uint64_t cut(const struct numa *n, uint64_t start, uint64_t end, phys_t at)
{
    uint64_t frame = (at.a + PAGE_SIZE - 1) >> PAGE_SHIFT;
    bool other =
        frame > start && frame < end && numa_node_of(n, pfn(frame)) != numa_node_of(n, pfn(start));
    return other ? frame : end;
}

struct pfn_range numa_first(const struct numa *n, struct pfn_range r, unsigned *node)
{
    check(1, r.start.n < r.end.n);
    uint64_t end = r.end.n;
    for (unsigned i = 0; i < n->ranges; i++) {
        end = cut(n, r.start.n, end, n->range[i].at.start);
        end = cut(n, r.start.n, end, n->range[i].at.end);
    }
    *node = numa_node_of(n, r.start);
    return (struct pfn_range){r.start, pfn(end)};
}

void numa_order(const struct numa *n, unsigned from, uint8_t order[NUMA_NODES])
{
    check(1, from < n->nodes);
    for (unsigned i = 0; i < n->nodes; i++) {
        unsigned k = i;
        for (; k > 0 && n->distance[from][order[k - 1]] > n->distance[from][i]; k--)
            order[k] = order[k - 1];
        order[k] = (uint8_t)i;
    }
}

uint64_t numa_pages(const struct numa *n, const struct memmap *map, unsigned node)
{
    uint64_t pages = 0;
    for_each_range (map, r, MEM_RAM) {
        struct pfn_range rest = r->at;
        while (rest.start.n < rest.end.n) {
            unsigned of;
            struct pfn_range piece = numa_first(n, rest, &of);
            pages += of == node ? pfn_range_pages(piece) : 0;
            rest.start = piece.end;
        }
    }
    return pages;
}

struct pfn_range numa_largest(const struct numa *n, const struct memmap *map, unsigned node)
{
    struct pfn_range best = {pfn(0), pfn(0)};
    for_each_range (map, r, MEM_RAM) {
        struct pfn_range left = r->at;
        while (pfn_range_pages(left)) {
            unsigned of = NUMA_ANY;
            struct pfn_range piece = node == NUMA_ANY ? left : numa_first(n, left, &of);
            if (of == node && pfn_range_pages(piece) > pfn_range_pages(best))
                best = piece;
            left.start = piece.end;
        }
    }
    return best;
}
