/*
 * Placement policies: which colour a new page should have, and what to do when there is none.
 *
 * A policy is one file in kernel/mm/policy/ that registers a const record; its header comment
 * names the rule, the source, and where we deviate. A policy only chooses: splitting, merging
 * and accounting are the same for all (mm/buddy.h, mm/memory.h). All hooks but one of want and
 * pick are optional, and what a policy does not use costs its instance nothing.
 */
#ifndef TT_MM_POLICY_H
#define TT_MM_POLICY_H

#include "core/registry.h"
#include "core/rng.h"
#include "mm/buddy.h"
#include "mm/color_spec.h"

/* One request for memory: what a fault handler knows. */
struct place_request {
    uintptr_t va;   /* address that will map the block */
    uint32_t space; /* number of the address space, from 0 */
    uint32_t pid;   /* of the task, from 1 */
    unsigned order;
};

/* State of one instance's policy. `own` holds policy->state_bytes(spec) bytes, zeroed. */
struct policy_state {
    const struct color_map *map;   /* the coloured cache: what want() answers in */
    const struct color_spec *spec; /* where it came from: the caches of a level with several */
    struct buddy *buddy;           /* of the node to pick from; its pages are of all nodes */
    struct rng rng;                /* a stream of its own, from the instance's seed */
    void *own;
};

/* A number that a policy keeps about itself, for the log. */
struct policy_counter {
    const char *name;
    uint64_t value;
};
#define POLICY_COUNTERS_MAX 4

struct policy {
    const char *name;
    const char *rule;   /* one line, for run=list and README */
    const char *source; /* who described or posted it */
    bool colored;       /* lists by colour; otherwise one list per order */
    /*
     * The colour this request should get. NULL in a policy that is not colored. Without state_bytes
     * it looks at the request alone: several CPUs may ask at once.
     */
    color_t (*want)(struct policy_state *s, const struct place_request *q);
    /*
     * Picks a block of s->buddy by itself instead, without the fallback; PFN_NONE when there is
     * none: then it is asked for the next nearest node. *want, COLOR_NONE at the first call,
     * becomes the colour that it tried first, if it had one.
     */
    pfn_t (*pick)(struct policy_state *s, const struct place_request *q, color_t *want);

    size_t (*state_bytes)(const struct color_spec *spec);
    /* Once, when the instance is built and aged. */
    void (*start)(struct policy_state *s);
    /* The request was served by the block at p, by the policy or the fallback. */
    void (*got)(struct policy_state *s, const struct place_request *q, pfn_t p);
    /* The block at p is about to be freed. */
    void (*freed)(struct policy_state *s, pfn_t p, unsigned order);

    /* Fills out[0..POLICY_COUNTERS_MAX); returns how many. */
    unsigned (*counters)(const struct policy_state *s, struct policy_counter *out);
    /* 0, or -TT_EINVAL with the reason in err why it cannot work with these colours. */
    int (*unfit)(const struct color_spec *spec, char *err, size_t err_bytes);
};
DECLARE_REGISTRY(policy);

/*
 * What to try when no free block covers the wanted colour: the i-th try, i = 1, 2, ..., steps
 * away from the wanted colour, in units of the block's span of colours, on a circle of `classes`
 * positions. Ends at the first i for which it returns false.
 */
struct fallback {
    const char *name;
    const char *rule;
    bool (*step)(uint32_t i, uint32_t classes, uint32_t *ahead);
};
DECLARE_REGISTRY(fallback);

/* By name, NULL if there is none. */
const struct policy *policy_named(const char *name);
const struct fallback *fallback_named(const char *name);

#endif
