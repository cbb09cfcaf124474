/*
 * Instances: every policy with every fallback against the rule as stated, the accounting against a
 * recount, ageing, and that no level leaves anything behind for the next.
 */
#include "host.h"

#include "core/cmdline.h"
#include "core/errno.h"
#include "mm_instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Per policy, fallback and map. TT_LONG=1 in the environment: enough for 10^6 per policy and map.
 */
static unsigned operations_each = 40000;
#define OPERATIONS_LONG 250000

static struct instance in;

/* ---- the rule, stated naively -------------------------------------------------------------------
 */

/* Fills positions[] with the steps away from the wanted colour in the order of trying them. */
static uint32_t fallback_steps(const char *name, uint32_t classes, uint32_t *steps)
{
    uint32_t n = 0;
    steps[n++] = 0;
    if (!strcmp(name, "next")) {
        for (uint32_t up = 1; up < classes; up++)
            steps[n++] = up;
    } else if (!strcmp(name, "skip19")) {
        for (uint32_t k = 0; k < classes; k++)
            steps[n++] = (19 + k) % classes;
    } else if (!strcmp(name, "nearest")) {
        for (uint32_t away = 1; away <= classes / 2; away++) {
            steps[n++] = away;
            if (away != classes - away)
                steps[n++] = classes - away;
        }
    } else {
        assert_string_equal(name, "fail");
    }
    return n;
}

/* The colour that the fallback must end at, COLOR_NONE if the request must fail. */
static color_t expected_color(unsigned order, color_t want)
{
    static uint32_t steps[2048];
    const struct color_map *map = &in.memory.color;
    uint32_t classes = map->classes[order];
    uint32_t n = fallback_steps(in.setup.fallback->name, classes, steps);
    for (uint32_t k = 0; k < n; k++) {
        color_t c = (want + steps[k] * (1u << map->shift[order])) % map->colors;
        if (oracle_could(&in.oracle, order, c))
            return c;
    }
    return COLOR_NONE;
}

/* ---- a recount of the accounting
 * ----------------------------------------------------------------- */

static struct {
    uint32_t wanted[1024], got[1024];
    uint64_t frames, allocations, wishes, missed, failed, distance_sum;
    uint32_t distance_max;
} recount;

static uint32_t naive_distance(uint32_t colors, color_t a, color_t b)
{
    uint32_t d = a > b ? a - b : b - a;
    return d < colors - d ? d : colors - d;
}

static void recount_block(color_t want, pfn_t p, unsigned order)
{
    const struct color_map *map = &in.memory.color;
    for (uint64_t i = 0; i < 1ul << order; i++)
        recount.got[color_of_naive(map, pfn_to_phys(pfn(p.n + i)))]++;
    recount.frames += 1ul << order;
    recount.allocations++;
    if (want == COLOR_NONE)
        return;
    recount.wanted[want]++;
    recount.wishes++;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < 1u << order; i++) {
        color_t c = color_of_naive(map, pfn_to_phys(pfn(p.n + i)));
        uint32_t d = naive_distance(map->colors, c, want);
        best = d < best ? d : best;
    }
    recount.missed += best > 0;
    recount.distance_sum += best;
    if (best > recount.distance_max)
        recount.distance_max = best;
}

static void assert_recount(void)
{
    const struct account *a = &in.memory.account;
    size_t bytes = in.memory.color.colors * sizeof(uint32_t);
    assert_memory_equal(a->wanted, recount.wanted, bytes);
    static uint32_t got[1024];
    memset(got, 0, sizeof got);
    assert_int_equal(account_frames(a, got), recount.frames);
    assert_memory_equal(got, recount.got, bytes);
    assert_int_equal(a->allocations, recount.allocations);
    assert_int_equal(a->wishes, recount.wishes);
    assert_int_equal(a->missed, recount.missed);
    assert_int_equal(a->failed, recount.failed);
    assert_int_equal(a->distance_sum, recount.distance_sum);
    assert_int_equal(a->distance_max, recount.distance_max);
    assert_null(account_check(a));
}

/* ---- random operations
 * ---------------------------------------------------------------------------- */

/* The policy under test, with want and pick passing through here so that the wish is known. */
static const struct policy *real;
static color_t wish;

