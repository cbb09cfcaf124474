/*
 * Free lists against the naive oracle: a million random operations per colour map, golden orders of
 * delivery, misuse that must panic, and damage that the validator must see.
 */
#include "host.h"

#include "core/rng.h"
#include "mm/buddy.h"
#include "mm_oracle.h"

#include <stdlib.h>
#include <string.h>

#define OPERATIONS 1000000

static struct pages pages;
static struct buddy buddy;
static struct color_map map;
static struct page_layout layout;
static void *area, *lists;

/* Unaligned ends, holes, several blocks of the largest order, one frame alone. */
static const struct pfn_range ranges[] = {
    {{5}, {703}},
    {{1024}, {1024 + 2048 + 301}},
    {{10000}, {10001}},
    {{0x400000 + 17}, {0x400000 + 17 + 560}},
};

static void build(const struct pfn_range *r, unsigned n)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < n; i++)
        count += pfn_range_pages(r[i]);
    layout = (struct page_layout){page_shapes[count % 4], page_shapes[count % 4]->size_bytes, 0};
    area = aligned_alloc(PAGE_SIZE, align_up(pages_bytes(&layout, count), PAGE_SIZE));
    lists = malloc(buddy_bytes(&map));
    pages_init(&pages, &layout, area, r, n, NULL);
    buddy_init(&buddy, &pages, 0, &map, lists);
    buddy_add_all(&buddy);
}

static void drop(void)
{
    free(area);
    free(lists);
}

static void build_plain(uint64_t start, uint64_t frames)
{
    color_map_modulo(&map, 1);
    build(&(struct pfn_range){pfn(start), pfn(start + frames)}, 1);
}

/* ---- against the oracle -------------------------------------------------------------------------
 */

static void right(const char *complaint)
{
    if (complaint)
        fail_msg("%u colours: %s", map.colors, complaint);
}

static unsigned some_order(struct rng *r)
{
    return rng_below(r, 4) ? 0 : rng_below(r, MAX_ORDER + 1);
}

/* Shares of what happened, so that the test cannot pass by never trying. */
static struct {
    unsigned got, split_high, refused, taken, not_taken, freed;
} tried;

static void random_alloc(struct oracle *o, struct rng *r)
{
    unsigned order = some_order(r);
    color_t c = rng_below(r, map.colors);
    pfn_t p = buddy_alloc(&buddy, order, c);
    if (p.n == PFN_NONE.n) {
        assert_false(oracle_could(o, order, c));
        tried.refused++;
        return;
    }
    right(oracle_out(o, p, order));
    assert_true(oracle_covers(o, p, order, c));
    tried.got++;
    tried.split_high += order > 0;
}

static void random_take(struct oracle *o, struct rng *r)
{
    unsigned order = map.max_order ? some_order(r) : 0;
    uint64_t at = align_down(o->frame[rng_below(r, o->frames)].n, 1ul << order);
    bool taken = buddy_take(&buddy, pfn(at), order);
    const char *complaint = oracle_out(o, pfn(at), order);
    if (taken != !complaint)
        fail_msg("take of %lu, order %u: %d, but %s", (unsigned long)at, order, taken,
                 complaint ? complaint : "it was free");
    taken ? tried.taken++ : tried.not_taken++;
}

