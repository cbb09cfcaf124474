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
    if (s->page_order && s->color.kind == COLOR_TABLE) {
        ksnprintf(err, err_bytes, "pages=: page_color=probe knows the colours of small pages only");
        return -TT_EINVAL;
    }
    if (s->policy->pick && s->numa == NUMA_COLOR) {
        ksnprintf(err, err_bytes, "numa=color: alloc=%s picks blocks node by node; valid: on, off",
                  s->policy->name);
        return -TT_EINVAL;
    }
    if (s->policy->pick && s->pcp.batch) {
        ksnprintf(err, err_bytes, "pcp=%u:%u: alloc=%s picks blocks past any lists; valid: off",
                  s->pcp.batch, s->pcp.high, s->policy->name);
        return -TT_EINVAL;
    }
    return s->policy->unfit ? s->policy->unfit(&s->color, err, err_bytes) : 0;
}

/* Parts of the area, each on lines of its own (mm/pcp.h asks for 128 bytes), in this order. */
static size_t part(size_t bytes)
{
    return align_up(bytes, 128);
}

static unsigned cpus_of(const struct topology *t)
{
    return t->cpus ? t->cpus : 1;
}

/* Of the descriptors, in the area. */
static size_t descriptor_bytes(const struct setup *s, const struct topology *t, uint32_t pages)
{
    return memory_by_node(s, t) ? 0 : part(pages_bytes(&s->layout, pages));
}

size_t memory_bytes(const struct setup *s, const struct topology *t, uint32_t pages)
{
    struct color_map color, lists;
    color_maps(s, &color, &lists);
    unsigned nodes = topology_nodes(t, s->numa != NUMA_OFF), cpus = s->pcp.batch ? cpus_of(t) : 0;
    return descriptor_bytes(s, t, pages) + part(nodes_bytes(nodes, &lists)) +
           (1 + cpus) * part(account_bytes(&color)) + part(pcp_bytes(cpus, nodes, &lists)) +
           part(s->cache.tables_bytes) + part(state_bytes(s)) + part(age_bytes(pages));
}

/* ---- allocating, by kind of policy -------------------------------------------------------------
 */

/* A block of this colour from the first of n nodes that has one. */
static pfn_t take(struct memory *m, const uint8_t *node, unsigned n, unsigned order, color_t c)
{
    for (unsigned i = 0; i < n; i++) {
        pfn_t p = m->pcp.batch ? pcp_take(&m->pcp, node[i], order, c)
                               : buddy_alloc(&m->nodes.lists[node[i]], order, c);
        if (p.n != PFN_NONE.n)
            return p;
    }
    return PFN_NONE;
}

/* The colours that the fallback names, one after the other, until a block covers one. */
static __attribute__((noinline)) pfn_t fall_back(struct memory *m, struct account *a,
                                                 const uint8_t *node, unsigned n, unsigned order,
                                                 color_t want)
{
    const struct color_map *map = &m->list_color;
    uint32_t classes = map->classes[order], ahead;
    a->probes++;
    for (uint32_t i = 1; m->setup->fallback->step(i, classes, &ahead); i++) {
        uint64_t c = want + ((uint64_t)ahead << map->shift[order]);
        pfn_t p = take(m, node, n, order, (color_t)(c % map->colors));
        if (p.n != PFN_NONE.n)
            return p;
        a->probes++;
    }
    return PFN_NONE;
}

static __attribute__((noinline)) void account_nodes(struct memory *m, struct account *a, pfn_t p)
{
    account_node(a, nodes_here(&m->nodes), nodes_lists_of(&m->nodes, p)->node);
}

static pfn_t delivered(struct memory *m, struct account *a, color_t want, pfn_t p, unsigned order)
{
    if (p.n == PFN_NONE.n) {
        a->failed++;
        return p;
    }
    account_got(a, want, p, order);
    if (__builtin_expect(m->nodes.count > 1, 0))
        account_nodes(m, a, p);
    return p;
}

