/*
 * Nodes: which memory is near which CPUs.
 *
 * What firmware says is checked as a whole and believed or refused as a whole: ranges of different
 * nodes that overlap, or RAM that is in none of them, and the machine is one node, with a note.
 * Distances (10 is "here") that are below 10, unequal to 10 here, or 10 elsewhere are refused by
 * themselves: then all other nodes are 20 away. Nodes may have no memory, or no CPUs.
 */
#ifndef TT_MM_NUMA_H
#define TT_MM_NUMA_H

#include "arch.h"
#include "mm/memmap.h"

struct numa {
    unsigned nodes; /* at least 1 */
    unsigned ranges;
    struct arch_numa_range range[NUMA_RANGES]; /* sorted, disjoint; of one node: none */
    uint8_t distance[NUMA_NODES][NUMA_NODES];
    uint8_t node_of_cpu[NUMA_CPUS]; /* by hardware number; 0 for one that no node names */
};

/*
 * Checks raw (NULL: firmware says nothing) against the map. Writes what was refused to why, "" if
 * nothing was. out is always valid.
 */
void numa_build(struct numa *out, const struct arch_numa *raw, const struct memmap *map, char *why,
                size_t why_bytes);

/* The node of a frame; frames in no range belong to node 0. */
unsigned numa_node_of(const struct numa *n, pfn_t p);

/*
 * The longest piece at the start of r whose frames are all of one node, and which: *node. A frame
 * that two nodes share belongs to its first byte's. Precondition: r is not empty.
 */
struct pfn_range numa_first(const struct numa *n, struct pfn_range r, unsigned *node);

/* All nodes, nearest to `from` first (itself, then by distance, then by number). */
void numa_order(const struct numa *n, unsigned from, uint8_t order[NUMA_NODES]);

/* RAM of a node in pages. */
uint64_t numa_pages(const struct numa *n, const struct memmap *map, unsigned node);

#define NUMA_ANY NUMA_NODES

/* The largest piece of RAM that is one range of one node (NUMA_ANY: or of several); empty if none.
 */
struct pfn_range numa_largest(const struct numa *n, const struct memmap *map, unsigned node);

#endif
