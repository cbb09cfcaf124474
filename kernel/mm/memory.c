/* One instance of the subject memory: building, allocating by policy, checking. See memory.h. */
#include "mm/memory.h"

#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"

#include <string.h>

/* Purposes of random streams, so that one stream's length does not shift another. */
enum { STREAM_AGE = 1, STREAM_POLICY = 2 };

static void color_maps(const struct setup *s, struct color_map *color, struct color_map *lists)
{
    color_spec_map(&s->color, color);
    if (s->policy->colored)
        *lists = *color;
    else
        color_map_modulo(lists, 1);
}

static size_t state_bytes(const struct setup *s)
{
    return s->policy->state_bytes ? s->policy->state_bytes(&s->color) : 0;
}

int setup_check(const struct setup *s, char *err, size_t err_bytes)
{
    if (s->policy->colored && s->color.colors < 2) {
        ksnprintf(err, err_bytes, "alloc=%s needs colours, and page_color= leaves one",
                  s->policy->name);
        return -TT_EINVAL;
    }
    if (s->policy->pick && s->numa == NUMA_COLOR) {
        ksnprintf(err, err_bytes, "numa=color: alloc=%s picks blocks node by node; valid: on, off",
                  s->policy->name);
        return -TT_EINVAL;
    }
    return s->policy->unfit ? s->policy->unfit(&s->color, err, err_bytes) : 0;
}

/* Parts of the area, each 64-byte aligned, in this order. */
static size_t part(size_t bytes)
{
    return align_up(bytes, 64);
}

size_t memory_bytes(const struct setup *s, const struct topology *t, uint32_t pages)
{
    struct color_map color, lists;
    color_maps(s, &color, &lists);
    return part(pages_bytes(&s->layout, pages)) +
           part(nodes_bytes(topology_nodes(t, s->numa != NUMA_OFF), &lists)) +
           part(account_bytes(&color)) + part(state_bytes(s)) + part(age_bytes(pages));
}

/* ---- allocating, by kind of policy -------------------------------------------------------------
 */

/* A block of this colour from the first of n nodes that has one. */
static pfn_t take(struct memory *m, const uint8_t *node, unsigned n, unsigned order, color_t c)
{
    for (unsigned i = 0; i < n; i++) {
        pfn_t p = buddy_alloc(&m->nodes.lists[node[i]], order, c);
        if (p.n != PFN_NONE.n)
            return p;
    }
    return PFN_NONE;
}

/* The colours that the fallback names, one after the other, until a block covers one. */
static __attribute__((noinline)) pfn_t fall_back(struct memory *m, const uint8_t *node, unsigned n,
                                                 unsigned order, color_t want)
{
    const struct color_map *map = &m->list_color;
    uint32_t classes = map->classes[order], ahead;
    m->account.probes++;
    for (uint32_t i = 1; m->setup->fallback->step(i, classes, &ahead); i++) {
        uint64_t c = want + ((uint64_t)ahead << map->shift[order]);
        pfn_t p = take(m, node, n, order, (color_t)(c % map->colors));
        if (p.n != PFN_NONE.n)
            return p;
        m->account.probes++;
    }
    return PFN_NONE;
}

static __attribute__((noinline)) void account_nodes(struct memory *m, pfn_t p)
{
    account_node(&m->account, nodes_here(&m->nodes), nodes_lists_of(&m->nodes, p)->node);
}

static pfn_t delivered(struct memory *m, color_t want, pfn_t p, unsigned order)
{
    if (p.n == PFN_NONE.n) {
        m->account.failed++;
        return p;
    }
    account_got(&m->account, want, p, order);
    if (__builtin_expect(m->nodes.count > 1, 0))
        account_nodes(m, p);
    return p;
}

/* The rule of enum numa_rule: nodes by themselves, or all at once for every colour. */
static __attribute__((noinline)) pfn_t wanted_on_nodes(struct memory *m, unsigned order,
                                                       color_t want)
{
    unsigned nodes = m->nodes.count, together = m->setup->numa == NUMA_COLOR ? nodes : 1;
    const uint8_t *near = m->nodes.near[nodes_here(&m->nodes)];
    pfn_t p = PFN_NONE;
    for (unsigned i = 0; i < nodes && p.n == PFN_NONE.n; i += together) {
        p = take(m, near + i, together, order, want);
        if (p.n == PFN_NONE.n)
            p = fall_back(m, near + i, together, order, want);
    }
    return p;
}

static __attribute__((noinline)) pfn_t wanted_slowly(struct memory *m, unsigned order, color_t want)
{
    if (__builtin_expect(m->nodes.count > 1, 0))
        return delivered(m, want, wanted_on_nodes(m, order, want), order);
    pfn_t p = buddy_alloc(&m->nodes.lists[0], order, want);
    if (p.n == PFN_NONE.n)
        p = fall_back(m, m->nodes.near[0], 1, order, want);
    return delivered(m, want, p, order);
}

static __attribute__((noinline)) pfn_t any_slowly(struct memory *m, unsigned order)
{
    if (__builtin_expect(m->nodes.count == 1, 1))
        return delivered(m, COLOR_NONE, buddy_alloc(&m->nodes.lists[0], order, 0), order);
    const uint8_t *near = m->nodes.near[nodes_here(&m->nodes)];
    return delivered(m, COLOR_NONE, take(m, near, m->nodes.count, order, 0), order);
}

/*
 * On one node with a mask map the common paths call nothing but the function above, last: so they
 * keep no registers and take a third fewer instructions.
 */
