/*
 * va: page colouring. The wanted colour is the virtual page number modulo the colours.
 *
 * Consecutive pages of a working set up to the size of the cache then never compete with each
 * other. Source: Taylor, Davies, Farmwald 1990 (MIPS, R6000); Kessler and Hill, TOCS 10(4), 1992.
 * No per-address-space offset.
 */
#include "mm/policy.h"

static color_t want(struct policy_state *s, const struct place_request *q)
{
    return (color_t)((q->va >> PAGE_SHIFT) % s->map->colors);
}

REGISTER(policy, va) = {
    .name = "va",
    .rule = "colour = virtual page number mod colours",
    .source = "page colouring: Kessler and Hill, TOCS 10(4), 1992",
    .colored = true,
    .want = want,
};