static color_t spied_want(struct policy_state *s, const struct place_request *q)
{
    return wish = real->want(s, q);
}

static pfn_t spied_pick(struct policy_state *s, const struct place_request *q, color_t *want)
{
    pfn_t p = real->pick(s, q, want);
    wish = *want;
    return p;
}

static const struct policy *spy(const struct policy *p)
{
    static struct policy copy;
    real = p;
    copy = *p;
    copy.want = p->want ? spied_want : NULL;
    copy.pick = p->pick ? spied_pick : NULL;
    return &copy;
}

/* The partition of alloc=set may fail early: its own test knows when. */
static void check_failure(const struct place_request *q)
{
    recount.failed++;
    if (real->want)
        assert_int_equal(expected_color(q->order, wish), COLOR_NONE);
    else if (strcmp(real->name, "set"))
        assert_false(oracle_could(&in.oracle, q->order, COLOR_NONE));
}

static void one_alloc(struct rng *r)
{
    struct place_request q = {
        .va = rng_below(r, 1u << 20) * PAGE_SIZE,
        .space = rng_below(r, 3),
        .pid = 1 + rng_below(r, 5),
        .order = rng_below(r, 12) ? 0 : rng_below(r, MAX_ORDER + 1),
    };
    wish = COLOR_NONE;
    pfn_t p = memory_alloc(&in.memory, &q);
    if (!strcmp(real->name, "va"))
        assert_int_equal(wish, q.va / PAGE_SIZE % in.memory.color.colors);
    if (p.n == PFN_NONE.n) {
        check_failure(&q);
        return;
    }
    color_t expect = real->want ? expected_color(q.order, wish) : COLOR_NONE;
    const char *complaint = oracle_out(&in.oracle, p, q.order);
    if (complaint)
        fail_msg("alloc=%s: %s", real->name, complaint);
    if (real->want && (expect == COLOR_NONE || !oracle_covers(&in.oracle, p, q.order, expect)))
        fail_msg("alloc=%s empty=%s, %u colours: wanted %u at order %u, should get %u", real->name,
                 in.setup.fallback->name, in.memory.color.colors, wish, q.order, expect);
    recount_block(wish, p, q.order);
}

static void operations(const struct setup *s, uint64_t seed)
{
    struct rng r = rng_stream(seed, 7);
    struct setup spied = *s;
    spied.policy = spy(s->policy);
    instance_build(&in, &spied, instance_ranges, ARRAY_SIZE(instance_ranges), seed);
    memset(&recount, 0, sizeof recount);
    unsigned filling = 9;
    for (unsigned i = 0; i < operations_each; i++) {
        if (i % 4000 == 0)
            filling = 2 + rng_below(&r, 8);
        if (in.oracle.live_count && rng_below(&r, 10) >= filling)
            instance_free(&in, rng_below(&r, in.oracle.live_count));
        else
            one_alloc(&r);
    }
    assert_recount();
    const char *broken = oracle_compare(&in.oracle);
    broken = broken ? broken : memory_check(&in.memory);
    if (broken)
        fail_msg("alloc=%s: %s", s->policy->name, broken);
    assert_true(recount.allocations > operations_each / 20);
    instance_drop(&in);
}

static bool is_broken(const struct policy *p)
{
    return !strncmp(p->name, "broken", 6);
}

static void give_colors(const char *value)
{
    char err[200];
    for_each_registered (option, o) {
        if (!strcmp(o->name, "colors"))
            assert_int_equal(o->parse(o, value, err, sizeof err), 0);
    }
}

static void every_policy_and_fallback_keeps_its_rule(void **state)
{
    give_colors("0-2,4");
    for_each_registered (policy, p) {
        for_each_registered (fallback, f) {
            /* A policy that picks does not fall back: one is enough. */
            if (is_broken(p) || (!p->want && f != __start_tt_fallback[0]))
                continue;
            struct setup s = instance_setup(p->name, f->name, *state, "off");
            operations(&s, 1);
        }
    }
}

/* ---- policies that are wrong on purpose
 * ---------------------------------------------------------- */