static pfn_t alloc_wanted(struct memory *m, const struct place_request *q)
{
    color_t want = m->setup->policy->want(&m->policy, q);
    unsigned order = q->order;
    uint32_t *got = m->account.got[order];
    const struct buddy_order *o = &m->nodes.lists[0].order[order];
    struct free_list *l = buddy_list(o, want);
    if (__builtin_expect(l->first == PAGE_NR_NONE, 0))
        return wanted_slowly(m, order, want);
    pfn_t p = buddy_take_newest(&m->nodes.lists[0], o, l, order);
    account_hit(&m->account, want, (color_t)p.n & m->color.mask, got);
    return p;
}

static pfn_t alloc_any(struct memory *m, const struct place_request *q)
{
    unsigned order = q->order;
    uint32_t *got = m->account.got[order];
    const struct buddy_order *o = &m->nodes.lists[0].order[order];
    struct free_list *l = buddy_list(o, 0);
    if (__builtin_expect(l->first == PAGE_NR_NONE, 0))
        return any_slowly(m, order);
    pfn_t p = buddy_take_newest(&m->nodes.lists[0], o, l, order);
    account_any(&m->account, (color_t)p.n & m->color.mask, got);
    return p;
}

/* The same with any other map, or with several nodes. */
static pfn_t alloc_wanted_other(struct memory *m, const struct place_request *q)
{
    return wanted_slowly(m, q->order, m->setup->policy->want(&m->policy, q));
}

static pfn_t alloc_any_other(struct memory *m, const struct place_request *q)
{
    return any_slowly(m, q->order);
}

static __attribute__((noinline)) pfn_t pick_on_nodes(struct memory *m,
                                                     const struct place_request *q, color_t *want)
{
    const uint8_t *near = m->nodes.near[nodes_here(&m->nodes)];
    pfn_t p = PFN_NONE;
    for (unsigned i = 0; i < m->nodes.count && p.n == PFN_NONE.n; i++) {
        m->policy.buddy = &m->nodes.lists[near[i]];
        p = m->setup->policy->pick(&m->policy, q, want);
    }
    return p;
}

static pfn_t alloc_picked(struct memory *m, const struct place_request *q)
{
    color_t want = COLOR_NONE;
    pfn_t p = m->nodes.count == 1 ? m->setup->policy->pick(&m->policy, q, &want)
                                  : pick_on_nodes(m, q, &want);
    return delivered(m, want, p, q->order);
}

/* For policies that follow what was delivered. */
static pfn_t alloc_followed(struct memory *m, const struct place_request *q)
{
    const struct policy *policy = m->setup->policy;
    pfn_t p =
        policy->pick ? alloc_picked(m, q) : wanted_slowly(m, q->order, policy->want(&m->policy, q));
    if (p.n != PFN_NONE.n)
        policy->got(&m->policy, q, p);
    return p;
}

/* Freeing where there is more to do than buddy_free() on the lists of the only node. */
static void free_slowly(struct memory *m, pfn_t p, unsigned order)
{
    if (m->setup->policy->freed)
        m->setup->policy->freed(&m->policy, p, order);
    buddy_free(nodes_lists_of(&m->nodes, p), p, order);
}

static void choose_functions(struct memory *m)
{
    const struct policy *policy = m->setup->policy;
    bool plain = m->color.mask != COLOR_NO_MASK && m->nodes.count == 1;
    m->free = policy->freed || m->nodes.count > 1 ? free_slowly : NULL;
    if (policy->got)
        m->alloc = alloc_followed;
    else if (policy->pick)
        m->alloc = alloc_picked;
    else if (policy->want)
        m->alloc = plain ? alloc_wanted : alloc_wanted_other;
    else
        m->alloc = plain ? alloc_any : alloc_any_other;
}

void memory_build(struct memory *m, const struct setup *s, const struct subject *on, uint64_t seed)
{
    const struct topology *t = &on->topology;
    bool apart = s->numa != NUMA_OFF;
    check(1, memory_bytes(s, t, on->pages) <= on->area_bytes);
    m->setup = s;
    m->operations = 0;
    color_maps(s, &m->color, &m->list_color);

    char *at = on->area;
    pages_init(&m->pages, &s->layout, at, on->range, on->range_count, apart ? t->numa : NULL);
    at += part(pages_bytes(&s->layout, on->pages));
    nodes_init(&m->nodes, &m->pages, t, apart, &m->list_color, at);
    at += part(nodes_bytes(m->nodes.count, &m->list_color));
    account_init(&m->account, &m->color, at);
    at += part(account_bytes(&m->color));
    m->policy = (struct policy_state){
        .map = &m->color,
        .spec = &s->color,
        .buddy = &m->nodes.lists[0],
        .rng = rng_stream(seed, STREAM_POLICY),
        .own = at,
    };
    memset(at, 0, state_bytes(s));
    at += part(state_bytes(s));
    choose_functions(m);

    nodes_add_all(&m->nodes);
    age_run(&m->nodes, &s->age, rng_stream(seed, STREAM_AGE), (uint32_t *)at);
    if (s->policy->start)
        s->policy->start(&m->policy);
}

const char *memory_check(struct memory *m)
{
    const char *broken = pages_check(&m->pages);
    if (!broken)
        broken = nodes_check(&m->nodes);
    if (!broken)
        broken = account_check(&m->account);
    return broken;
}

void memory_recheck(struct memory *m)
{
    if (CHECK < 3 && ++m->operations < 4096)
        return;
    m->operations = 0;
    const char *broken = memory_check(m);
    if (broken)
        panic("after an operation on an instance of %s: %s", m->setup->policy->name, broken);
}
