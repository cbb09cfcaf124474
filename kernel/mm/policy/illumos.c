/*
 * illumos: page colouring with an offset per address space, as on illumos' x86.
 *
 * Source: AS_2_BIN in illumos' x86 kernel: ((address >> PAGESHIFT) + (as >> 4)) & mask.
 * When the bin is empty it goes 19 further and from there one by one, because a neighbouring
 * colour would collide with the page's neighbours in virtual memory: that is empty=skip19, a choice
 * of its own here. Deviation: we have no pointer to an address-space object; its number times 256
 * bytes, a plausible size of one, stands for it, so consecutive spaces are 16 colours apart.
 */
#include "mm/policy_state.h"

#define SPACE_BYTES 256

static color_t want(struct policy_state *s, const struct place_request *q)
{
    uint64_t slew = (uint64_t)q->space * SPACE_BYTES >> 4;
    return (color_t)(((q->va >> PAGE_SHIFT) + slew) % s->map->colors);
}

REGISTER(policy, illumos) = {
    .name = "illumos",
    .rule =
        "colour = (virtual page number + 16 * address space) mod colours; use with empty=skip19",
    .source = "illumos, x86 AS_2_BIN",
    .colored = true,
    .want = want,
};
