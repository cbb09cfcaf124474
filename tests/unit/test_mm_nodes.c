/*
 * Instances with nodes: every request against the rule of numa= as stated, every block freed to its
 * own node and merged there only, colours and nodes against a recount, ageing as without nodes; and
 * all the same wherever descriptors lie.
 */
#include "host.h"

#include "mm_instance.h"

#include <stdlib.h>
#include <string.h>

#define CPUS 4

/* TT_LONG=1 in the environment: more than 10^6 operations for each rule. */
static unsigned operations_each = 20000;
#define OPERATIONS_LONG 400000

/*
 * Four nodes over instance_ranges: boundaries inside its second range, unaligned; node 2 has no
 * memory, node 3 two pieces; the third CPU sits on node 2. Node 3 is nearer to node 0 than 1 is,
 * and node 2 has both at the same distance.
 */
static struct numa numa = {
    .nodes = 4,
    .ranges = 5,
    .range = {{{{0}, {2048ul << PAGE_SHIFT}}, 0},
              {{{2048ul << PAGE_SHIFT}, {(2048 + 1000ul) << PAGE_SHIFT}}, 3},
              {{{(2048 + 1000ul) << PAGE_SHIFT}, {20000ul << PAGE_SHIFT}}, 1},
              {{{0x400000ul << PAGE_SHIFT}, {(0x400000 + 57ul) << PAGE_SHIFT}}, 1},
              {{{(0x400000 + 57ul) << PAGE_SHIFT}, {0x500000ul << PAGE_SHIFT}}, 3}},
    .distance = {{10, 30, 20, 20}, {31, 10, 20, 25}, {21, 15, 10, 15}, {20, 25, 20, 10}},
};
static const struct topology four = {.numa = &numa, .cpus = CPUS, .home = {0, 1, 2, 3}};

static struct instance in;

/* ---- the rule, stated naively ------------------------------------------------------------------
 */

/* The k-th nearest node. */
static unsigned nearest(unsigned from, unsigned k)
{
    bool had[NUMA_NODES] = {false};
    for (;; k--) {
        unsigned best = numa.nodes;
        for (unsigned i = 0; i < numa.nodes; i++)
            if (!had[i] &&
                (best == numa.nodes || numa.distance[from][i] < numa.distance[from][best]))
                best = i;
        if (k == 0)
            return best;
        had[best] = true;
    }
}

struct expected {
    color_t color; /* that the block covers; COLOR_NONE: any */
    unsigned node; /* numa.nodes: nothing can be had */
};

static bool could(struct expected *e, unsigned node, unsigned order, color_t c)
{
    if (!oracle_could_on(&in.oracle, node, order, c))
        return false;
    *e = (struct expected){c, node};
    return true;
}

/* empty=next: all colours upwards by the block's span; fail: the wanted one alone. */
static struct expected rule_wanted(unsigned home, unsigned order, color_t want)
{
    const struct color_map *map = &in.memory.color;
    bool one = !strcmp(in.setup.fallback->name, "fail");
    uint32_t steps = one ? 1 : map->classes[order];
    struct expected e = {COLOR_NONE, numa.nodes};
    for (unsigned i = 0; i < steps * numa.nodes; i++) {
        bool colors_first = in.setup.numa == NUMA_ON; /* of a node, before the next node */
        unsigned step = colors_first ? i % steps : i / numa.nodes;
        unsigned node = colors_first ? i / steps : i % numa.nodes;
        color_t c = (want + step * (1u << map->shift[order])) % map->colors;
        if (could(&e, nearest(home, node), order, c))
            break;
    }
    return e;
}

static struct expected rule_any(unsigned home, unsigned order)
{
    struct expected e = {COLOR_NONE, numa.nodes};
    for (unsigned k = 0; k < numa.nodes; k++) {
        if (could(&e, nearest(home, k), order, COLOR_NONE))
            break;
    }
    return e;
}

/* ---- random operations -------------------------------------------------------------------------
 */

static struct {
    uint32_t got[64];
    uint64_t node_wanted[NUMA_NODES], node_got[NUMA_NODES], local, failed;
} recount;

