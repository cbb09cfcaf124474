/* Per-CPU page lists over whole instances: several "CPUs", every kind of policy, out of memory. */
#include "host.h"

#include "mm/pcp.h"
#include "mm_instance.h"

#include <stdlib.h>
#include <string.h>

#define CPUS  4
#define STEPS 200000

static struct instance instance;
static struct pcp pcp;

struct held {
    pfn_t at;
    unsigned order;
};

static void build(const char *alloc, const char *colors, unsigned batch, unsigned high)
{
    struct setup s = instance_setup(alloc, "next", colors, "off");
    instance_build(&instance, &s, instance_ranges, 4, 1);
    void *lists = aligned_alloc(128, pcp_bytes(&instance.memory, CPUS));
    pcp_init(&pcp, &instance.memory, CPUS, batch, high, lists);
}

static void drop(void)
{
    free(pcp.cpu[0].list[0]);
    instance_drop(&instance);
    host_cpu = 0;
}

static void assert_good(void)
{
    const char *broken = pcp_check(&pcp);
    if (!broken)
        broken = memory_check(&instance.memory);
    if (broken)
        fail_msg("%s", broken);
}

/* Each frame belongs to one holder at most. */
static void mark(uint8_t *owned, struct held h, uint8_t before, uint8_t after)
{
    struct pages *pages = &instance.memory.pages;
    const struct page_range *r = pages_find_range(pages, h.at);
    assert_non_null(r);
    uint32_t nr = (uint32_t)(h.at.n - r->start) + r->first;
    for (uint32_t i = 0; i < 1u << h.order; i++) {
        assert_int_equal(owned[nr + i], before);
        owned[nr + i] = after;
    }
}

static void work(const char *alloc, const char *colors, unsigned batch, unsigned high)
{
    struct rng rng = {batch};
    static struct held held[4096];
    unsigned n = 0, failed = 0;
    build(alloc, colors, batch, high);
    uint64_t all = buddy_free_pages(&instance.memory.nodes.lists[0]);
    uint8_t *owned = calloc(instance.memory.pages.count, 1);
    for (unsigned step = 0; step < STEPS; step++) {
        host_cpu = rng_below(&rng, CPUS);
        /* Waves: mostly allocating, then mostly freeing; at the top nothing is left. */
        bool more = rng_below(&rng, 10) < (step / 8000 % 2 ? 3u : 7u);
        if (more && n < ARRAY_SIZE(held)) {
            struct place_request q = {.va = ARCH_WINDOW + ((uintptr_t)rng_below(&rng, 4096) << 12),
                                      .pid = 1,
                                      .order = rng_below(&rng, 8) ? 0 : rng_below(&rng, 5)};
            struct held h = {pcp_alloc(&pcp, &q), q.order};
            if (h.at.n == PFN_NONE.n) {
                failed++;
                continue;
            }
            mark(owned, h, 0, 1);
            held[n++] = h;
        } else if (n) {
            unsigned i = rng_below(&rng, n);
            mark(owned, held[i], 1, 0);
            pcp_free(&pcp, held[i].at, held[i].order); /* on a CPU that did not get it */
            held[i] = held[--n];
        }
        if (step % 997 == 0)
            assert_good();
    }
    assert_good();
    assert_true(failed > 0); /* it was full: so the lists were drained */
    while (n) {
        n--;
        pcp_free(&pcp, held[n].at, held[n].order);
    }
    pcp_drain(&pcp);
    assert_good();
    assert_int_equal(buddy_free_pages(&instance.memory.nodes.lists[0]), all);
    free(owned);
    drop();
}

static void test_buddy(void **state)
{
    (void)state;
    work("buddy", "64,1", 16, 64);
}

static void test_colors(void **state)
{
    (void)state;
    work("va", "64,1", 4, 8);
}

static void test_picking_policy(void **state)
{
    (void)state;
    work("random", "64,1", 1, 1);
}

/* The lock of the instance is for batches only. */
static void test_batches(void **state)
{
    struct place_request q = {.va = ARCH_WINDOW, .pid = 1};
    pfn_t p[40];
    (void)state;
    build("buddy", "off", 16, 32);
    uint64_t all = buddy_free_pages(&instance.memory.nodes.lists[0]);
    for (unsigned i = 0; i < 40; i++) {
        p[i] = pcp_alloc(&pcp, &q);
        assert_int_equal(all - buddy_free_pages(&instance.memory.nodes.lists[0]),
                         (i / 16 + 1) * 16);
    }
    host_cpu = 2;
    for (unsigned i = 0; i < 40; i++)
        pcp_free(&pcp, p[i], 0);
    /* 32 make it high: 16 go back, and 8 come on top of what is left. */
    assert_int_equal(pcp.cpu[2].list[0]->count, 24);
    assert_int_equal(all - buddy_free_pages(&instance.memory.nodes.lists[0]), 48 - 16);
    drop();
}

/* What one CPU keeps, another one gets when there is nothing else. */
static void test_drain_when_short(void **state)
{
    struct place_request q = {.va = ARCH_WINDOW, .pid = 1};
    (void)state;
    build("buddy", "off", 64, 128);
    uint64_t all = buddy_free_pages(&instance.memory.nodes.lists[0]);
    for (uint64_t i = 0; i < all; i++) {
        host_cpu = (unsigned)(i % CPUS);
        assert_true(pcp_alloc(&pcp, &q).n != PFN_NONE.n);
    }
    assert_true(pcp_alloc(&pcp, &q).n == PFN_NONE.n);
    drop();
}

static void test_double_free_panics(void **state)
{
    struct place_request q = {.va = ARCH_WINDOW, .pid = 1};
    (void)state;
    build("buddy", "off", 1, 1);
    pfn_t p = pcp_alloc(&pcp, &q);
    pcp_free(&pcp, p, 0); /* high is 1: it goes straight back */
    assert_panics(pcp_free(&pcp, p, 0), "page_is_block");
    drop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buddy),
        cmocka_unit_test(test_colors),
        cmocka_unit_test(test_picking_policy),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_drain_when_short),
        cmocka_unit_test(test_double_free_panics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
