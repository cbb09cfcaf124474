/*
 * Per-CPU page lists: what each CPU keeps of free blocks for itself, in front of the free lists of
 * every node (mm/nodes.h), so that those and their locks are visited once for many pages. pcp=
 *
 * A list per CPU, node, order and colour class, of blocks that cover that class. An empty one is
 * refilled with `batch` pages, which it hands out in the order in which the node gave them; what
 * is freed goes in front, onto a list of the CPU that frees, and a list that reaches `high` pages
 * gives `batch` back to its node (Linux 2.5.40's scheme; by colour as its author announced for page
 * colouring). Both are as many pages in larger blocks, or one block, as in Linux since 5.13: each
 * block of one colour is split off a large one of its own, so 16 of order 3 would break up 16. When
 * a node has no block of the wanted colour, all CPUs' lists of that colour are drained before
 * another colour is taken; when nothing acceptable is left, all lists are. That goes by the lists'
 * locks and interrupts nobody, as Linux does it since 6.0: a CPU that is busy, or gone, holds
 * nobody up.
 *
 * To the nodes' checks a block on such a list is in use; with CHECK >= 1 it is PAGE_LISTED, so that
 * a second free is seen. mm/memory.c calls this and accounts; nobody else should.
 *
 * Locks, in this order: [c] the CPU's own, [n] a node's. Where CPUs have lists, the free lists of a
 * node are touched under [n] only.
 */
#ifndef TT_MM_PCP_H
#define TT_MM_PCP_H

#include "core/lock.h"
#include "mm/nodes.h"

#define PCP_ORDER_MAX 3    /* blocks above it are rare, and a batch of them large */
#define PCP_HIGH_MAX  4096 /* 16 MiB of pages on one list: beyond anything that was ever used */

/* One level of pcp=. batch 0: no lists. */
struct pcp_spec {
    unsigned batch, high;
    bool automatic; /* as the experiment has it; whoever runs it decides */
};

/* "auto", "off" or "BATCH:HIGH"; 0, or -TT_EINVAL with what would be valid. */
int pcp_parse(const char *s, struct pcp_spec *out, char *err, size_t err_bytes);

struct pcp_list {
    uint32_t first; /* descriptor number; PAGE_NR_NONE when empty */
    uint32_t count;
};

struct pcp_cpu {
    struct lock lock; /* [c] its own, but when somebody drains */
    uint32_t blocks;  /* [c] on all its lists */
    struct pcp_list *list[NUMA_NODES][PCP_ORDER_MAX + 1]; /* constant; [class] of that order: [c] */
} __attribute__((aligned(128)));

struct pcp_node {
    struct lock lock; /* [n] */
} __attribute__((aligned(128)));

struct pcp {
    struct nodes *nodes;         /* constant */
    const struct color_map *map; /* constant: of the nodes' lists */
    unsigned cpus;               /* constant */
    unsigned batch, high;        /* constant, pages; 1 <= batch <= high; batch 0: no lists */
    struct pcp_node node[NUMA_NODES];
    struct pcp_cpu cpu[CPU_MAX];
};

/* Bytes of lists of so many CPUs and nodes. */
size_t pcp_bytes(unsigned cpus, unsigned nodes, const struct color_map *map);

/* Empty lists of CPUs 0 to cpus - 1; memory: pcp_bytes(), aligned to 128. */
void pcp_init(struct pcp *p, const struct pcp_spec *s, unsigned cpus, struct nodes *nodes,
              const struct color_map *map, void *memory);

/* Takes the lock of the CPU that calls, interrupts off; returns what pcp_leave() wants back. */
unsigned long pcp_enter(struct pcp *p);
void pcp_leave(struct pcp *p, unsigned long irq);

/*
 * A block from this CPU's list of a node, which is refilled if need be; above PCP_ORDER_MAX from
 * the node itself. PFN_NONE when neither has one that covers the colour. Between enter and leave.
 */
pfn_t pcp_take(struct pcp *p, unsigned node, unsigned order, color_t color);

/* Any CPU may free what another one got. Not between enter and leave, as everything below. */
void pcp_free(struct pcp *p, pfn_t block, unsigned order);

/* Gives what all CPUs' lists of this colour keep back to the nodes. Any CPU may. O(CPUs). */
void pcp_drain_color(struct pcp *p, color_t color);

/* Gives everything on all CPUs' lists back to the nodes. Any CPU may. */
void pcp_drain(struct pcp *p);

/* Takes all locks, so that nobody changes anything until pcp_thaw(). */
unsigned long pcp_freeze(struct pcp *p);
void pcp_thaw(struct pcp *p, unsigned long irq);

/* Every list: counts, links, blocks in use and of the right node, order and class; NULL, or what is
 * broken. Frozen, or nobody is allocating. */
const char *pcp_check(struct pcp *p);

#endif
