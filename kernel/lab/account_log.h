/*
 * The colour accounting of a whole experiment: summed over blocks, per level, as alloc records.
 */
#ifndef TT_LAB_ACCOUNT_LOG_H
#define TT_LAB_ACCOUNT_LOG_H

#include "mm/memory.h"

struct account_sum {
    struct account total;                /* its arrays are the sum's own */
    uint32_t free_blocks[MAX_ORDER + 1]; /* by order, of the last instance before the workload */
    const char *experiment, *level;
};

/* Starts a level's sum for a colour map; 0, or -TT_ENOMEM. */
int account_sum_init(struct account_sum *s, const struct color_map *map, const char *experiment,
                     const char *level);
void account_sum_add(struct account_sum *s, const struct account *a);
void account_sum_free(struct account_sum *s);

/* Writes the sum as alloc records: the totals; free blocks by order; wanted and got by colour. */
void account_sum_write(struct account_sum *s);

/*
 * Prints an instance in the layout of the posted patch's /proc/page_color: colours, hits (all
 * successful allocations), misses (colours probed in vain), pages allocated, then one row per
 * order with the length of every list.
 */
void account_print_proc(const struct memory *m);

#endif
