/*
 * Per-CPU page lists in front of instances with one node and with two: several "CPUs", every kind
 * of policy that has lists, remote frees, out of memory; what is counted is what was delivered.
 */
#include "host.h"

#include "core/errno.h"
#include "mm_instance.h"

#include <stdlib.h>
#include <string.h>

#define CPUS 4

/* TT_LONG=1 in the environment: 10^6 operations for each set-up. */
static unsigned steps = 60000;
#define STEPS_LONG 1000000

static struct instance in;

/* CPUs 1 and 3 are on node 1, which begins inside the second of instance_ranges. */
static struct numa numa = {
    .nodes = 2,
    .ranges = 2,
    .range = {{{{0}, {2500ul << PAGE_SHIFT}}, 0}, {{{2500ul << PAGE_SHIFT}, {1ul << 40}}, 1}},
    .distance = {{10, 20}, {20, 10}}};
static const struct topology one = {.cpus = CPUS};
static const struct topology two = {.numa = &numa, .cpus = CPUS, .home = {0, 1, 0, 1}};

static void build(const char *alloc, const char *empty, const char *colors, const char *lists,
                  const struct topology *t)
{
    char err[160];
    struct setup s = instance_setup(alloc, empty, colors, "off");
    assert_int_equal(pcp_parse(lists, &s.pcp, err, sizeof err), 0);
    assert_int_equal(setup_check(&s, err, sizeof err), 0);
    instance_build_on(&in, &s, t, instance_ranges, ARRAY_SIZE(instance_ranges), 1);
}

static void drop(void)
{
    instance_drop(&in);
    host_cpu = 0;
}

static void assert_good(void)
{
    const char *broken = memory_check(&in.memory);
    if (broken)
        fail_msg("%s", broken);
}

static uint64_t free_pages(void)
{
    return nodes_free_pages(&in.memory.nodes);
}

/* ---- random operations -------------------------------------------------------------------------
 */

static struct {
    uint32_t wanted[64], got[64];
    uint64_t node_wanted[NUMA_NODES], node_got[NUMA_NODES], local, failed;
} recount;

/* None of the node's free blocks covers the colour. */
static bool is_empty(unsigned node, unsigned order, color_t want)
{
    struct buddy *b = &in.memory.nodes.lists[node];
    for (uint32_t nr = 0; nr < in.memory.pages.count; nr++) {
        pfn_t p = in.oracle.frame[nr];
        if (in.oracle.color[nr] == want && page_node(&in.memory.pages, nr) == node &&
            buddy_is_free(b, pfn(align_down(p.n, 1ul << order)), order))
            return false;
    }
    return true;
}

static void one_alloc(struct rng *r)
{
    const struct color_map *map = &in.memory.color;
    bool va = !strcmp(in.setup.policy->name, "va");
    struct place_request q = {.va = rng_below(r, 1u << 16) * PAGE_SIZE,
                              .space = rng_below(r, 3),
                              .pid = 1 + rng_below(r, 5),
                              .order = rng_below(r, 8) ? 0 : rng_below(r, 6)};
    color_t want = (color_t)(q.va / PAGE_SIZE % map->colors);
    unsigned home = in.memory.nodes.home[host_cpu];
    pfn_t p = instance_alloc(&in, &q); /* not twice, aligned, in one range */
    if (p.n == PFN_NONE.n) {
        recount.failed++;
        /* Whatever lay on a CPU's list has been drained, and the oracle takes it for free anyway.
         */
        assert_false(oracle_could(&in.oracle, q.order,
                                  strcmp(in.setup.fallback->name, "fail") ? COLOR_NONE : want));
        assert_int_equal(in.memory.pcp.cpu[host_cpu].blocks, 0);
        return;
    }
    unsigned node = in.memory.nodes.numa ? numa_node_of(&numa, p) : 0;
    if (va) {
        bool hit = oracle_covers(&in.oracle, p, q.order, want);
        recount.wanted[want]++;
        assert_true(hit || strcmp(in.setup.fallback->name, "fail"));
        assert_true(hit || is_empty(home, q.order, want));
        /* Nor does any CPU's list keep a page of it. */
        if (q.order == 0 && !map->interval[PCP_ORDER_MAX])
            assert_true(hit || !oracle_could_on(&in.oracle, home, 0, want));
    }
    for (uint64_t i = 0; i < 1ul << q.order; i++)
        recount.got[color_of_naive(map, pfn_to_phys(pfn(p.n + i)))]++;
    recount.node_wanted[home]++;
    recount.node_got[node]++;
    recount.local += home == node;
}