/* Delivers a frame and leaves it on the list. */
static pfn_t pick_twice(struct policy_state *s, const struct place_request *q, color_t *want)
{
    (void)want;
    pfn_t p = buddy_alloc(s->buddy, q->order, 0);
    if (p.n != PFN_NONE.n)
        buddy_free(s->buddy, p, q->order);
    return p;
}

/* Says that it wants one colour and takes another. */
static pfn_t pick_other(struct policy_state *s, const struct place_request *q, color_t *want)
{
    *want = 1;
    return buddy_alloc(s->buddy, q->order, 2);
}

REGISTER(policy, broken_twice) = {.name = "broken_twice", .pick = pick_twice};
REGISTER(policy, broken_other) = {.name = "broken_other", .colored = true, .pick = pick_other};

static void broken_policies_are_seen(void **state)
{
    (void)state;
    struct place_request q = {.order = 0};
    struct setup s = instance_setup("broken_twice", "next", "48", "off");
    instance_build(&in, &s, instance_ranges, ARRAY_SIZE(instance_ranges), 1);
    assert_null(oracle_out(&in.oracle, memory_alloc(&in.memory, &q), 0));
    assert_string_equal(oracle_out(&in.oracle, memory_alloc(&in.memory, &q), 0),
                        "a frame was given twice");
    assert_string_equal(oracle_compare(&in.oracle), "a frame that is out is free");
    instance_drop(&in);

    s = instance_setup("broken_other", "next", "48", "off");
    instance_build(&in, &s, instance_ranges, ARRAY_SIZE(instance_ranges), 1);
    pfn_t p = instance_alloc(&in, &q);
    assert_false(oracle_covers(&in.oracle, p, 0, 1));
    assert_int_equal(in.memory.account.missed, 1);
    assert_int_equal(in.memory.account.distance_sum, 1);
    instance_drop(&in);
}

/* ---- ageing
 * ---------------------------------------------------------------------------------------- */

static uint32_t hash(uint32_t h, uint64_t v)
{
    for (unsigned i = 0; i < 64; i += 8)
        h = (h ^ (v >> i & 0xff)) * 16777619u; /* FNV-1a */
    return h;
}

static uint32_t free_frames_hash(void)
{
    uint32_t h = 1;
    for (uint32_t nr = 0; nr < in.oracle.frames; nr++)
        h = hash(h, buddy_is_free(&in.memory.nodes.lists[0], in.oracle.frame[nr], 0));
    return h;
}

static void ageing_leaves_the_same_frames_free_to_all(void **state)
{
    (void)state;
    static const char *const ages[] = {"1:95:50", "4:95:50", "3:100:0", "2:50:49", "7:33:12"};
    static const unsigned low[] = {50, 50, 0, 49, 12};
    uint32_t seen[2] = {0, 0};
    for (unsigned k = 0; k < ARRAY_SIZE(ages); k++) {
        for (uint64_t seed = 1; seed <= 2; seed++) {
            seen[seed - 1] = 0;
            for_each_registered (policy, p) {
                if (is_broken(p))
                    continue;
                struct setup s = instance_setup(p->name, "next", "128", ages[k]);
                instance_build(&in, &s, instance_ranges, ARRAY_SIZE(instance_ranges), seed);
                assert_int_equal(in.oracle.frames - buddy_free_pages(&in.memory.nodes.lists[0]),
                                 in.oracle.frames * low[k] / 100);
                assert_null(memory_check(&in.memory));
                uint32_t h = free_frames_hash();
                if (seen[seed - 1])
                    assert_int_equal(h, seen[seed - 1]);
                seen[seed - 1] = h;
                instance_drop(&in);
            }
        }
        if (low[k])
            assert_int_not_equal(seen[0], seen[1]);
    }
}

static void bad_ages_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",         "4",       "4:95",    "4:95:",   "0:95:50",   "1001:95:50",
        "4:101:50", "4:50:50", "4:50:60", "4:95:-1", "4:95:50:1", "on"};
    char err[160];
    struct age_spec age;
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        assert_int_equal(age_parse(bad[i], &age, err, sizeof err), -TT_EINVAL);
        assert_non_null(strstr(err, bad[i]));
        assert_non_null(strstr(err, "CYCLES:HI:LO"));
    }
}

