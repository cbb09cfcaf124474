/*
 * random: every free frame (or block) is equally likely.
 *
 * The other baseline: what theory means by random placement without replacement. Frames are
 * drawn uniformly from the whole instance until a free one is met, so the choice is exactly
 * uniform over free blocks whatever the lists look like. After TRIES misses, which at 1% free
 * happens once in 10^11 allocations, it takes the first free block upwards from a random frame,
 * which is slightly biased; the bound keeps it from running forever when memory is full.
 */
#include "mm/policy.h"

#define TRIES 2500 /* 0.99^2500 = 1.2e-11 */

static pfn_t pick(struct policy_state *s, const struct place_request *q, color_t *want)
{
    (void)want;
    struct pages *pages = s->buddy->pages;
    uint64_t size = 1ul << q->order;
    if (buddy_free_pages(s->buddy) < size)
        return PFN_NONE;
    uint32_t nr = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        nr = rng_below(&s->rng, pages->count);
        pfn_t p = pfn(align_down(page_pfn(pages, nr).n, size));
        if (buddy_take(s->buddy, p, q->order))
            return p;
    }
    for (uint32_t i = 0; i < pages->count; i++, nr++) {
        pfn_t p = pfn(align_down(page_pfn(pages, nr % pages->count).n, size));
        if (buddy_take(s->buddy, p, q->order))
            return p;
    }
    return PFN_NONE;
}

REGISTER(policy, random) = {
    .name = "random",
    .rule = "uniform over all free blocks",
    .source = "the literature's baseline (naive mapping): Kessler and Hill 1992",
    .pick = pick,
};