/* The counts of all CPUs together, asked for again and again: moved, not doubled. */
static void assert_recount(void)
{
    const struct account *a = memory_account(&in.memory);
    size_t bytes = in.memory.color.colors * sizeof(uint32_t);
    static uint32_t got[64];
    memset(got, 0, sizeof got);
    account_frames(a, got);
    assert_memory_equal(got, recount.got, bytes);
    if (!strcmp(in.setup.policy->name, "va"))
        assert_memory_equal(a->wanted, recount.wanted, bytes);
    assert_int_equal(a->failed, recount.failed);
    if (in.memory.nodes.count > 1) {
        assert_memory_equal(a->node_wanted, recount.node_wanted, sizeof a->node_wanted);
        assert_memory_equal(a->node_got, recount.node_got, sizeof a->node_got);
        assert_int_equal(a->local, recount.local);
    }
    assert_good();
}

static void work(const char *alloc, const char *empty, const char *colors, const char *lists,
                 const struct topology *t)
{
    struct rng rng = {5};
    build(alloc, empty, colors, lists, t);
    memset(&recount, 0, sizeof recount);
    uint64_t all = free_pages();
    for (unsigned step = 0; step < steps; step++) {
        host_cpu = rng_below(&rng, CPUS);
        /* Waves: mostly allocating, then mostly freeing; at the top nothing is left. */
        if (rng_below(&rng, 10) < (step / 8000 % 2 ? 3u : 7u))
            one_alloc(&rng);
        else if (in.oracle.live_count) /* mostly on a CPU that did not get it */
            instance_free(&in, rng_below(&rng, in.oracle.live_count));
        if (step % 4999 == 0)
            assert_recount();
    }
    assert_recount();
    assert_true(recount.failed > 0); /* it was full: so the lists were drained */
    while (in.oracle.live_count)
        instance_free(&in, in.oracle.live_count - 1);
    assert_good();
    pcp_drain(&in.memory.pcp);
    const char *broken = oracle_compare(&in.oracle); /* all of it merged again */
    if (broken)
        fail_msg("alloc=%s pcp=%s: %s", alloc, lists, broken);
    assert_int_equal(free_pages(), all);
    drop();
}

static void every_frame_has_one_owner(void **state)
{
    const struct topology *t = *state;
    work("buddy", "next", "256,1", "16:64", t);
    work("va", "next", "256,1", "4:8", t);
    work("va", "fail", "64,1", "16:16", t);
    work("va", "nearest", "28", "3:7", t); /* 7 colours: blocks cover intervals */
}

/* Policies with state of their own; counting ones hear of every page, and of every page's end. */
static void policies_with_state(void **state)
{
    static const char *const names[] = {"binhop", "bestbin", "longest", "hier", "consistent2"};
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
        work(names[i], "next", "64,1", i % 2 ? "1:1" : "8:20", *state);
}

static void a_policy_that_picks_has_no_lists(void **state)
{
    static const char *const names[] = {"random", "posted"};
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        char err[160];
        struct setup s = instance_setup(names[i], "next", "64,1", "off");
        s.pcp = (struct pcp_spec){.batch = 16, .high = 64};
        assert_int_equal(setup_check(&s, err, sizeof err), -TT_EINVAL);
        assert_non_null(strstr(err, "pcp=16:64"));
        assert_non_null(strstr(err, names[i]));
    }
}

/* ---- one by one --------------------------------------------------------------------------------
 */

