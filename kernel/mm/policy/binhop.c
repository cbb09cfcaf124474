/*
 * binhop: bin hopping. Each page gets the colour after the one that its task got last.
 *
 * Pages that are touched one after the other, so probably also used together, never compete until
 * all colours have been used. Source: Kessler and Hill, TOCS 10(4), 1992; Digital UNIX. binhop
 * keeps the last colour per task, starting at a random one; binhop_global has one for the whole
 * system. When the fallback had to go to another colour the next page continues from there ("skip
 * empty bins"). A task's memory is a slot of policy_state.h.
 */
#include "mm/policy_state.h"

static size_t state_bytes(const struct color_spec *spec)
{
    (void)spec;
    return POLICY_TASKS * sizeof(struct policy_task);
}

static struct policy_task *task_of(struct policy_state *s, uint32_t pid)
{
    bool fresh;
    struct policy_task *t = policy_task(s->own, pid, &fresh);
    if (fresh)
        t->next = rng_below(&s->rng, s->map->colors);
    return t;
}

static color_t want(struct policy_state *s, const struct place_request *q)
{
    return task_of(s, q->pid)->next;
}

static void move_on(const struct policy_state *s, struct policy_task *t,
                    const struct place_request *q, pfn_t p)
{
    t->next = (color_of(s->map, p) + policy_span(s->map, q->order)) % s->map->colors;
}

static void got(struct policy_state *s, const struct place_request *q, pfn_t p)
{
    move_on(s, task_of(s, q->pid), q, p);
}

static color_t want_global(struct policy_state *s, const struct place_request *q)
{
    (void)q;
    return ((struct policy_task *)s->own)->next;
}

static void got_global(struct policy_state *s, const struct place_request *q, pfn_t p)
{
    move_on(s, s->own, q, p);
}

REGISTER(policy, binhop) = {
    .name = "binhop",
    .rule = "colour after the task's last one",
    .source = "bin hopping per process: Kessler and Hill, TOCS 10(4), 1992; Digital UNIX",
    .colored = true,
    .want = want,
    .state_bytes = state_bytes,
    .got = got,
};

REGISTER(policy, binhop_global) = {
    .name = "binhop_global",
    .rule = "colour after the last one that anybody got",
    .source = "bin hopping, system-wide variant",
    .colored = true,
    .want = want_global,
    .state_bytes = state_bytes,
    .got = got_global,
};
