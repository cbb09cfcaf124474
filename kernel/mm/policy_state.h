/*
 * What several policies remember: something per task, a colour offset per address space, and how
 * many frames of each colour are free or in use by an address space.
 *
 * State has a fixed size, so tasks and spaces share slots modulo a power of two. A task that finds
 * another's slot starts anew, as a new task would; spaces that share a slot count together.
 */
#ifndef TT_MM_POLICY_STATE_H
#define TT_MM_POLICY_STATE_H

#include "mm/policy.h"

#define POLICY_TASKS  64
#define POLICY_SPACES 16

struct policy_task {
    uint32_t pid; /* 0: nobody's yet */
    color_t next; /* the policy's own */
};

/* The slot of a task; *fresh: it was another's, or nobody's, until now. */
static inline struct policy_task *policy_task(struct policy_task *tasks, uint32_t pid, bool *fresh)
{
    struct policy_task *t = &tasks[pid % POLICY_TASKS];
    *fresh = t->pid != pid;
    t->pid = pid;
    return t;
}

/*
 * A constant of the address space that spreads spaces over any number of colours: multiplicative
 * hashing with 2^32 / golden ratio; space 0 has none.
 */
static inline color_t policy_slew(uint32_t space, uint32_t colors)
{
    return (color_t)((uint64_t)(space * 0x9e3779b1u) * colors >> 32);
}

/* Colours that one block of an order spans when it is asked for by colour. */
static inline color_t policy_span(const struct color_map *map, unsigned order)
{
    return (color_t)1 << map->shift[order];
}

/*
 * Frames by colour: free ones, and those in use by each slot of spaces. A frame's space is kept in
 * its descriptor's `mapping`, where kernels keep it. Blocks above order 0 are counted frame by
 * frame: O(2^order).
 */
struct policy_counts {
    uint32_t *free; /* [colors] */
    uint32_t *used; /* [POLICY_SPACES][colors] */
};

size_t policy_counts_bytes(uint32_t colors);
struct policy_counts policy_counts(const struct policy_state *s);

/* Counts what is free now. */
void policy_counts_start(struct policy_state *s);

/* The same by hook: one frame's colour and slot, taken (by +1) or given back (by -1). */
typedef void (*policy_count_frame)(struct policy_state *s, color_t c, unsigned slot, int by);
void policy_each_got(struct policy_state *s, const struct place_request *q, pfn_t p,
                     policy_count_frame count);
void policy_each_freed(struct policy_state *s, pfn_t p, unsigned order, policy_count_frame count);

/* got and freed of a policy that needs the arrays only. */
void policy_counts_got(struct policy_state *s, const struct place_request *q, pfn_t p);
void policy_counts_freed(struct policy_state *s, pfn_t p, unsigned order);

#endif
