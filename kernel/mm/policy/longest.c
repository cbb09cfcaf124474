/*
 * longest: the colour of which most frames are free.
 *
 * Source: Xen's cache colouring, which takes the longest of its lists among the domain's colours.
 * Xen keeps single pages only, so there the list is the count; here free frames inside larger
 * blocks count too. Of equals the lowest colour wins. Looks at every colour: O(N).
 */
#include "mm/policy_state.h"

static size_t state_bytes(const struct color_spec *spec)
{
    return policy_counts_bytes(spec->colors);
}

static color_t want(struct policy_state *s, const struct place_request *q)
{
    (void)q;
    const uint32_t *free = policy_counts(s).free;
    color_t best = 0;
    for (color_t c = 1; c < s->map->colors; c++) {
        if (free[c] > free[best])
            best = c;
    }
    return best;
}

REGISTER(policy, longest) = {
    .name = "longest",
    .rule = "colour with most free frames",
    .source = "Xen, cache colouring",
    .colored = true,
    .want = want,
    .state_bytes = state_bytes,
    .start = policy_counts_start,
    .got = policy_counts_got,
    .freed = policy_counts_freed,
};
