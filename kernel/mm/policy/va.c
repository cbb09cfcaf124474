/*
 * va: page colouring. The wanted colour is the virtual page number modulo the colours.
 *
 * Consecutive pages of a working set up to the size of the cache then never compete with each
 * other. Source: Taylor, Davies, Farmwald 1990 (MIPS, R6000); Kessler and Hill, TOCS 10(4), 1992.
 * va has no per-address-space offset. va_slew adds a constant of the address space, so that
 * programs linked at one address do not all fill the same sets; systems took a hash of the process
 * number, or the number itself (McVoy), ours is policy_slew().
 */
#include "mm/policy_state.h"

static color_t want(struct policy_state *s, const struct place_request *q)
{
    uint64_t page = q->va >> PAGE_SHIFT;
    if (__builtin_expect(s->map->mask != COLOR_NO_MASK, 1))
        return (color_t)page & s->map->mask;
    return (color_t)(page % s->map->colors);
}

static color_t want_slewed(struct policy_state *s, const struct place_request *q)
{
    uint64_t page = (q->va >> PAGE_SHIFT) + policy_slew(q->space, s->map->colors);
    return (color_t)(page % s->map->colors);
}

REGISTER(policy, va) = {
    .name = "va",
    .rule = "colour = virtual page number mod colours",
    .source = "page colouring: Kessler and Hill, TOCS 10(4), 1992",
    .colored = true,
    .want = want,
};

REGISTER(policy, va_slew) = {
    .name = "va_slew",
    .rule = "colour = (virtual page number + a constant of the address space) mod colours",
    .source = "page colouring with a hash of the process",
    .colored = true,
    .want = want_slewed,
};
