/*
 * posted: bin hopping per task exactly as in Jason Papadopoulos' page_color patches, 2001 to 2003.
 *
 * Each task has a target colour, set to a random one when the task's number is not the one it was
 * set for (so a forked child starts anew). A request rounds the target up to its block's span, and
 * probes that colour from the request's order upwards, then the next adjacent one, and so on. The
 * target becomes the colour after the one delivered. The generator is his: Marsaglia's multiply
 * with carry, never reseeded. `hits` counts every success, also of the wrong colour, and `misses`
 * every colour probed in vain: their quotient is not a hit rate. With page_color=posted:KB the
 * number of colours is his too (ways ignored).
 *
 * Not reproduced: the count bug of the version for 2.4.17 (and of the port to 2.4.19-pre10). Its
 * free path took one off a list's count for every buddy merged and never added one for the block
 * put on a list. Once a count had run below zero, the check "is anything of this order left" was
 * true for good, and the search spun with the zone locked and interrupts off. Our free lists have
 * two doors, each of which moves the count; tests/unit/test_mm_policy.c breaks one in that way and
 * shows that buddy_check sees it.
 *
 * Deviations: colours come from the physical frame number, not from the offset in the zone; the
 * search ends after one round; task state is a slot (policy_state.h) where his was in the task;
 * a colour map other than modulo a power of two, which is all that he had, steps by the span of a
 * class.
 * Source: the patches for 2.2.20 and 2.4.17; see README for the announcements.
 */
#include "mm/policy_state.h"

struct posted {
    uint32_t seed, carry;
    uint64_t hits, misses;
    struct policy_task task[POLICY_TASKS];
};

static size_t state_bytes(const struct color_spec *spec)
{
    (void)spec;
    return sizeof(struct posted);
}

static void start(struct policy_state *s)
{
    struct posted *p = s->own;
    p->seed = 0x89abcdef; /* his initial values, the same at every boot */
    p->carry = 0x01234567;
}

static uint32_t draw(struct posted *p)
{
    uint64_t product = (uint64_t)p->seed * 2131995753 + p->carry;
    p->seed = (uint32_t)product;
    p->carry = (uint32_t)(product >> 32);
    return p->seed;
}

static pfn_t pick(struct policy_state *s, const struct place_request *q, color_t *want)
{
    struct posted *p = s->own;
    uint32_t colors = s->map->colors, span = policy_span(s->map, q->order);
    bool fresh;
    struct policy_task *task = policy_task(p->task, q->pid, &fresh);
    if (fresh)
        task->next = draw(p) % colors;

    uint32_t target = (task->next + span - 1) & ~(span - 1);
    *want = target % colors;
    for (uint32_t tried = 0; tried < colors; tried++, target += span) {
        pfn_t block = buddy_alloc(s->buddy, q->order, target % colors);
        if (block.n != PFN_NONE.n) {
            task->next = (target + span) % colors;
            p->hits++;
            p->misses += tried;
            return block;
        }
    }
    return PFN_NONE; /* nothing of this order or above is left: he returned before counting */
}

static unsigned counters(const struct policy_state *s, struct policy_counter *out)
{
    const struct posted *p = s->own;
    out[0] = (struct policy_counter){"hits", p->hits};
    out[1] = (struct policy_counter){"misses", p->misses};
    return 2;
}

REGISTER(policy, posted) = {
    .name = "posted",
    .rule =
        "bin hopping per task as posted: own generator, target rounded up, next colour on a miss",
    .source = "Jason Papadopoulos, page_color for Linux 2.2.20 and 2.4.17",
    .colored = true,
    .pick = pick,
    .state_bytes = state_bytes,
    .start = start,
    .counters = counters,
};
