/* Pagevecs of every kind, and LRU lists against a naive oracle. */
#include "host.h"

#include "core/errno.h"
#include "core/rng.h"
#include "mm/lru.h"

#include <stdlib.h>
#include <string.h>

/* ---- pagevecs -------------------------------------------------------------------------------- */

static unsigned bytes_of(const char *name)
{
    struct pagevec_layout l;
    char err[160];
    assert_int_equal(pagevec_layout_parse(name, &l, err, sizeof err), 0);
    return l.kind->header_bytes + pagevec_capacity(l.kind, 1) * l.kind->entry_bytes;
}

/* The sizes that the seed and the kernels' sources give. */
static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(bytes_of("16"), 136);
    assert_int_equal(bytes_of("15"), 128);
    assert_int_equal(bytes_of("14"), 128);
    assert_int_equal(bytes_of("15u8"), 128);
    assert_int_equal(bytes_of("31"), 256);
    assert_int_equal(bytes_of("4"), 40);
    assert_int_equal(bytes_of("16p32"), 72);
    assert_int_equal(bytes_of("15p32"), 64);
}

static void test_capacity_by_cpus(void **state)
{
    static const unsigned cpus[] = {1, 2, 4, 8, 16, 32, 64, 512};
    static const unsigned expected[] = {4, 4, 8, 12, 16, 20, 24, 36}; /* as posted */
    struct pagevec_layout l;
    char err[160];
    (void)state;
    assert_int_equal(pagevec_layout_parse("lg", &l, err, sizeof err), 0);
    for (unsigned i = 0; i < ARRAY_SIZE(cpus); i++)
        assert_int_equal(pagevec_capacity(l.kind, cpus[i]), expected[i]);
    assert_int_equal(pagevec_capacity(l.kind, 3), 8);
}

/* Fills each kind at several offsets: nothing outside of its bytes changes. */
static void test_every_kind(void **state)
{
    (void)state;
    for (unsigned k = 0; pagevec_kinds[k]; k++) {
        for (unsigned offset = 0; offset < PAGEVEC_OFFSET_MAX; offset += 28) {
            uint8_t memory[PAGEVEC_OFFSET_MAX + PAGEVEC_BYTES_MAX + 8]
                __attribute__((aligned(128)));
            struct pagevec_layout l = {pagevec_kinds[k], offset};
            struct pagevec v;
            if (l.kind->entry_bytes == 8 && offset % 8)
                continue; /* unaligned for the host's sanitizer */
            memset(memory, 0xa5, sizeof memory);
            pagevec_init(&v, &l, 4, memory);
            assert_int_equal(pagevec_count(&v), 0);
            for (unsigned i = 0; i < v.capacity; i++)
                assert_int_equal(pagevec_add(&v, 0xfffffff0u + i), v.capacity - i - 1);
            assert_int_equal(pagevec_count(&v), v.capacity);
            for (unsigned i = 0; i < v.capacity; i++)
                assert_int_equal(pagevec_get(&v, i), 0xfffffff0u + i);
            unsigned end = offset + l.kind->header_bytes + v.capacity * l.kind->entry_bytes;
            for (unsigned i = 0; i < sizeof memory; i++)
                if (i < offset || i >= end)
                    assert_int_equal(memory[i], 0xa5);
        }
    }
}

static void test_wrong_words(void **state)
{
    static const char *const texts[] = {"", "17", "16+", "16+2", "16+128", "16p32+x", "+4"};
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
        struct pagevec_layout l;
        char err[160] = "";
        assert_int_equal(pagevec_layout_parse(texts[i], &l, err, sizeof err), -TT_EINVAL);
        assert_non_null(strstr(err, "15p32"));
    }
}

/* ---- LRU lists ------------------------------------------------------------------------------- */

#define PAGES 300

static struct {
    struct pages pages;
    struct lru lru;
    void *area;
    /* the oracle: pages of each list, newest first */
    uint32_t order[LRU_LISTS][PAGES];
    unsigned n[LRU_LISTS];
    int list[PAGES]; /* which list, -1: none */
} t;

