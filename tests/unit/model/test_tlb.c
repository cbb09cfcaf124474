/*
 * The modelled TLB against a list: the same misses, whatever the pages' numbers do to the tables
 * that make it quick. The differential test has too few pages for that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/model/tlb.h"

#define STEPS 100000u

/* Pages in order of use, most recent first, for each set. */
struct list {
    uint64_t page[MACHINE_MAX_TLB];
    uint32_t used[MACHINE_MAX_TLB];
};

static bool list_miss(struct list *list, uint32_t sets, uint32_t ways, uint64_t page)
{
    uint32_t set = (uint32_t)(page % sets);
    uint64_t *pages = &list->page[set * ways];
    uint32_t at = 0;
    bool miss;

    while (at < list->used[set] && pages[at] != page) {
        at++;
    }
    miss = at == list->used[set];
    if (miss && at < ways) {
        list->used[set]++;
    } else if (miss) {
        at--;
    }
    memmove(pages + 1, pages, at * sizeof(*pages));
    pages[0] = page;
    return miss;
}

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % limit);
}

/* Few pages, pages that share a place, all the pages of a loop, the last ones there are. */
static uint64_t next_page(uint32_t step, uint32_t entries)
{
    switch (step / 1000 % 4) {
    case 0:
        return random_below(2 * entries + 1);
    case 1:
        return random_below(8) + (uint64_t)random_below(entries + 2) * TLB_PLACES;
    case 2:
        return step % (entries + 1);
    default:
        return (UINT64_C(1) << 52) - 1 - random_below(2 * entries + 1);
    }
}

static void compare(uint32_t entries, uint32_t ways)
{
    static struct list list;
    struct tlb tlb;
    uint32_t misses = 0;

    random_state = entries + ways;
    memset(&list, 0, sizeof(list));
    assert_int_equal(tlb_init(&tlb, entries, ways), 0);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint64_t page = next_page(step, entries);
        bool miss = list_miss(&list, entries / ways, ways, page);

        if (tlb_miss(&tlb, page) != miss) {
            fail_msg("%u entries, %u ways, step %u, page %llu: expected a %s", entries, ways, step,
                     (unsigned long long)page, miss ? "miss" : "hit");
        }
        misses += miss;
        if (step % 7777 == 7776) {
            tlb_clear(&tlb);
            memset(&list, 0, sizeof(list));
        }
    }
    assert_in_range(misses, 1000, STEPS - 1000);
    tlb_destroy(&tlb);
}

static void test_fully_associative(void **state)
{
    (void)state;
    compare(1, 1);
    compare(16, 16);
    compare(128, 128);
    compare(MACHINE_MAX_TLB, MACHINE_MAX_TLB);
}

static void test_sets(void **state)
{
    (void)state;
    compare(16, 4);
    compare(64, 1);
}

static void test_none(void **state)
{
    struct tlb tlb;

    (void)state;
    assert_int_equal(tlb_init(&tlb, 0, 0), 0);
    assert_false(tlb_miss(&tlb, 0));
    assert_false(tlb_miss(&tlb, 1));
    tlb_destroy(&tlb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fully_associative),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