/* Of `pages` pages at consecutive addresses, how many share their colour with another one. */
static unsigned pages_in_conflict(unsigned pages)
{
    static uint32_t of_color[512];
    memset(of_color, 0, sizeof of_color);
    for (unsigned i = 0; i < pages; i++) {
        struct place_request q = {.va = i * PAGE_SIZE, .pid = 1};
        of_color[color_of(&in.memory.color, instance_alloc(&in, &q))]++;
    }
    unsigned alone = 0;
    for (unsigned c = 0; c < 512; c++)
        alone += of_color[c] == 1;
    return pages - alone;
}

static void aged_memory_conflicts_as_theory_says(void **state)
{
    (void)state;
    static const struct {
        const char *alloc;
        double low, high;
    } expect[] = {{"buddy", 0.60, 0.65}, {"random", 0.60, 0.65}, {"va", 0, 0}};
    const unsigned seeds = 24;
    const struct pfn_range range = {pfn(0x10000), pfn(0x10000 + 32768)};
    for (unsigned k = 0; k < ARRAY_SIZE(expect); k++) {
        unsigned sum = 0;
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            struct setup s = instance_setup(expect[k].alloc, "next", "2048,1", "4:95:50");
            instance_build(&in, &s, &range, 1, seed);
            sum += pages_in_conflict(512);
            instance_drop(&in);
        }
        double mean = sum / 512.0 / seeds;
        printf("# %s: %.2f%% of 512 pages in conflict, mean of %u seeds\n", expect[k].alloc,
               100 * mean, seeds);
        if (mean < expect[k].low || mean > expect[k].high)
            fail_msg("%s: %.4f is not in %.2f to %.2f", expect[k].alloc, mean, expect[k].low,
                     expect[k].high);
    }
    /* Fresh, even the buddy's pages are on distinct colours, by accident. */
    struct setup s = instance_setup("buddy", "next", "2048,1", "off");
    instance_build(&in, &s, &range, 1, 1);
    assert_int_equal(pages_in_conflict(512), 0);
    instance_drop(&in);
}

/* ---- no level leaves anything behind
 * ------------------------------------------------------------- */

/* What an instance does under a fixed sequence of requests: every frame, every counter. */
static uint32_t behaviour(struct memory *m)
{
    static struct oracle_block out[400];
    uint32_t h = 1, n = 0;
    struct rng r = rng_stream(3, 8);
    for (unsigned i = 0; i < ARRAY_SIZE(out); i++) {
        struct place_request q = {.va = i * PAGE_SIZE, .space = i % 3, .pid = 1 + i % 4};
        q.order = rng_below(&r, 6) ? 0 : rng_below(&r, 5);
        pfn_t p = memory_alloc(m, &q);
        h = hash(h, p.n);
        if (p.n != PFN_NONE.n)
            out[n++] = (struct oracle_block){p, q.order};
        if (n && rng_below(&r, 3) == 0) {
            n--;
            memory_free(m, out[n].at, out[n].order);
        }
    }
    assert_null(memory_check(m));
    h = hash(h, m->account.missed);
    h = hash(h, m->account.distance_sum);
    return hash(h, m->account.probes);
}

static void a_policy_of_colors_needs_two(void **state)
{
    (void)state;
    char err[160];
    for_each_registered (policy, p) {
        struct setup s = instance_setup("buddy", "next", "off", "off");
        s.policy = p;
        assert_int_equal(setup_check(&s, err, sizeof err), p->colored ? -TT_EINVAL : 0);
    }
}

/* Zeroed at every build, on lines of their own, and nobody else's: the instance works when they
 * are written full. */