static int set_up(void **state)
{
    struct page_layout l;
    char err[160];
    struct pfn_range range = {pfn(1000), pfn(1000 + PAGES)};
    (void)state;
    assert_int_equal(page_layout_parse("2.6:56", &l, err, sizeof err), 0);
    t.area = aligned_alloc(PAGE_SIZE, align_up(pages_bytes(&l, PAGES), PAGE_SIZE));
    pages_init(&t.pages, &l, t.area, &range, 1, NULL);
    for (uint32_t i = 0; i < PAGES; i++) {
        page_set_block(&t.pages, i, PAGE_USED, 0);
        t.list[i] = -1;
    }
    lru_init(&t.lru, &t.pages, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(t.area);
    return 0;
}

static void oracle_take(uint32_t page)
{
    int which = t.list[page];
    unsigned i = 0;
    while (t.order[which][i] != page)
        i++;
    memmove(&t.order[which][i], &t.order[which][i + 1], (--t.n[which] - i) * sizeof(uint32_t));
    t.list[page] = -1;
}

static void oracle_put(int which, uint32_t page)
{
    memmove(&t.order[which][1], &t.order[which][0], t.n[which]++ * sizeof(uint32_t));
    t.order[which][0] = page;
    t.list[page] = which;
}

static void compare(void)
{
    const char *broken = lru_check(&t.lru);
    if (broken)
        fail_msg("%s", broken);
    for (int which = 0; which < LRU_LISTS; which++) {
        uint32_t p = t.lru.list[which].first;
        assert_int_equal(t.lru.list[which].count, t.n[which]);
        for (unsigned i = 0; i < t.n[which]; i++, p = *page_next(&t.pages, p))
            assert_int_equal(p, t.order[which][i]);
    }
}

static void add_some(struct rng *rng)
{
    uint8_t memory[PAGEVEC_BYTES_MAX + PAGEVEC_OFFSET_MAX] __attribute__((aligned(128)));
    struct pagevec_layout l = {pagevec_kinds[rng_below(rng, 9)], 0};
    struct pagevec v;
    enum lru_list which = (enum lru_list)rng_below(rng, LRU_LISTS);
    pagevec_init(&v, &l, 1, memory);
    for (unsigned tries = rng_below(rng, v.capacity + 1); tries; tries--) {
        uint32_t page = rng_below(rng, PAGES);
        if (t.list[page] >= 0)
            continue;
        fetch_add(page_field(&t.pages, page, t.pages.shape->count), 1);
        pagevec_add(&v, page);
        oracle_put((int)which, page);
    }
    lru_add(&t.lru, which, &v);
    assert_int_equal(pagevec_count(&v), 0);
}

static void test_lists_against_the_oracle(void **state)
{
    struct rng rng = {3};
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t page = rng_below(&rng, PAGES);
        switch (rng_below(&rng, 4)) {
        case 0:
            add_some(&rng);
            break;
        case 1:
            assert_int_equal(lru_remove(&t.lru, page), t.list[page] >= 0);
            if (t.list[page] >= 0)
                oracle_take(page);
            break;
        case 2:
            assert_int_equal(lru_activate(&t.lru, page), t.list[page] >= 0);
            if (t.list[page] >= 0) {
                oracle_take(page);
                oracle_put(LRU_ACTIVE, page);
            }
            break;
        default: {
            int which = (int)rng_below(&rng, LRU_LISTS);
            uint32_t oldest = lru_take_oldest(&t.lru, (enum lru_list)which);
            if (!t.n[which]) {
                assert_int_equal(oldest, PAGE_NR_NONE);
            } else {
                assert_int_equal(oldest, t.order[which][t.n[which] - 1]);
                oracle_take(oldest);
            }
        }
        }
        compare();
    }
    for (uint32_t i = 0; i < PAGES; i++)
        assert_int_equal(*page_field(&t.pages, i, t.pages.shape->count), 0);
}

