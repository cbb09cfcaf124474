/*
 * The model against arithmetic: W pages placed at random, without replacement, in a cache of C
 * colours, swept twice; the misses of the second sweep against their exact expectation.
 *
 * With k ways and LRU, all pages of a colour miss in the second sweep if more than k of them share
 * it, else none does. A page shares its colour with j others with hypergeometric probability: W - 1
 * draws from F - 1 frames, F/C - 1 of which have its colour. So the expected share of misses is
 * P(j >= k).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/model/model.h"

#define PAGE       4096u
#define COLORS     128u
#define PER_COLOR  32u
#define FRAMES     (COLORS * PER_COLOR)
#define LINE       64u
#define PAGE_LINES (PAGE / LINE)
#define SEEDS      40u

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % limit);
}

static double choose_log(uint32_t n, uint32_t k)
{
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

/* The probability that j or more of the other pages have the colour of a page. */
static double at_least(uint32_t pages, uint32_t ways)
{
    double below = 0;

    for (uint32_t j = 0; j < ways && j < PER_COLOR && j <= pages - 1; j++) {
        below += exp(choose_log(PER_COLOR - 1, j) + choose_log(FRAMES - PER_COLOR, pages - 1 - j) -
                     choose_log(FRAMES - 1, pages - 1));
    }
    return 1 - below;
}

/* A one-level machine: `ways` ways of COLORS pages. W is a share of what it holds. */
static struct machine one_level(uint32_t ways)
{
    struct machine machine = {
        .name = "theory",
        .cpus = 1,
        .clock_khz = 1000000,
        .page_bytes = PAGE,
        .line_bytes = LINE,
        .levels = 1,
        .level = {{.size_bytes = (uint64_t)ways * COLORS * PAGE,
                   .ways = ways,
                   .sector_bytes = LINE,
                   .latency_cycles = 3,
                   .bandwidth_milli = 8000,
                   .shared_by = 1,
                   .write_back = true,
                   .write_allocate = true}},
        .memory_latency_cycles = 100,
        .memory_bandwidth_milli = 1000,
        .transfer_latency_cycles = 100,
        .outstanding_misses = 1,
    };

    return machine;
}

static uint64_t second_sweep(struct model *model, const uint32_t *frame, uint32_t pages)
{
    struct model_cpu_counts before;
    struct model_cpu_counts after;

    model_flush(model);
    for (int sweep = 0; sweep < 2; sweep++) {
        model_read(model, 0, &before);
        for (uint32_t i = 0; i < pages; i++) {
            for (uint32_t line = 0; line < PAGE_LINES; line++) {
                uint64_t phys = (uint64_t)frame[i] * PAGE + line * LINE;

                model_access(model, &model->cpu[0], phys, phys, 0, 0);
            }
        }
        model_read(model, 0, &after);
    }
    return after.level[0].misses - before.level[0].misses;
}

/* The exact count for one placement: every page whose colour has more pages than ways. */
static uint64_t counted(const uint32_t *frame, uint32_t pages, uint32_t ways)
{
    uint32_t on_color[COLORS] = {0};
    uint64_t misses = 0;

    for (uint32_t i = 0; i < pages; i++) {
        on_color[frame[i] % COLORS]++;
    }
    for (uint32_t color = 0; color < COLORS; color++) {
        misses += on_color[color] > ways ? on_color[color] * PAGE_LINES : 0;
    }
    return misses;
}

static void place(uint32_t *frame, uint32_t pages)
{
    static uint32_t all[FRAMES];

    for (uint32_t i = 0; i < FRAMES; i++) {
        all[i] = i;
    }
    for (uint32_t i = 0; i < pages; i++) { /* Fisher and Yates' shuffle, its first `pages` steps */
        uint32_t other = i + random_below(FRAMES - i);

        frame[i] = all[other];
        all[other] = all[i];
    }
}

static void check_random(uint32_t ways, uint32_t share)
{
    static uint32_t frame[FRAMES];
    struct machine machine = one_level(ways);
    struct model *model = model_create(&machine);
    uint32_t pages = ways * COLORS / share;
    double expected = at_least(pages, ways);
    double sum = 0;
    double squares = 0;
    double mean;
    double error;

    assert_non_null(model);
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t misses;
        double rate;

        random_state = seed;
        place(frame, pages);
        misses = second_sweep(model, frame, pages);
        assert_int_equal(misses, counted(frame, pages, ways));
        rate = (double)misses / (pages * PAGE_LINES);
        sum += rate;
        squares += rate * rate;
    }
    mean = sum / SEEDS;
    error = sqrt((squares / SEEDS - mean * mean) / (SEEDS - 1));
    print_message("%2u ways, W = %4u: %6.3f %% expected, %6.3f %% +- %.3f measured\n", ways, pages,
                  100 * expected, 100 * mean, 100 * error);
    /* 3.5 standard errors: one wrong alarm in 2000 of the twelve checks, and the seeds are fixed */
    if (fabs(mean - expected) > 3.5 * error + 1e-12 && !(error == 0 && expected * SEEDS < 0.05)) {
        fail_msg("%u ways, W = %u: %.4f measured, %.4f expected", ways, pages, mean, expected);
    }
    model_destroy(model);
}

static void test_random_placement(void **state)
{
    const uint32_t ways[] = {1, 2, 16};
    const uint32_t shares[] = {8, 4, 2, 1};

    (void)state;
    for (size_t w = 0; w < 3; w++) {
        for (size_t s = 0; s < 4; s++) {
            check_random(ways[w], shares[s]);
        }
    }
}

static void test_coloured_placement(void **state)
{
    const uint32_t ways[] = {1, 2, 16};
    static uint32_t frame[FRAMES];

    (void)state;
    for (size_t w = 0; w < 3; w++) {
        struct machine machine = one_level(ways[w]);
        struct model *model = model_create(&machine);
        uint32_t pages = ways[w] * COLORS;

        assert_non_null(model);
        for (uint32_t i = 0; i < pages; i++) {
            frame[i] = i % COLORS + COLORS * ((i / COLORS * 7 + i) % PER_COLOR);
        }
        assert_int_equal(second_sweep(model, frame, pages), 0);
        model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_placement),
        cmocka_unit_test(test_coloured_placement),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
