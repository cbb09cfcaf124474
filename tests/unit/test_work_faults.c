/*
 * The workload `faults` away from page tables: its program touches what the plan says, interleaved,
 * and its oracle of shared pages against one more naive still, that copies every page at a fork.
 */
#include "host.h"

#include "core/types.h"
#include "work/faults_oracle.h"

#include <stdlib.h>
#include <string.h>

#define PAGES 100u

static struct touch touch[FAULTS_SPACES * PAGES];
static uint32_t order[FAULTS_SPACES * PAGES];

static void a_program_touches_each_page_once(void **state)
{
    (void)state;
    const struct touch_plan plan[FAULTS_SPACES] = {
        {0, PAGES, 100, 75}, {10, 50, 50, 100}, {0, 0, 100, 0}, {99, 100, 100, 0}};
    unsigned seen[FAULTS_SPACES][PAGES] = {{0}}, writes[FAULTS_SPACES] = {0};
    struct rng r = rng_stream(1, 2);
    uint32_t n = faults_interleave(plan, &r, touch, order);
    assert_int_equal(n, PAGES + 20 + 0 + 1);
    for (uint32_t i = 0; i < n; i++) {
        const struct touch *t = &touch[i];
        assert_true(t->page >= plan[t->space].first && t->page < plan[t->space].end);
        assert_int_equal(seen[t->space][t->page]++, 0);
        writes[t->space] += t->write;
    }
    assert_true(writes[0] > 60 && writes[0] < 90);
    assert_int_equal(writes[1], 20);
    assert_int_equal(writes[3], 0);
}

static void the_same_seed_is_the_same_program(void **state)
{
    (void)state;
    static struct touch again[FAULTS_SPACES * PAGES];
    const struct touch_plan plan[FAULTS_SPACES] = {{0, PAGES, 100, 50}, {0, PAGES, 100, 50}};
    struct rng a = rng_stream(7, 1), b = a, c = rng_stream(8, 1);
    uint32_t n = faults_interleave(plan, &a, touch, order);
    assert_int_equal(faults_interleave(plan, &b, again, order), n);
    for (uint32_t i = 0; i < n; i++)
        assert_true(touch[i].page == again[i].page && touch[i].space == again[i].space &&
                    touch[i].write == again[i].write);
    faults_interleave(plan, &c, again, order);
    unsigned differ = 0, turns = 0;
    for (uint32_t i = 1; i < n; i++) {
        differ += touch[i].page != again[i].page;
        turns += touch[i].space != touch[i - 1].space;
    }
    assert_true(turns > n / (2 * FAULTS_BURST)); /* bursts of a space are two at most, on average */
    assert_true(differ > n / 2);
}

/* ---- the oracle --------------------------------------------------------------------------------
 */

/* Every space has all its bytes: no sharing, nothing to get wrong. */
static struct {
    bool mapped[FAULTS_SPACES][PAGES];
    uint32_t value[FAULTS_SPACES][PAGES][ORACLE_WORDS];
} plain;

static void assert_same(const struct faults_oracle *o)
{
    for (unsigned s = 0; s < FAULTS_SPACES; s++) {
        for (uint32_t page = 0; page < PAGES; page++) {
            const uint32_t *value = oracle_values(o, s, page);
            assert_int_equal(value != NULL, plain.mapped[s][page]);
            if (value)
                assert_memory_equal(value, plain.value[s][page], sizeof plain.value[s][page]);
        }
    }
}

static void touch_both(struct faults_oracle *o, unsigned space, uint32_t page, bool write,
                       uint32_t value)
{
    struct touch t = {page, (uint8_t)space, write};
    unsigned word = value % ORACLE_WORDS;
    oracle_touch(o, &t, word, value);
    if (!plain.mapped[space][page])
        memset(plain.value[space][page], 0, sizeof plain.value[space][page]);
    plain.mapped[space][page] = true;
    if (write)
        plain.value[space][page][word] = value;
}

static void forks_look_like_copies(void **state)
{
    (void)state;
    void *memory = malloc(oracle_bytes(PAGES));
    struct faults_oracle o;
    struct rng r = rng_stream(3, 3);
    memset(&plain, 0, sizeof plain);
    oracle_init(&o, PAGES, memory);
    for (uint32_t page = 0; page < PAGES; page++) {
        touch_both(&o, 0, page, true, page + 1);
        touch_both(&o, 1, page, page % 2, page + 1000);
    }
    assert_int_equal(o.demand, 2 * PAGES);
    assert_int_equal(o.copied + o.reused, 0);
    for (unsigned s = 0; s < 2; s++) {
        oracle_fork(&o, 2 + s, s);
        memcpy(plain.mapped[2 + s], plain.mapped[s], sizeof plain.mapped[s]);
        memcpy(plain.value[2 + s], plain.value[s], sizeof plain.value[s]);
    }
    for (unsigned i = 0; i < 300; i++)
        touch_both(&o, rng_below(&r, 4), rng_below(&r, PAGES), rng_below(&r, 2), i);
    assert_same(&o);
    assert_true(o.copied > 50 && o.reused > 5);
    oracle_unmap(&o, 2, 0, 25);
    memset(plain.mapped[2], 0, 25 * sizeof plain.mapped[2][0]);
    assert_same(&o);
    uint64_t demand = o.demand;
    for (uint32_t page = 0; page < 25; page++)
        touch_both(&o, 2, page, false, 0);
    assert_int_equal(o.demand, demand + 25);
    assert_same(&o);
    free(memory);
}

static void one_page_by_hand(void **state)
{
    (void)state;
    void *memory = malloc(oracle_bytes(1));
    struct faults_oracle o;
    oracle_init(&o, 1, memory);
    oracle_touch(&o, &(struct touch){0, 0, false}, 0, 1); /* demand: a frame of its own, writable */
    oracle_touch(&o, &(struct touch){0, 0, true}, 0, 2);
    assert_int_equal(o.demand, 1);
    oracle_fork(&o, 2, 0);
    oracle_touch(&o, &(struct touch){0, 2, true}, 0, 3); /* shared by two: a copy */
    oracle_touch(&o, &(struct touch){0, 2, true}, 0, 4);
    assert_int_equal(o.copied, 1);
    oracle_touch(&o, &(struct touch){0, 0, true}, 0, 5); /* the last sharer */
    assert_int_equal(o.reused, 1);
    oracle_fork(&o, 3, 0);
    oracle_unmap(&o, 3, 0, 1);
    oracle_protect(&o, 0, 0, 1); /* not shared any more: opened for writing at once */
    oracle_touch(&o, &(struct touch){0, 0, true}, 0, 6);
    assert_int_equal(o.reused, 1);
    assert_int_equal(oracle_values(&o, 0, 0)[0], 6);
    assert_int_equal(oracle_values(&o, 2, 0)[0], 4);
    assert_null(oracle_values(&o, 3, 0));
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_touches_each_page_once),
        cmocka_unit_test(the_same_seed_is_the_same_program),
        cmocka_unit_test(forks_look_like_copies),
        cmocka_unit_test(one_page_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