static void random_operations(uint32_t operations, uint64_t seed)
{
    struct oracle o;
    struct rng r = rng_stream(seed, 4);
    build(ranges, ARRAY_SIZE(ranges));
    oracle_init(&o, &buddy, &map);
    memset(&tried, 0, sizeof tried);
    unsigned filling = 0; /* phases: towards full, towards empty, so that merging gets far */
    for (uint32_t i = 0; i < operations; i++) {
        if (i % 5000 == 0)
            filling = rng_below(&r, 10);
        if (i % 20000 == 0)
            right(oracle_compare(&o));
        if (o.live_count && rng_below(&r, 10) >= filling) {
            struct oracle_block gone = oracle_back(&o, rng_below(&r, o.live_count));
            buddy_free(&buddy, gone.at, gone.order);
            tried.freed++;
        } else if (rng_below(&r, 5)) {
            random_alloc(&o, &r);
        } else {
            random_take(&o, &r);
        }
    }
    right(oracle_compare(&o));
    while (o.live_count) {
        struct oracle_block gone = oracle_back(&o, 0);
        buddy_free(&buddy, gone.at, gone.order);
    }
    right(oracle_compare(&o));
    assert_int_equal(buddy_free_pages(&buddy), pages.count);
    oracle_drop(&o);
    drop();
    uint32_t least = operations / 200;
    assert_true(tried.got > least && tried.refused > least && tried.taken > least);
    assert_true(tried.not_taken > least && tried.freed > least);
    assert_true(map.max_order == 0 || tried.split_high > least);
}

static void random_operations_modulo(void **state)
{
    color_map_modulo(&map, *(const uint32_t *)*state);
    random_operations(OPERATIONS, map.colors);
}

static void random_operations_xor(void **state)
{
    (void)state;
    /* 16 colours: two hashed bits, one plain, one that the largest order does not reach. */
    static const uint64_t masks[] = {0x249000, 0x112000, 0x4000, 0x1800000};
    assert_true(color_map_xor(&map, masks, ARRAY_SIZE(masks)));
    random_operations(OPERATIONS, 5);
}

static void random_operations_table(void **state)
{
    (void)state;
    static color_t table[0x500000];
    struct rng r = rng_stream(2, 5);
    for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
        table[i] = rng_below(&r, 11);
    color_map_table(&map, table, pfn(0), 11);
    random_operations(OPERATIONS, 6);
}

/* ---- golden orders of delivery
 * -------------------------------------------------------------------- */

static void assert_delivers(unsigned order, color_t c, uint64_t expect)
{
    assert_int_equal(buddy_alloc(&buddy, order, c).n, expect);
}

static void a_fresh_instance_counts_upwards(void **state)
{
    (void)state;
    build_plain(1024, 4096);
    for (uint64_t f = 1024; f < 1024 + 4096; f++)
        assert_delivers(0, 0, f);
    assert_delivers(0, 0, PFN_NONE.n);
    drop();
    /* The odd ends of a range are blocks of lower order and go first, the lower end before. */
    build_plain(1021, 1024 + 6);
    static const uint64_t ends[] = {1021, 1022, 1023, 2048, 2049, 2050, 1024, 1025, 1026};
    assert_delivers(0, 0, ends[0]);
    assert_delivers(0, 0, 2050);
    for (uint64_t f = 1022; f < 1024; f++)
        assert_delivers(0, 0, f);
    for (uint64_t f = 2048; f < 2050; f++)
        assert_delivers(0, 0, f);
    assert_delivers(0, 0, 1024);
    drop();
}

static void freed_blocks_come_back_newest_first(void **state)
{
    (void)state;
    build_plain(0, 1024);
    for (uint64_t f = 0; f < 16; f++)
        assert_delivers(0, 0, f);
    static const uint64_t freed[] = {3, 9, 0, 12, 7};
    for (unsigned i = 0; i < ARRAY_SIZE(freed); i++)
        buddy_free(&buddy, pfn(freed[i]), 0);
    for (unsigned i = ARRAY_SIZE(freed); i-- > 0;)
        assert_delivers(0, 0, freed[i]);
    /* 8 and 9 merge to a pair, which is only split when no single is left. */
    buddy_free(&buddy, pfn(8), 0);
    buddy_free(&buddy, pfn(9), 0);
    buddy_free(&buddy, pfn(5), 0);
    assert_delivers(0, 0, 5);
    assert_delivers(0, 0, 8);
    assert_delivers(0, 0, 9);
    assert_delivers(0, 0, 16);
    assert_delivers(3, 0, 24);
    drop();
}

