/*
 * bestbin: the colour of which this address space has fewest frames; of those, the one of which
 * most are free.
 *
 * Source: best bin, Kessler and Hill, TOCS 10(4), 1992 (their counts per process are ours per
 * address space). Of equals the lowest colour wins; they do not say. Looks at every colour: O(N)
 * per request, and O(2^order) for a block, whose frames are counted one by one.
 */
#include "mm/policy_state.h"

static size_t state_bytes(const struct color_spec *spec)
{
    return policy_counts_bytes(spec->colors);
}

static color_t want(struct policy_state *s, const struct place_request *q)
{
    struct policy_counts n = policy_counts(s);
    const uint32_t *used = n.used + q->space % POLICY_SPACES * s->map->colors;
    color_t best = 0;
    for (color_t c = 1; c < s->map->colors; c++) {
        if (!n.free[c])
            continue;
        if (!n.free[best] || used[c] < used[best] ||
            (used[c] == used[best] && n.free[c] > n.free[best]))
            best = c;
    }
    return best;
}

REGISTER(policy, bestbin) = {
    .name = "bestbin",
    .rule = "colour least used by the address space; of those, the one with most free frames",
    .source = "best bin: Kessler and Hill, TOCS 10(4), 1992",
    .colored = true,
    .want = want,
    .state_bytes = state_bytes,
    .start = policy_counts_start,
    .got = policy_counts_got,
    .freed = policy_counts_freed,
};
