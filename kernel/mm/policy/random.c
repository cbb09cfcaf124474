/*
 * random: every free frame (or block) is equally likely.
 *
 * The other baseline: what theory means by random placement without replacement. Frames are
 * drawn uniformly from the whole instance until a free one is met; after TRIES misses one of the
 * free blocks is drawn and its list walked to it. Both are exactly uniform over the blocks that
 * could be delivered, whatever the lists look like. With half of memory free the second way is
 * taken once in 2^64 requests; when little is free, the lists are short.
 */
#include "mm/policy.h"

#define TRIES 64

/* Takes the n-th of the blocks of 2^order frames that larger and equal free blocks consist of. */
static pfn_t take_nth(struct buddy *b, unsigned order, uint64_t n)
{
    for (unsigned k = order; k <= MAX_ORDER; k++) {
        const struct free_list *l = &b->order[k].list[0];
        uint64_t here = (uint64_t)l->count << (k - order);
        if (n >= here) {
            n -= here;
            continue;
        }
        uint32_t nr = l->first;
        for (uint64_t i = n >> (k - order); i; i--)
            nr = *page_next(b->pages, nr);
        uint64_t inside = n & ((1ul << (k - order)) - 1);
        pfn_t p = pfn(page_pfn(b->pages, nr).n + (inside << order));
        return buddy_take(b, p, order) ? p : PFN_NONE;
    }
    return PFN_NONE;
}

static pfn_t pick(struct policy_state *s, const struct place_request *q, color_t *want)
{
    (void)want;
    struct buddy *b = s->buddy;
    for (unsigned i = 0; i < TRIES; i++) {
        uint32_t nr = rng_below(&s->rng, b->pages->count);
        pfn_t p = pfn(align_down(page_pfn(b->pages, nr).n, 1ul << q->order));
        if (buddy_take(b, p, q->order))
            return p;
    }
    uint64_t blocks = 0;
    for (unsigned k = q->order; k <= MAX_ORDER; k++)
        blocks += buddy_blocks(b, k) << (k - q->order);
    return blocks ? take_nth(b, q->order, rng_below(&s->rng, (uint32_t)blocks)) : PFN_NONE;
}

REGISTER(policy, random) = {
    .name = "random",
    .rule = "uniform over all free blocks",
    .source = "the literature's baseline (naive mapping): Kessler and Hill 1992",
    .pick = pick,
};