static void coloured_delivery(void **state)
{
    (void)state;
    color_map_modulo(&map, 8);
    build(&(struct pfn_range){pfn(0), pfn(32)}, 1);
    /* The lower half wherever both cover 5, so 16, 8, 0, 6 and 4 stay, in orders 4, 3, 2, 1, 0. */
    assert_delivers(0, 5, 5);
    /* Smallest order with a block for 5: 8..15. Leaves 8, 14, 12. */
    assert_delivers(0, 5, 13);
    /* 4 and 12 are single, so 16..31 is split: 24, 16, 22 stay. */
    assert_delivers(1, 4, 20);
    assert_delivers(0, 4, 12); /* newest single of colour 4, then the older one */
    assert_delivers(0, 4, 4);
    assert_delivers(0, 6, 22); /* newest pair that covers 6 and 7, of 22, 14, 6 */
    assert_delivers(1, 7, 14);
    assert_delivers(0, 7, 23);
    assert_delivers(0, 7, 7);
    assert_delivers(0, 7, 31);
    assert_delivers(0, 7, PFN_NONE.n);
    drop();
}

static void a_higher_order_is_coloured_too(void **state)
{
    (void)state;
    color_map_modulo(&map, 512);
    build(&(struct pfn_range){pfn(0), pfn(4096)}, 1);
    for (unsigned k = 0; k <= 8; k++) {
        color_t c = (300u >> k) << k;
        pfn_t p = buddy_alloc(&buddy, k, 300);
        assert_int_equal(color_of(&map, p), c);
        buddy_free(&buddy, p, k);
    }
    drop();
}

/* ---- misuse
 * -------------------------------------------------------------------------------------- */

static void misuse_panics(void **state)
{
    (void)state;
    color_map_modulo(&map, 16);
    build(ranges, ARRAY_SIZE(ranges));
    pfn_t p = buddy_alloc(&buddy, 2, 4);
    assert_panics(buddy_free(&buddy, p, 1), "wrong order");
    assert_panics(buddy_free(&buddy, pfn(p.n + 1), 0), "double free or wrong order");
    buddy_free(&buddy, p, 2);
    assert_panics(buddy_free(&buddy, p, 2), "double free");
    assert_panics(buddy_free(&buddy, pfn(9999), 0), "in no range");
    assert_panics(buddy_free(&buddy, PFN_NONE, 0), "in no range");
    assert_panics(buddy_alloc(&buddy, MAX_ORDER + 1, 0), "MAX_ORDER");
    assert_panics(buddy_alloc(&buddy, 0, 16), "colors");
    assert_panics(buddy_take(&buddy, pfn(1025), 1), "order");
    assert_false(buddy_take(&buddy, pfn(9999), 0));
    assert_null(buddy_check(&buddy));
    drop();
}

/* ---- damage
 * --------------------------------------------------------------------------------------- */

/* Sixteen frames with free singles 1, 3, 5, ... on one list; returns the list. */
static struct free_list *odd_singles(void)
{
    build_plain(0, 16);
    for (uint64_t f = 0; f < 16; f++)
        buddy_alloc(&buddy, 0, 0);
    for (uint64_t f = 1; f < 16; f += 2)
        buddy_free(&buddy, pfn(f), 0);
    assert_null(buddy_check(&buddy));
    return &buddy.order[0].list[0];
}

static void assert_seen(const char *says)
{
    const char *broken = buddy_check(&buddy);
    if (!broken || !strstr(broken, says))
        fail_msg("expected \"%s\", got \"%s\"", says, broken ? broken : "(nothing)");
}

