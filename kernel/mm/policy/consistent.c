/*
 * consistent0, consistent1, consistent2: what the tunable consistent_coloring chose on sun4u.
 *
 * Source: Solaris for sun4u: 0 is the virtual page number plus an offset per address space
 * (the default), 1 is the virtual page number alone, so that the colour bits of virtual and
 * physical address agree (what a virtually indexed cache wants), 2 is bin hopping per address
 * space. Deviations: the offset is policy_slew(), and bin hopping starts at that same offset,
 * where Solaris derived both from the address-space object.
 */
#include "mm/policy_state.h"

static color_t want_slewed(struct policy_state *s, const struct place_request *q)
{
    uint64_t page = (q->va >> PAGE_SHIFT) + policy_slew(q->space, s->map->colors);
    return (color_t)(page % s->map->colors);
}

static color_t want_equal(struct policy_state *s, const struct place_request *q)
{
    return (color_t)((q->va >> PAGE_SHIFT) % s->map->colors);
}

static size_t state_bytes(const struct color_spec *spec)
{
    (void)spec;
    return POLICY_TASKS * sizeof(struct policy_task);
}

/* Slots of tasks serve as slots of spaces; numbers start at 1 there. */
static color_t want_next(struct policy_state *s, const struct place_request *q)
{
    bool fresh;
    struct policy_task *t = policy_task(s->own, q->space + 1, &fresh);
    if (fresh)
        t->next = policy_slew(q->space, s->map->colors);
    color_t want = t->next;
    t->next = (want + policy_span(s->map, q->order)) % s->map->colors;
    return want;
}

REGISTER(policy, consistent0) = {
    .name = "consistent0",
    .rule = "colour = (virtual page number + a constant of the address space) mod colours",
    .source = "Solaris sun4u, consistent_coloring=0",
    .colored = true,
    .want = want_slewed,
};

REGISTER(policy, consistent1) = {
    .name = "consistent1",
    .rule = "colour bits of virtual and physical address are equal",
    .source = "Solaris sun4u, consistent_coloring=1",
    .colored = true,
    .want = want_equal,
};

REGISTER(policy, consistent2) = {
    .name = "consistent2",
    .rule = "next colour of the address space, whatever the last request really got",
    .source = "Solaris sun4u, consistent_coloring=2",
    .colored = true,
    .want = want_next,
    .state_bytes = state_bytes,
};
