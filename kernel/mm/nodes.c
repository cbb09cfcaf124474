/* The lists of all nodes. Contract in nodes.h. */
#include "mm/nodes.h"

#include <string.h>

/* Lists of two nodes share no line. */
static size_t node_bytes(const struct color_map *map)
{
    return align_up(buddy_bytes(map), 64);
}

size_t nodes_bytes(unsigned nodes, const struct color_map *map)
{
    return nodes * node_bytes(map);
}

void nodes_init(struct nodes *n, struct pages *pages, const struct topology *t, bool apart,
                const struct color_map *map, void *memory)
{
    n->count = topology_nodes(t, apart);
    n->pages = pages;
    n->numa = n->count > 1 ? t->numa : NULL;
    memset(n->home, 0, sizeof n->home);
    memset(n->near, 0, sizeof n->near);
    for (unsigned i = 0; i < n->count; i++) {
        if (n->numa)
            numa_order(n->numa, i, n->near[i]);
        buddy_init(&n->lists[i], pages, i, map, (char *)memory + i * node_bytes(map));
        lru_init(&n->lru[i], pages, i);
    }
    for (unsigned cpu = 0; n->numa && cpu < t->cpus; cpu++) {
        check(1, t->home[cpu] < n->count);
        n->home[cpu] = t->home[cpu];
    }
}

void nodes_add_all(struct nodes *n)
{
    for (unsigned i = 0; i < n->count; i++)
        buddy_add_all(&n->lists[i]);
}

uint64_t nodes_blocks(const struct nodes *n, unsigned order)
{
    uint64_t blocks = 0;
    for (unsigned i = 0; i < n->count; i++)
        blocks += buddy_blocks(&n->lists[i], order);
    return blocks;
}

uint64_t nodes_free_pages(const struct nodes *n)
{
    uint64_t pages = 0;
    for (unsigned i = 0; i < n->count; i++)
        pages += buddy_free_pages(&n->lists[i]);
    return pages;
}

/* Every range lies in its node as firmware has it, to its last frame. */
static const char *check_ranges(const struct nodes *n)
{
    for (unsigned i = 0; i < n->pages->range_count; i++) {
        const struct page_range *r = &n->pages->range[i];
        struct pfn_range whole = {pfn(r->start), pfn(r->start + r->pages)};
        unsigned node = 0;
        if (n->numa && pfn_range_pages(numa_first(n->numa, whole, &node)) != r->pages)
            return "nodes: a range of descriptors reaches across nodes";
        if (n->pages->node[i] != node)
            return "nodes: a frame belongs to another node";
    }
    return NULL;
}

const char *nodes_check(struct nodes *n)
{
    const char *broken = check_ranges(n);
    for (unsigned i = 0; i < n->count && !broken; i++) {
        broken = buddy_check(&n->lists[i]);
        if (!broken)
            broken = lru_check(&n->lru[i]);
    }
    return broken;
}