static void one_alloc(struct rng *r)
{
    const char *name = in.setup.policy->name;
    const struct color_map *map = &in.memory.color;
    struct place_request q = {
        .va = rng_below(r, 1u << 20) * PAGE_SIZE,
        .pid = 1 + rng_below(r, 5),
        .order = rng_below(r, 12) ? 0 : rng_below(r, MAX_ORDER + 1),
    };
    unsigned home = four.home[host_cpu];
    struct expected e = strcmp(name, "va")
                            ? rule_any(home, q.order)
                            : rule_wanted(home, q.order, (color_t)(q.va / PAGE_SIZE % map->colors));
    pfn_t p = instance_alloc(&in, &q);
    if (p.n == PFN_NONE.n) {
        assert_int_equal(e.node, numa.nodes);
        recount.failed++;
        return;
    }
    unsigned node = numa_node_of(&numa, p);
    assert_int_equal(node, e.node);
    assert_int_equal(numa_node_of(&numa, pfn(p.n + (1ul << q.order) - 1)), node);
    if (e.color != COLOR_NONE)
        assert_true(oracle_covers(&in.oracle, p, q.order, e.color));
    for (uint64_t i = 0; i < 1ul << q.order; i++)
        recount.got[color_of_naive(map, pfn_to_phys(pfn(p.n + i)))]++;
    recount.node_wanted[home]++;
    recount.node_got[node]++;
    recount.local += node == home;
}

static void assert_recount(void)
{
    const struct account *a = &in.memory.account;
    uint32_t got[64] = {0};
    account_frames(a, got);
    assert_memory_equal(got, recount.got, in.memory.color.colors * sizeof *got);
    assert_memory_equal(a->node_wanted, recount.node_wanted, sizeof a->node_wanted);
    assert_memory_equal(a->node_got, recount.node_got, sizeof a->node_got);
    assert_int_equal(a->local, recount.local);
    assert_int_equal(a->failed, recount.failed);
    const char *broken = oracle_compare(&in.oracle);
    broken = broken ? broken : memory_check(&in.memory);
    if (broken)
        fail_msg("alloc=%s: %s", in.setup.policy->name, broken);
}

static void operations(const struct setup *s, uint64_t seed)
{
    struct rng r = rng_stream(seed, 7);
    instance_build_on(&in, s, &four, instance_ranges, ARRAY_SIZE(instance_ranges), seed);
    assert_int_equal(in.memory.nodes.count, 4);
    memset(&recount, 0, sizeof recount);
    unsigned filling = 9;
    for (unsigned i = 0; i < operations_each; i++) {
        if (i % 4000 == 0)
            filling = 3 + rng_below(&r, 7);
        host_cpu = rng_below(&r, CPUS);
        if (in.oracle.live_count && rng_below(&r, 10) >= filling)
            instance_free(&in, rng_below(&r, in.oracle.live_count));
        else
            one_alloc(&r);
    }
    assert_recount();
    for (unsigned i = 0; i < numa.nodes; i++)
        assert_true(recount.node_wanted[i] > 0 && (recount.node_got[i] > 0) == (i != 2));
    while (in.oracle.live_count)
        instance_free(&in, in.oracle.live_count - 1);
    assert_recount();
    instance_drop(&in);
    host_cpu = 0;
}

static void every_request_goes_by_the_rule(void **state)
{
    static const char *const policies[] = {"buddy", "va", "random", "posted"};
    static const char *const colors[] = {"28", "64", "48"}; /* 7, 16 and 12 */
    enum numa_rule rule = *(const enum numa_rule *)*state;
    for (unsigned i = 0; i < ARRAY_SIZE(policies); i++) {
        for (unsigned k = 0; k < 2; k++) {
            struct setup s =
                instance_setup(policies[i], k ? "fail" : "next", colors[(i + k) % 3], "off");
            s.numa = rule;
            char err[160];
            if (setup_check(&s, err, sizeof err)) {
                assert_true(s.policy->pick && rule == NUMA_COLOR);
                assert_non_null(strstr(err, s.policy->name));
                continue;
            }
            if (s.policy->want || !k)
                operations(&s, 1 + k);
        }
    }
}

/* numa=off over the same frames is what there was before there were nodes. */
static void off_is_one_node(void **state)
{
    static pfn_t alone[400];
    (void)state;
    struct setup s = instance_setup("va", "next", "64", "2:90:40");
    for (unsigned round = 0; round < 2; round++) {
        s.numa = round ? NUMA_OFF : NUMA_ON;
        instance_build_on(&in, &s, round ? &four : &(struct topology){0}, instance_ranges, 4, 3);
        for (unsigned i = 0; i < ARRAY_SIZE(alone); i++) {
            struct place_request q = {.va = i * PAGE_SIZE, .pid = 1, .order = i % 5 ? 0 : 3};
            host_cpu = round ? i % CPUS : 0;
            pfn_t p = memory_alloc(&in.memory, &q);
            if (round)
                assert_int_equal(p.n, alone[i].n);
            alone[i] = p;
        }
        assert_int_equal(in.memory.pages.range_count, 4);
        assert_int_equal(in.memory.account.local, 0);
        instance_drop(&in);
    }
    host_cpu = 0;
}

