/*
 * The free lists of an instance, one set a node (mm/numa.h), and the LRU lists of each.
 *
 * A block belongs to the node of its frames for good: it is freed to the lists of that node, and
 * ranges of descriptors end where the node does (mm/page.h), so blocks never merge across. Who
 * allocates looks at the nodes in the order of their distance from its CPU's. A machine without
 * nodes, or numa=off, is one node.
 */
#ifndef TT_MM_NODES_H
#define TT_MM_NODES_H

#include "core/cpu.h"
#include "mm/buddy.h"
#include "mm/lru.h"
#include "mm/numa.h"

/* Which memory is near which CPUs. */
struct topology {
    const struct numa *numa; /* NULL: one node */
    unsigned cpus;           /* that run; 0 means one */
    uint8_t home[CPU_MAX];   /* the node of each */
    bool descriptors;        /* those of frames lie on the frames' nodes (memory.h) */
};

struct nodes {
    unsigned count;                       /* constant, at least 1 */
    struct pages *pages;                  /* constant */
    const struct numa *numa;              /* constant; NULL: one node */
    uint8_t home[CPU_MAX];                /* constant: the node of each CPU */
    uint8_t near[NUMA_NODES][NUMA_NODES]; /* constant: all nodes, nearest to [from] first */
    struct buddy lists[NUMA_NODES];
    struct lru lru[NUMA_NODES];
};

/* Nodes of a topology whose CPUs' nodes count (false: all is one node). */
static inline unsigned topology_nodes(const struct topology *t, bool apart)
{
    return apart && t->numa ? t->numa->nodes : 1;
}

/* Bytes of lists of so many nodes for a map; 64-byte aligned parts. */
size_t nodes_bytes(unsigned nodes, const struct color_map *map);

/*
 * Empty lists over pages, which are cut by the same nodes. memory: nodes_bytes(), 64-byte aligned.
 */
void nodes_init(struct nodes *n, struct pages *pages, const struct topology *t, bool apart,
                const struct color_map *map, void *memory);

/* Puts all frames on the lists of their nodes, as buddy_add_all(). */
void nodes_add_all(struct nodes *n);

/* The lists that a frame belongs to. Panics when it is in no range. */
static inline struct buddy *nodes_lists_of(struct nodes *n, pfn_t p)
{
    const struct page_range *r = pages_find_range(n->pages, p);
    if (!r)
        panic("frame 0x%lx is in no range", (unsigned long)p.n);
    return &n->lists[page_range_node(n->pages, r)];
}

/* The node of the CPU that calls, and all nodes from there, nearest first. */
static inline unsigned nodes_here(const struct nodes *n)
{
    return n->home[cpu_id()];
}

/* Free blocks of an order, and free frames, over all nodes. O(lists). */
uint64_t nodes_blocks(const struct nodes *n, unsigned order);
uint64_t nodes_free_pages(const struct nodes *n);

/* Every frame belongs to its node, and buddy_check() and lru_check() of each; NULL, or what is
 * broken. O(frames). */
const char *nodes_check(struct nodes *n);

#endif
