/*
 * Per-CPU page lists: what each CPU keeps of free blocks for itself, in front of the free lists of
 * an instance (mm/memory.h), so that those and their lock are visited once for many pages.
 *
 * A list per CPU, order and colour class, newest first. An empty one is refilled with `batch`
 * blocks, one that reaches `high` gives `batch` back (Linux 2.5.40's scheme; by colour as its
 * author announced for page colouring). When the instance has nothing left, the lists of all CPUs
 * are drained and it is tried once more. To the instance's checks a block on such a list is in use.
 *
 * The policy is asked for a colour under the instance's lock; a policy that picks blocks by itself
 * has no lists. Blocks that pass through here are not accounted by colour.
 */
#ifndef TT_MM_PCP_H
#define TT_MM_PCP_H

#include "core/cpu.h"
#include "core/lock.h"
#include "mm/memory.h"

#define PCP_ORDER_MAX 3 /* blocks above it are rare, and a batch of them large */

struct pcp_list {
    uint32_t first; /* descriptor number; PAGE_NR_NONE when empty */
    uint32_t count;
};

struct pcp_cpu {
    struct lock lock; /* over this CPU's lists: its own, but when somebody drains */
    struct pcp_list *list[PCP_ORDER_MAX + 1]; /* by class of that order */
} __attribute__((aligned(128)));

struct pcp {
    struct memory *memory;                          /* constant */
    unsigned cpus;                                  /* constant */
    unsigned batch, high;                           /* constant, batch <= high */
    struct lock lock __attribute__((aligned(128))); /* over the instance; after a CPU's own */
    struct pcp_cpu cpu[CPU_MAX];
};

/* Bytes of lists for an instance. */
size_t pcp_bytes(const struct memory *m, unsigned cpus);

/* Empty lists of CPUs 0 to cpus - 1; lists: pcp_bytes(), aligned to 128. batch >= 1. */
void pcp_init(struct pcp *p, struct memory *m, unsigned cpus, unsigned batch, unsigned high,
              void *lists);

/* From and to the lists of the CPU that calls; any CPU may free what another one got. */
pfn_t pcp_alloc(struct pcp *p, const struct place_request *q);
void pcp_free(struct pcp *p, pfn_t block, unsigned order);

/* Gives everything back to the instance. Any CPU may. */
void pcp_drain(struct pcp *p);

/* Every list: counts, links, blocks in use and of the right order and class; NULL, or what is
 * broken. Nobody may be allocating. */
const char *pcp_check(struct pcp *p);

#endif