static void ageing_leaves_the_same_frames_free(void **state)
{
    static uint8_t free_at[2][4096];
    (void)state;
    struct setup s = instance_setup("buddy", "next", "64", "4:95:50");
    for (unsigned round = 0; round < 2; round++) {
        s.numa = round ? NUMA_OFF : NUMA_ON;
        instance_build_on(&in, &s, &four, instance_ranges, 4, 3);
        for (uint32_t nr = 0; nr < in.oracle.frames; nr++) {
            pfn_t p = in.oracle.frame[nr];
            free_at[round][nr] = buddy_is_free(nodes_lists_of(&in.memory.nodes, p), p, 0);
        }
        assert_null(memory_check(&in.memory));
        instance_drop(&in);
    }
    assert_memory_equal(free_at[0], free_at[1], sizeof free_at[0]);
}

/* The same blocks, with the descriptors elsewhere; by_node the area has no room for them at all. */
static void descriptors_may_lie_elsewhere(void **state)
{
    static pfn_t there[300];
    (void)state;
    struct setup s = instance_setup("va", "next", "64", "2:90:40");
    for (unsigned round = 0; round < 5; round++) {
        s.numa = round > 2 ? NUMA_OFF : NUMA_ON;
        instance_build_on(&in, &s, &four, instance_ranges, 4, 3);
        struct subject *on = &in.subject;
        size_t bytes = align_up(pages_bytes(&s.layout, on->pages), PAGE_SIZE), all = on->area_bytes;
        uint8_t *place = aligned_alloc(PAGE_SIZE, bytes);
        if (round % 3) {
            on->topology.descriptors = true;
            /* Neither another layout's place nor one by the other rule is taken. */
            on->place[0] = (struct descriptor_place){s.layout.stride_bytes + 8, 0, !s.numa, NULL};
            on->place[1] = (struct descriptor_place){s.layout.stride_bytes, 0, s.numa, NULL};
            on->place[2] = (struct descriptor_place){s.layout.stride_bytes, 0, !s.numa, place};
            on->places = 3;
            on->area_bytes = memory_bytes(&s, &on->topology, on->pages);
            if (s.numa == NUMA_ON)
                assert_true(on->area_bytes + on->pages * s.layout.stride_bytes <= all);
            free(on->area);
            on->area = malloc(align_up(on->area_bytes, PAGE_SIZE));
            memory_build(&in.memory, &s, on, 3);
            assert_ptr_equal(in.memory.pages.base, place);
        } else {
            assert_ptr_equal(in.memory.pages.base, on->area);
        }
        for (unsigned i = 0; i < ARRAY_SIZE(there); i++) {
            struct place_request q = {.va = i * PAGE_SIZE, .pid = 1, .order = i % 5 ? 0 : 3};
            pfn_t p = memory_alloc(&in.memory, &q);
            if (round % 3)
                assert_int_equal(p.n, there[i].n);
            there[i] = p;
        }
        assert_null(memory_check(&in.memory));
        instance_drop(&in);
        free(place);
    }
}

/* Damage behind the allocator's back. */
static void a_frame_of_another_node_is_seen(void **state)
{
    (void)state;
    struct setup s = instance_setup("buddy", "next", "64", "off");
    instance_build_on(&in, &s, &four, instance_ranges, 4, 1);
    struct memory *m = &in.memory;
    struct place_request q = {.pid = 1};
    pfn_t p = memory_alloc(m, &q); /* CPU 0: of node 0 */
    assert_int_equal(numa_node_of(&numa, p), 0);
    assert_panics(buddy_free(&m->nodes.lists[3], p, 0), "is of node 0, freed to node 3");
    assert_false(buddy_take(&m->nodes.lists[3], pfn(1024), 0));

    struct free_list *a = &m->nodes.lists[0].order[0].list[0],
                     *b = &m->nodes.lists[1].order[0].list[0], keep = *a;
    assert_true(a->count > 0);
    *a = *b;
    *b = keep;
    assert_string_equal(memory_check(m), "buddy: a block is on the list of another node");
    *b = *a;
    *a = keep;
    assert_null(memory_check(m));
    m->pages.node[0] = 1;
    assert_string_equal(memory_check(m), "nodes: a frame belongs to another node");
    m->pages.node[0] = 0;
    m->account.local = 2;
    assert_non_null(memory_check(m));
    instance_drop(&in);
}

int main(void)
{
    static enum numa_rule on = NUMA_ON, color = NUMA_COLOR;
    if (getenv("TT_LONG"))
        operations_each = OPERATIONS_LONG;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_request_goes_by_the_rule, &on),
        cmocka_unit_test_prestate(every_request_goes_by_the_rule, &color),
        cmocka_unit_test(off_is_one_node),
        cmocka_unit_test(descriptors_may_lie_elsewhere),
        cmocka_unit_test(ageing_leaves_the_same_frames_free),
        cmocka_unit_test(a_frame_of_another_node_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
