/*
 * The colour accounting of a whole experiment: summed over blocks, per level, as alloc records.
 */
#ifndef TT_LAB_ACCOUNT_LOG_H
#define TT_LAB_ACCOUNT_LOG_H

#include "mm/memory.h"

struct account_sum {
    struct account total; /* arrays of its own; got[0]: frames by their own colours */
    uint64_t frames;      /* sum of got[0] */
    unsigned nodes;       /* of the instances */
    unsigned counters;    /* numbers that the policy keeps about itself */
    struct policy_counter counter[POLICY_COUNTERS_MAX];
    uint32_t free_blocks[MAX_ORDER + 1]; /* by order, of the last instance before the workload */
    const char *experiment, *level;
};

/* Starts a level's sum for a colour map; 0, or -TT_ENOMEM. */
int account_sum_init(struct account_sum *s, const struct color_map *map, const char *experiment,
                     const char *level);
/* Adds what an instance counted since it was built. */
void account_sum_add(struct account_sum *s, struct memory *m);
void account_sum_free(struct account_sum *s);

/* Writes the sum as alloc records: the totals; wanted and got by node where there are several; the
 * policy's counters; free blocks by order; wanted and got by colour. */
void account_sum_write(struct account_sum *s);

/*
 * Prints an instance in the layout of the posted patch's /proc/page_color: colours, hits (all
 * successful allocations), misses (colours probed in vain), pages allocated, then one row per
 * order with the length of every list. A policy with counters of these names has the last word.
 */
void account_print_proc(struct memory *m);

#endif