/* A node is asked for batches only, and hands out the same pages in the same order as without. */
static void batches_in_order(void **state)
{
    struct place_request q = {.va = ARCH_WINDOW, .pid = 1};
    pfn_t p[40], plain[40];
    (void)state;
    build("buddy", "next", "off", "off", &one);
    for (unsigned i = 0; i < 40; i++)
        plain[i] = memory_alloc(&in.memory, &q);
    drop();
    build("buddy", "next", "off", "16:32", &one);
    uint64_t all = free_pages();
    for (unsigned i = 0; i < 40; i++) {
        p[i] = memory_alloc(&in.memory, &q);
        assert_int_equal(p[i].n, plain[i].n);
        assert_int_equal(all - free_pages(), (i / 16 + 1) * 16);
    }
    host_cpu = 2;
    for (unsigned i = 0; i < 40; i++)
        memory_free(&in.memory, p[i], 0);
    /* 32 make it high: 16 go back, and 8 come on top of what is left. */
    assert_int_equal(in.memory.pcp.cpu[2].list[0][0]->count, 24);
    assert_int_equal(in.memory.pcp.cpu[2].blocks, 24);
    assert_int_equal(in.memory.pcp.cpu[0].blocks, 8);
    assert_int_equal(all - free_pages(), 48 - 16);
    /* The last one freed comes first. */
    assert_int_equal(memory_alloc(&in.memory, &q).n, p[39].n);
    assert_good();
    drop();
}

/* Larger blocks come and go as many pages at a time, or one block. */
static void batches_of_larger_blocks(void **state)
{
    static const struct {
        const char *lists;
        unsigned order, batch, high; /* in blocks */
    } row[] = {{"16:64", 1, 8, 32}, {"16:64", 3, 2, 8}, {"7:30", 2, 1, 7}, {"4:8", 3, 1, 1}};
    pfn_t p[32];
    (void)state;
    for (unsigned k = 0; k < ARRAY_SIZE(row); k++) {
        struct place_request q = {.va = ARCH_WINDOW, .pid = 1, .order = row[k].order};
        build("va", "next", "64,1", row[k].lists, &one);
        const struct pcp_cpu *c = &in.memory.pcp.cpu[0];
        uint64_t all = free_pages(), blocks = 0;
        for (unsigned i = 0; i < row[k].high; i++) {
            p[i] = memory_alloc(&in.memory, &q);
            blocks = align_up(i + 1, row[k].batch);
            assert_int_equal(all - free_pages(), blocks << q.order);
        }
        unsigned kept = (unsigned)blocks - row[k].high;
        assert_int_equal(c->blocks, kept);
        for (unsigned i = 0; i < row[k].high; i++) {
            memory_free(&in.memory, p[i], q.order);
            kept += kept + 1 < row[k].high ? 1 : 1 - row[k].batch;
            assert_int_equal(c->blocks, kept);
        }
        assert_good();
        drop();
    }
}

/* What one CPU keeps, another one gets when there is nothing else: on its node, then on the other.
 */
static void drained_when_short(void **state)
{
    struct place_request q = {.va = ARCH_WINDOW, .pid = 1};
    build("buddy", "next", "off", "64:128", *state);
    uint64_t all = free_pages();
    for (uint64_t i = 0; i < all; i++) {
        host_cpu = (unsigned)(i % CPUS);
        assert_true(memory_alloc(&in.memory, &q).n != PFN_NONE.n);
    }
    assert_true(memory_alloc(&in.memory, &q).n == PFN_NONE.n);
    assert_good();
    drop();
}

/* Freed on node 0's CPU, a page of node 1 is there for who asks node 1 on that CPU, and no other.
 */
static void remote_pages_keep_their_node(void **state)
{
    struct place_request q = {.va = ARCH_WINDOW, .pid = 1};
    (void)state;
    build("buddy", "next", "off", "1:8", &two);
    host_cpu = 1;
    pfn_t p = memory_alloc(&in.memory, &q);
    assert_int_equal(numa_node_of(&numa, p), 1);
    host_cpu = 0;
    memory_free(&in.memory, p, 0);
    assert_int_equal(in.memory.pcp.cpu[0].list[1][0]->count, 1);
    pfn_t local = memory_alloc(&in.memory, &q);
    assert_int_equal(numa_node_of(&numa, local), 0);
    assert_good();
    in.memory.pcp.cpu[0].list[1][0]->first = page_nr(&in.memory.pages, local);
    assert_string_equal(memory_check(&in.memory),
                        "a block on a page list of a CPU is free, or of another order");
    page_set_block(&in.memory.pages, page_nr(&in.memory.pages, local), PAGE_LISTED, 0);
    *page_next(&in.memory.pages, page_nr(&in.memory.pages, local)) = PAGE_NR_NONE;
    assert_string_equal(memory_check(&in.memory),
                        "a block on a page list of a CPU is of another node");
    drop();
}