/* The rule of enum numa_rule: nodes by themselves, or all at once for every colour. */
static __attribute__((noinline)) pfn_t wanted_on_nodes(struct memory *m, struct account *a,
                                                       unsigned order, color_t want)
{
    unsigned nodes = m->nodes.count, together = m->setup->numa == NUMA_COLOR ? nodes : 1;
    const uint8_t *near = m->nodes.near[nodes_here(&m->nodes)];
    pfn_t p = PFN_NONE;
    for (unsigned i = 0; i < nodes && p.n == PFN_NONE.n; i += together) {
        p = take(m, near + i, together, order, want);
        if (p.n == PFN_NONE.n)
            p = fall_back(m, a, near + i, together, order, want);
    }
    return p;
}

static pfn_t any_on_nodes(struct memory *m, unsigned order)
{
    return take(m, m->nodes.near[nodes_here(&m->nodes)], m->nodes.count, order, 0);
}

static __attribute__((noinline)) pfn_t wanted_slowly(struct memory *m, unsigned order, color_t want)
{
    struct account *a = &m->account;
    if (__builtin_expect(m->nodes.count > 1, 0))
        return delivered(m, a, want, wanted_on_nodes(m, a, order, want), order);
    pfn_t p = buddy_alloc(&m->nodes.lists[0], order, want);
    if (p.n == PFN_NONE.n)
        p = fall_back(m, a, m->nodes.near[0], 1, order, want);
    return delivered(m, a, want, p, order);
}

static __attribute__((noinline)) pfn_t any_slowly(struct memory *m, unsigned order)
{
    pfn_t p = __builtin_expect(m->nodes.count > 1, 0) ? any_on_nodes(m, order)
                                                      : buddy_alloc(&m->nodes.lists[0], order, 0);
    return delivered(m, &m->account, COLOR_NONE, p, order);
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
    return delivered(m, &m->account, want, p, q->order);
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

/* ---- with per-CPU lists ------------------------------------------------------------------------
 */

/* A policy without state answers by the request alone, on all CPUs at once. */
static color_t wish(struct memory *m, const struct place_request *q)
{
    const struct policy *policy = m->setup->policy;
    if (!policy->want)
        return COLOR_NONE;
    if (!policy->state_bytes)
        return policy->want(&m->policy, q);
    unsigned long irq = lock_take_irq(&m->lock);
    color_t want = policy->want(&m->policy, q);
    lock_drop_irq(&m->lock, irq);
    return want;
}

/* A block of the colour from where the rule of enum numa_rule looks first. */
static pfn_t take_wanted(struct memory *m, unsigned order, color_t want)
{
    const uint8_t *near = m->nodes.near[nodes_here(&m->nodes)];
    return take(m, near, m->setup->numa == NUMA_COLOR ? m->nodes.count : 1, order, want);
}

/* Between pcp_enter and pcp_leave, and left and entered in between: a drain takes all CPUs' locks.
 */
static pfn_t search(struct memory *m, struct account *a, unsigned order, color_t want,
                    unsigned long *irq)
{
    pfn_t p = want == COLOR_NONE ? any_on_nodes(m, order) : take_wanted(m, order, want);
    if (p.n == PFN_NONE.n && want != COLOR_NONE) {
        pcp_leave(&m->pcp, *irq);
        pcp_drain_color(&m->pcp, want);
        *irq = pcp_enter(&m->pcp);
        p = wanted_on_nodes(m, a, order, want);
    }
    if (p.n == PFN_NONE.n) {
        pcp_leave(&m->pcp, *irq);
        pcp_drain(&m->pcp);
        *irq = pcp_enter(&m->pcp);
        p = want == COLOR_NONE ? any_on_nodes(m, order) : wanted_on_nodes(m, a, order, want);
    }
    return p;
}

static pfn_t alloc_from_cpu(struct memory *m, const struct place_request *q)
{
    color_t want = wish(m, q);
    struct account *a = &this_of(m->cpu_account);
    unsigned long irq = pcp_enter(&m->pcp);
    pfn_t p = delivered(m, a, want, search(m, a, q->order, want, &irq), q->order);
    pcp_leave(&m->pcp, irq);
    if (m->setup->policy->got && p.n != PFN_NONE.n) {
        irq = lock_take_irq(&m->lock);
        m->setup->policy->got(&m->policy, q, p);
        lock_drop_irq(&m->lock, irq);
    }
    return p;
}

static void free_to_cpu(struct memory *m, pfn_t p, unsigned order)
{
    if (m->setup->policy->freed) {
        unsigned long irq = lock_take_irq(&m->lock);
        m->setup->policy->freed(&m->policy, p, order);
        lock_drop_irq(&m->lock, irq);
    }
    pcp_free(&m->pcp, p, order);
}

pfn_t memory_alloc_shared(struct memory *m, const struct place_request *q)
{
    if (m->pcp.batch)
        return memory_alloc(m, q);
    unsigned long irq = lock_take_irq(&m->lock);
    pfn_t p = memory_alloc(m, q);
    lock_drop_irq(&m->lock, irq);
    return p;
}

void memory_free_shared(struct memory *m, pfn_t p, unsigned order)
{
    if (m->pcp.batch) {
        memory_free(m, p, order);
        return;
    }
    unsigned long irq = lock_take_irq(&m->lock);
    memory_free(m, p, order);
    lock_drop_irq(&m->lock, irq);
}

/* ---- building ----------------------------------------------------------------------------------
 */

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
    if (m->pcp.batch) {
        m->alloc = alloc_from_cpu;
        m->free = free_to_cpu;
    } else if (policy->got) {
        m->alloc = alloc_followed;
    } else if (policy->pick) {
        m->alloc = alloc_picked;
    } else if (policy->want) {
        m->alloc = plain ? alloc_wanted : alloc_wanted_other;
    } else {
        m->alloc = plain ? alloc_any : alloc_any_other;
    }
}