static void tables_are_the_workloads_own(void **state)
{
    struct rng rng = {1};
    (void)state;
    for (size_t bytes = 4; bytes <= 1 << 17; bytes = bytes * 5 + 8) {
        struct setup s = instance_setup("binhop", "next", "64", "2:90:40");
        s.cache.tables_bytes = bytes;
        instance_build(&in, &s, instance_ranges, ARRAY_SIZE(instance_ranges), 1);
        struct memory *m = &in.memory;
        for (unsigned builds = 0; builds < 2; builds++) {
            uint8_t *table = m->tables;
            assert_int_equal((uintptr_t)table % 128, 0);
            for (size_t i = 0; i < bytes; i++)
                assert_int_equal(table[i], 0);
            memset(table, 0xff, bytes);
            for (unsigned i = 0; i < 200; i++) {
                struct place_request q = {.pid = 1 + rng_below(&rng, 3)};
                assert_int_not_equal(memory_alloc(m, &q).n, PFN_NONE.n);
            }
            assert_null(memory_check(m));
            for (size_t i = 0; i < bytes; i++)
                assert_int_equal(table[i], 0xff);
            memory_build(m, &in.setup, &in.subject, 1);
        }
        instance_drop(&in);
    }
}

static void every_pair_of_levels_in_both_orders(void **state)
{
    (void)state;
    static struct setup level[128];
    static uint32_t alone[128];
    static const char *const colors[] = {"8", "48", "256,4", "xor:0x9000,0x12000"};
    static const char *const ages[] = {"off", "2:90:40"};
    unsigned n = 0;
    give_colors("0");
    for_each_registered (policy, p) {
        for (unsigned i = 0; i < 4 && !is_broken(p); i++) {
            const char *map = i || p->colored ? colors[i] : "off"; /* where one colour will do */
            level[n] = instance_setup(p->name, i % 2 ? "nearest" : "next", map, ages[i / 2]);
            level[n].layout.shape = page_shapes[n % 4];
            level[n].layout.stride_bytes = page_shapes[n % 4]->size_bytes + 8 * (n % 5);
            level[n].layout.offset_bytes = 4 * (n % 7);
            n++;
        }
    }
    /* One area for all, as the runner has it; its contents are what the level before left. */
    static struct memory m;
    struct subject on = {.range_count = ARRAY_SIZE(instance_ranges)};
    for (unsigned k = 0; k < on.range_count; k++) {
        on.range[k] = instance_ranges[k];
        on.pages += (uint32_t)pfn_range_pages(instance_ranges[k]);
    }
    for (unsigned a = 0; a < n; a++)
        on.area_bytes = max_u64(
            on.area_bytes, align_up(memory_bytes(&level[a], &on.topology, on.pages), PAGE_SIZE));
    on.area = aligned_alloc(PAGE_SIZE, on.area_bytes);
    for (unsigned a = 0; a < n; a++) {
        memset(on.area, 0, on.area_bytes);
        memory_build(&m, &level[a], &on, 1);
        alone[a] = behaviour(&m);
    }
    for (unsigned a = 0; a < n; a++) {
        for (unsigned b = 0; b < n; b++) {
            memory_build(&m, &level[a], &on, 1);
            assert_int_equal(behaviour(&m), alone[a]);
            memory_build(&m, &level[b], &on, 1);
            if (behaviour(&m) != alone[b])
                fail_msg("%s after %s is not as it is alone", level[b].policy->name,
                         level[a].policy->name);
        }
    }
    free(on.area);
}

int main(void)
{
    if (getenv("TT_LONG"))
        operations_each = OPERATIONS_LONG;
    static char modulo_7[] = "28", modulo_12[] = "48", modulo_64[] = "256",
                xor_8[] = "xor:0x11000,0x22000,0x40000", several[] = "48+32";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_policy_and_fallback_keeps_its_rule, modulo_7),
        cmocka_unit_test_prestate(every_policy_and_fallback_keeps_its_rule, modulo_12),
        cmocka_unit_test_prestate(every_policy_and_fallback_keeps_its_rule, modulo_64),
        cmocka_unit_test_prestate(every_policy_and_fallback_keeps_its_rule, xor_8),
        cmocka_unit_test_prestate(every_policy_and_fallback_keeps_its_rule, several),
        cmocka_unit_test(broken_policies_are_seen),
        cmocka_unit_test(ageing_leaves_the_same_frames_free_to_all),
        cmocka_unit_test(bad_ages_are_refused),
        cmocka_unit_test(aged_memory_conflicts_as_theory_says),
        cmocka_unit_test(a_policy_of_colors_needs_two),
        cmocka_unit_test(tables_are_the_workloads_own),
        cmocka_unit_test(every_pair_of_levels_in_both_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