static void damage_is_seen(void **state)
{
    struct place_request q = {.va = ARCH_WINDOW, .pid = 1};
    (void)state;
    build("va", "next", "64,1", "4:8", &one);
    memory_alloc(&in.memory, &q);
    struct pcp_cpu *c = &in.memory.pcp.cpu[0];
    struct pcp_list *l = c->list[0][0] + (ARCH_WINDOW >> PAGE_SHIFT) % 16;
    assert_int_equal(l->count, 3);
    c->blocks++;
    assert_non_null(strstr(memory_check(&in.memory), "add up"));
    c->blocks--;
    l->count++;
    assert_non_null(strstr(memory_check(&in.memory), "shorter"));
    l->count -= 2;
    assert_non_null(strstr(memory_check(&in.memory), "longer"));
    l->count++;
    struct pcp_list keep = *l;
    l[1] = keep;
    *l = (struct pcp_list){.first = PAGE_NR_NONE};
    assert_non_null(strstr(memory_check(&in.memory), "another colour"));
    *l = keep;
    l[1] = (struct pcp_list){.first = PAGE_NR_NONE};
    assert_good();
    uint32_t lost = l->first; /* off the list, and nobody has it */
    l->first = *page_next(&in.memory.pages, lost);
    l->count--;
    c->blocks--;
    assert_non_null(strstr(memory_check(&in.memory), "and is not"));
    drop();
}

static void a_double_free_panics(void **state)
{
    struct place_request q = {.va = ARCH_WINDOW, .pid = 1};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        build("buddy", "next", "off", i ? "4:8" : "1:1", &one);
        pfn_t p = memory_alloc(&in.memory, &q);
        memory_free(&in.memory, p, 0); /* onto the list; or, when high is 1, straight back */
        assert_panics(memory_free(&in.memory, p, 0), "page_is_block");
        assert_panics(memory_free(&in.memory, pfn(1ul << 40), 0), "in no range");
        drop();
    }
}

static void bad_words(void **state)
{
    static const char *const bad[] = {"",     "on",   "16",     "0:4",   "16:",    ":4",
                                      "16:8", "16:x", "1:4097", "1:4:8", "16:64 ", "-1:4"};
    struct pcp_spec s;
    char err[160];
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        assert_int_equal(pcp_parse(bad[i], &s, err, sizeof err), -TT_EINVAL);
        assert_non_null(strstr(err, "BATCH:HIGH"));
    }
    assert_int_equal(pcp_parse("16:4096", &s, err, sizeof err), 0);
    assert_true(s.batch == 16 && s.high == 4096 && !s.automatic);
    assert_int_equal(pcp_parse("auto", &s, err, sizeof err), 0);
    assert_true(s.automatic && !s.batch);
}

int main(void)
{
    if (getenv("TT_LONG"))
        steps = STEPS_LONG;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_frame_has_one_owner, (void *)&one),
        cmocka_unit_test_prestate(every_frame_has_one_owner, (void *)&two),
        cmocka_unit_test_prestate(policies_with_state, (void *)&one),
        cmocka_unit_test_prestate(policies_with_state, (void *)&two),
        cmocka_unit_test(a_policy_that_picks_has_no_lists),
        cmocka_unit_test(batches_in_order),
        cmocka_unit_test(batches_of_larger_blocks),
        cmocka_unit_test_prestate(drained_when_short, (void *)&one),
        cmocka_unit_test_prestate(drained_when_short, (void *)&two),
        cmocka_unit_test(remote_pages_keep_their_node),
        cmocka_unit_test(damage_is_seen),
        cmocka_unit_test(a_double_free_panics),
        cmocka_unit_test(bad_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
