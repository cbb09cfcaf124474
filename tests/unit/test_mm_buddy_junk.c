/*
 * CHECK=2: what is freed and what is handed out is filled with different junk, exactly its own
 * frames, and an instance runs its validators now and then. Physical memory is a small array here,
 * reached through both ways of page_address().
 */
#include "host.h"

#include "arch.h"
#include "mm/memory.h"

#include <stdlib.h>
#include <string.h>

#if CHECK < 2
#error "this test is about CHECK=2"
#endif

#define FIRST  0x40u
#define FRAMES 64u

static uint8_t memory[FRAMES * PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static struct pages pages;
static struct buddy buddy;
static struct color_map map;

void *arch_phys_to_virt(phys_t a)
{
    assert_true(a.a >= FIRST * PAGE_SIZE && a.a < (FIRST + FRAMES) * PAGE_SIZE);
    return memory + (a.a - FIRST * PAGE_SIZE);
}

static void assert_all(uint64_t frame, uint64_t frames, uint8_t value)
{
    for (size_t i = 0; i < frames * PAGE_SIZE; i++)
        assert_int_equal(memory[(frame - FIRST) * PAGE_SIZE + i], value);
}

static void junk_covers_exactly_the_block(void **state)
{
    const struct page_shape *shape = *(const struct page_shape **)*state;
    struct page_layout layout = {shape, shape->size_bytes, 0};
    color_map_modulo(&map, 4);
    void *area = malloc(pages_bytes(&layout, FRAMES)), *lists = malloc(buddy_bytes(&map));
    struct pfn_range range = {pfn(FIRST), pfn(FIRST + FRAMES)};
    pages_init(&pages, &layout, area, &range, 1, NULL);
    buddy_init(&buddy, &pages, 0, &map, lists);
    buddy_add_all(&buddy);

    memset(memory, 0x11, sizeof memory);
    pfn_t p = buddy_alloc(&buddy, 2, 0); /* by a split */
    assert_int_equal(p.n, FIRST);
    assert_all(FIRST, 4, 0xa7);
    assert_all(FIRST + 4, FRAMES - 4, 0x11);

    buddy_free(&buddy, p, 2); /* merges with everything, but only its own frames are filled */
    assert_all(FIRST, 4, 0xdb);
    assert_all(FIRST + 4, FRAMES - 4, 0x11);

    assert_true(buddy_take(&buddy, pfn(FIRST + 33), 0));
    assert_all(FIRST + 33, 1, 0xa7);
    assert_all(FIRST + 34, 1, 0x11);
    buddy_alloc(&buddy, 0, 0); /* from a list, without a split */
    assert_int_equal(buddy_alloc(&buddy, 0, 0).n, FIRST + 36);
    assert_all(FIRST + 36, 1, 0xa7);
    assert_null(buddy_check(&buddy));
    free(area);
    free(lists);
}

/* Damage done behind the allocator's back is found within 4096 operations. */
static void an_instance_checks_itself_now_and_then(void **state)
{
    (void)state;
    static struct memory m;
    char err[160];
    struct setup s = {.policy = policy_named("buddy"), .fallback = fallback_named("next")};
    assert_int_equal(color_spec_parse("16", NULL, 0, &s.color, err, sizeof err), 0);
    assert_int_equal(page_layout_parse("2.6", &s.layout, err, sizeof err), 0);
    struct subject on = {
        .range_count = 1, .range = {{pfn(FIRST), pfn(FIRST + FRAMES)}}, .pages = FRAMES};
    on.area_bytes = memory_bytes(&s, &on.topology, FRAMES);
    on.area = malloc(on.area_bytes);
    memory_build(&m, &s, &on, 1);
    struct place_request q = {.pid = 1};
    for (unsigned i = 0; i < 5000; i++)
        memory_free(&m, memory_alloc(&m, &q), 0);
    m.nodes.lists[0].order[6].list[0].count++; /* the one block of all frames */
    assert_panics(for (unsigned i = 0; i < 2049; i++) memory_free(&m, memory_alloc(&m, &q), 0),
                  "shorter than its count");
    free(on.area);
}

int main(void)
{
    static const struct page_shape *computed, *stored;
    computed = page_shapes[2];
    stored = page_shapes[3]; /* 2.6v: the address is in the descriptor */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(junk_covers_exactly_the_block, &computed),
        cmocka_unit_test_prestate(junk_covers_exactly_the_block, &stored),
        cmocka_unit_test(an_instance_checks_itself_now_and_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