/* The CPUs' lists and accounts; returns the end of what they need. */
static char *build_cpus(struct memory *m, const struct topology *t, char *at)
{
    m->pcp.batch = 0;
    m->lock = LOCK_INIT("instance");
    if (!m->setup->pcp.batch)
        return at;
    unsigned cpus = cpus_of(t);
    pcp_init(&m->pcp, &m->setup->pcp, cpus, &m->nodes, &m->list_color, at);
    at += part(pcp_bytes(cpus, m->nodes.count, &m->list_color));
    for (unsigned i = 0; i < cpus; i++, at += part(account_bytes(&m->color)))
        account_init(&cpu_of(m->cpu_account, i), &m->color, at);
    return at;
}

void memory_build(struct memory *m, const struct setup *s, const struct subject *on, uint64_t seed)
{
    const struct topology *t = &on->topology;
    bool apart = s->numa != NUMA_OFF;
    check(1, memory_bytes(s, t, on->pages) <= on->area_bytes);
    m->setup = s;
    m->operations = 0;
    color_maps(s, &m->color, &m->list_color);

    pages_init(&m->pages, &s->layout, memory_descriptors(s, on), on->range, on->range_count,
               apart ? t->numa : NULL);
    char *at = (char *)on->area + descriptor_bytes(s, t, on->pages);
    nodes_init(&m->nodes, &m->pages, t, apart, &m->list_color, at);
    at += part(nodes_bytes(m->nodes.count, &m->list_color));
    account_init(&m->account, &m->color, at);
    at += part(account_bytes(&m->color));
    at = build_cpus(m, t, at);
    m->tables = at;
    memset(m->tables, 0, s->cache.tables_bytes);
    at += part(s->cache.tables_bytes);
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

struct account *memory_account(struct memory *m)
{
    for (unsigned i = 0; m->pcp.batch && i < m->pcp.cpus; i++)
        account_move(&m->account, &cpu_of(m->cpu_account, i));
    return &m->account;
}

static const char *check_cpus(struct memory *m)
{
    const char *broken = pcp_check(&m->pcp);
    for (unsigned i = 0; i < m->pcp.cpus && !broken; i++)
        broken = account_check(&cpu_of(m->cpu_account, i));
    return broken;
}

const char *memory_check(struct memory *m)
{
    const char *broken = pages_check(&m->pages);
    if (!broken)
        broken = nodes_check(&m->nodes);
    if (!broken)
        broken = account_check(&m->account);
    if (!broken && m->pcp.batch)
        broken = check_cpus(m);
    return broken;
}

void memory_recheck(struct memory *m)
{
    if (CHECK < 3 && fetch_add(&m->operations, 1) % 4096 != 4095)
        return;
    unsigned long irq = m->pcp.batch ? pcp_freeze(&m->pcp) : 0;
    const char *broken = memory_check(m);
    if (m->pcp.batch)
        pcp_thaw(&m->pcp, irq);
    if (broken)
        panic("after an operation on an instance of %s: %s", m->setup->policy->name, broken);
}