static void damage_to_lists_is_seen(void **state)
{
    (void)state;
    struct free_list *l = odd_singles(); /* 15, 13, ..., 1 */
    *page_next(&pages, 13) = 16;
    assert_seen("points past the descriptors");
    *page_next(&pages, 13) = 15; /* a circle */
    assert_seen("does not point back");
    *page_next(&pages, 13) = PAGE_NR_NONE;
    assert_seen("shorter than its count");
    *page_next(&pages, 13) = 10;
    assert_seen("state or order is wrong");
    *page_next(&pages, 13) = 11;
    uint32_t back = *page_prev(&pages, 11);
    *page_prev(&pages, 11) = 3;
    assert_seen("does not point back");
    *page_prev(&pages, 11) = back;
    l->count--; /* what the patch posted for 2.4.17 did on every merge, without its counterpart */
    assert_seen("longer than its count");
    l->count += 2;
    assert_seen("shorter than its count");
    l->count--;
    l->first = 13; /* 15 is free and on no list */
    l->count--;
    assert_seen("on no list");
    l->first = 15;
    l->count++;
    assert_null(buddy_check(&buddy));
    drop();
}

static void damage_to_blocks_is_seen(void **state)
{
    (void)state;
    odd_singles();
    page_set_block(&pages, 5, PAGE_FREE, 1);
    assert_seen("state or order is wrong");
    page_set_block(&pages, 5, PAGE_FREE, 0);
    page_set_block(&pages, 4, PAGE_USED, 1); /* covers 5, which is free */
    assert_seen("two blocks overlap");
    page_set_block(&pages, 4, PAGE_USED, 4);
    assert_seen("not aligned or leaves its range");
    page_set_block(&pages, 4, PAGE_USED, 15);
    assert_seen("not aligned or leaves its range");
    page_set_block(&pages, 4, PAGE_USED, 0);
    assert_null(buddy_check(&buddy));
    /* 4 put on the list beside 5 as if nothing had merged. */
    list_add(&buddy, &buddy.order[0], 4, 0, 0, NULL);
    assert_seen("not merged");
    drop();
}

static void damage_to_classes_is_seen(void **state)
{
    (void)state;
    color_map_modulo(&map, 6); /* order 2 has an interval and so a bitmap */
    build(&(struct pfn_range){pfn(0), pfn(12)}, 1);
    assert_non_null(buddy.order[2].bitmap);
    buddy.order[2].bitmap[0] ^= 1;
    assert_seen("bitmap bit");
    buddy.order[2].bitmap[0] ^= 1;
    buddy_take(&buddy, pfn(8), 2);
    buddy.order[2].bitmap[0] ^= 1ul << (8 % 6 / 2);
    assert_seen("bitmap bit");
    buddy.order[2].bitmap[0] ^= 1ul << (8 % 6 / 2);
    assert_null(buddy_check(&buddy));
    const struct buddy_order *o = &buddy.order[2];
    list_add(&buddy, o, 8, 2, 0, o->bitmap); /* class of frame 8 is 1 */
    assert_seen("another class");
    drop();
}

int main(void)
{
    static uint32_t colors[] = {1, 3, 7, 12, 64, 96, 512};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(random_operations_modulo, &colors[0]),
        cmocka_unit_test_prestate(random_operations_modulo, &colors[1]),
        cmocka_unit_test_prestate(random_operations_modulo, &colors[2]),
        cmocka_unit_test_prestate(random_operations_modulo, &colors[3]),
        cmocka_unit_test_prestate(random_operations_modulo, &colors[4]),
        cmocka_unit_test_prestate(random_operations_modulo, &colors[5]),
        cmocka_unit_test_prestate(random_operations_modulo, &colors[6]),
        cmocka_unit_test(random_operations_xor),
        cmocka_unit_test(random_operations_table),
        cmocka_unit_test(a_fresh_instance_counts_upwards),
        cmocka_unit_test(freed_blocks_come_back_newest_first),
        cmocka_unit_test(coloured_delivery),
        cmocka_unit_test(a_higher_order_is_coloured_too),
        cmocka_unit_test(misuse_panics),
        cmocka_unit_test(damage_to_lists_is_seen),
        cmocka_unit_test(damage_to_blocks_is_seen),
        cmocka_unit_test(damage_to_classes_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