/* Pages of two nodes in one pagevec: each goes to its node's lists, in order. */
static void test_pages_go_to_their_nodes(void **state)
{
    uint8_t memory[PAGEVEC_BYTES_MAX + PAGEVEC_OFFSET_MAX] __attribute__((aligned(128)));
    static const struct numa numa = {
        .nodes = 2, .ranges = 1, .range = {{{{1150ul << PAGE_SHIFT}, {1ul << 40}}, 1}}};
    static struct lru lru[2];
    struct pfn_range range = {pfn(1000), pfn(1000 + PAGES)};
    struct pagevec_layout l = {pagevec_kinds[0], 0};
    struct page_layout shape;
    struct pagevec v;
    char err[160];
    (void)state;
    assert_int_equal(page_layout_parse("2.6:56", &shape, err, sizeof err), 0);
    pages_init(&t.pages, &shape, t.area, &range, 1, &numa);
    for (unsigned i = 0; i < 2; i++)
        lru_init(&lru[i], &t.pages, i);
    pagevec_init(&v, &l, 1, memory);
    static const uint32_t page[] = {10, 160, 161, 11};
    for (unsigned i = 0; i < ARRAY_SIZE(page); i++) {
        page_set_block(&t.pages, page[i], PAGE_USED, 0);
        fetch_add(page_field(&t.pages, page[i], t.pages.shape->count), 1);
        pagevec_add(&v, page[i]);
    }
    lru_add(lru, LRU_INACTIVE, &v);
    for (unsigned i = 0; i < 2; i++) {
        assert_null(lru_check(&lru[i]));
        assert_int_equal(lru[i].list[LRU_INACTIVE].count, 2);
        assert_false(lock_held(&lru[i].lock));
    }
    assert_int_equal(lru[0].list[LRU_INACTIVE].first, 11);
    assert_int_equal(lru[1].list[LRU_INACTIVE].first, 161);
    lru[0].node = 1;
    assert_string_equal(lru_check(&lru[0]), "a page is on an LRU list of another node");
}

static void test_a_page_is_not_added_twice(void **state)
{
    uint8_t memory[PAGEVEC_BYTES_MAX + PAGEVEC_OFFSET_MAX] __attribute__((aligned(128)));
    struct pagevec_layout l = {pagevec_kinds[0], 0};
    struct pagevec v;
    (void)state;
    pagevec_init(&v, &l, 1, memory);
    pagevec_add(&v, 5);
    pagevec_add(&v, 5);
    assert_panics(lru_add(&t.lru, LRU_INACTIVE, &v), "on_list");
}

static void test_the_check_sees_damage(void **state)
{
    uint8_t memory[PAGEVEC_BYTES_MAX + PAGEVEC_OFFSET_MAX] __attribute__((aligned(128)));
    struct pagevec_layout l = {pagevec_kinds[0], 0};
    struct pagevec v;
    (void)state;
    pagevec_init(&v, &l, 1, memory);
    for (uint32_t i = 10; i < 14; i++)
        pagevec_add(&v, i);
    lru_add(&t.lru, LRU_INACTIVE, &v);
    assert_null(lru_check(&t.lru));
    t.lru.list[LRU_INACTIVE].count++;
    assert_non_null(lru_check(&t.lru));
    t.lru.list[LRU_INACTIVE].count--;
    *page_flag_word(&t.pages, 11) |= PAGE_ACTIVE;
    assert_non_null(lru_check(&t.lru));
    *page_flag_word(&t.pages, 11) &= ~(uint32_t)PAGE_ACTIVE;
    *page_prev(&t.pages, 12) = 10;
    assert_non_null(lru_check(&t.lru));
    *page_prev(&t.pages, 12) = 13;
    *page_next(&t.pages, 11) = 13; /* a ring */
    assert_non_null(lru_check(&t.lru));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_capacity_by_cpus),
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_wrong_words),
        cmocka_unit_test_setup_teardown(test_lists_against_the_oracle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pages_go_to_their_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_page_is_not_added_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_check_sees_damage, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
