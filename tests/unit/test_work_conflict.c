/*
 * The expectation of random placement against counting every possible placement, against values
 * that are known, and at its edges.
 */
#include "host.h"

#include "core/rng.h"
#include "work/conflict_theory.h"

#include <math.h>
#include <string.h>

#define FRAMES_MAX 14 /* 16384 subsets */

/* Pages in conflict in one placement: bit i of the set is frame i, of colour color[i]. */
static unsigned conflict_of(uint32_t set, const uint8_t *color, unsigned frames, unsigned ways)
{
    unsigned on[FRAMES_MAX] = {0}, conflict = 0;
    for (unsigned i = 0; i < frames; i++)
        on[color[i]] += set >> i & 1;
    for (unsigned c = 0; c < FRAMES_MAX; c++)
        conflict += on[c] > ways ? on[c] : 0;
    return conflict;
}

/* The mean over all sets of `pages` frames. */
static double mean_of_all(const uint8_t *color, unsigned frames, unsigned ways, unsigned pages)
{
    double sum = 0, sets = 0;
    for (uint32_t set = 0; set < 1u << frames; set++) {
        if ((unsigned)__builtin_popcount(set) == pages) {
            sum += conflict_of(set, color, frames, ways);
            sets++;
        }
    }
    return sum / sets;
}

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * fabs(want) + 1e-12))
        fail_msg("%.17g is not %.17g", got, want);
}

static void compare_with_all_placements(const uint32_t *population, uint32_t colors)
{
    uint8_t color[FRAMES_MAX];
    unsigned frames = 0;
    for (uint32_t c = 0; c < colors; c++) {
        for (uint32_t i = 0; i < population[c]; i++)
            color[frames++] = (uint8_t)c;
    }
    for (unsigned ways = 1; ways <= 4; ways++) {
        for (unsigned pages = 0; pages <= frames; pages++)
            assert_near(conflict_expected(population, colors, ways, pages),
                        mean_of_all(color, frames, ways, pages));
    }
}

static void is_the_mean_of_all_placements(void **state)
{
    (void)state;
    static const uint32_t even[] = {3, 3, 3, 3}, uneven[] = {0, 1, 2, 7, 4}, one[] = {10};
    static const uint32_t single[] = {1, 1, 1, 1, 1, 1, 1, 1};
    compare_with_all_placements(even, 4);
    compare_with_all_placements(uneven, 5);
    compare_with_all_placements(one, 1);
    compare_with_all_placements(single, 8);
}

/* 512 pages of 32768 frames in a cache of 512 pages. Computed apart from this code, in percent. */
static void is_what_was_computed_before(void **state)
{
    (void)state;
    static const struct {
        unsigned ways;
        double percent;
    } known[] = {{1, 62.89}, {2, 59.13}, {16, 53.09}};
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        uint32_t population[512], colors = 512 / known[i].ways;
        for (uint32_t c = 0; c < colors; c++)
            population[c] = 32768 / colors;
        double e = conflict_expected(population, colors, known[i].ways, 512);
        if (!(fabs(e / 512 * 100 - known[i].percent) < 0.005))
            fail_msg("%u ways: %.4f%%, not %.2f%%", known[i].ways, e / 512 * 100, known[i].percent);
    }
}

/* Direct-mapped, every colour with f frames: a page is alone if no other took one of its f - 1. */
static void is_the_closed_form_of_one_way(void **state)
{
    (void)state;
    uint32_t population[256];
    for (uint32_t c = 0; c < 256; c++)
        population[c] = 32;
    for (unsigned pages = 1; pages <= 4096; pages *= 2) {
        double alone = 1;
        for (unsigned i = 0; i < 31; i++)
            alone *= (8191.0 - (pages - 1) - i) / (8191.0 - i);
        double e = conflict_expected(population, 256, 1, pages);
        assert_true(fabs(e - pages * (1 - alone)) < 1e-9 * pages);
    }
}

static void edges(void **state)
{
    (void)state;
    static const uint32_t population[] = {5, 5};
    assert_true(conflict_expected(population, 2, 1, 0) == 0);
    assert_near(conflict_expected(population, 2, 5, 10), 0);
    assert_near(conflict_expected(population, 2, 4, 10), 10);
    assert_true(isnan(conflict_expected(population, 2, 1, 11)));
    assert_true(isnan(conflict_expected(population, 0, 1, 0)));
    /* page_color=off on a large memory: everything conflicts, and nothing overflows */
    static const uint32_t huge[] = {1u << 20};
    assert_near(conflict_expected(huge, 1, 1, 2048), 2048);
    assert_near(conflict_expected(huge, 1, 1024, 4096), 4096);
}

/* 20,000 drawn placements: the mean of what is counted is within 5 standard errors. */
static void is_the_mean_of_drawn_placements(void **state)
{
    (void)state;
    enum { COLORS = 16, FRAMES = 200, PAGES = 40, WAYS = 2, DRAWS = 20000 };
    uint32_t population[COLORS] = {0};
    uint8_t color[FRAMES];
    struct rng rng = rng_stream(1, 1);
    for (unsigned i = 0; i < FRAMES; i++)
        population[color[i] = (uint8_t)(rng_below(&rng, COLORS) & rng_below(&rng, COLORS))]++;
    double sum = 0, squares = 0;
    for (unsigned draw = 0; draw < DRAWS; draw++) {
        unsigned on[COLORS] = {0}, conflict = 0;
        for (unsigned i = 0; i < PAGES; i++) {
            unsigned j = i + rng_below(&rng, FRAMES - i);
            uint8_t t = color[i];
            color[i] = color[j];
            color[j] = t;
            on[color[i]]++;
        }
        for (unsigned c = 0; c < COLORS; c++)
            conflict += on[c] > WAYS ? on[c] : 0;
        sum += conflict;
        squares += (double)conflict * conflict;
    }
    double mean = sum / DRAWS, s = sqrt((squares - sum * mean) / (DRAWS - 1));
    double off = mean - conflict_expected(population, COLORS, WAYS, PAGES);
    assert_true(s > 0 && fabs(off) < 5 * s / sqrt(DRAWS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_mean_of_all_placements),
        cmocka_unit_test(is_what_was_computed_before),
        cmocka_unit_test(is_the_closed_form_of_one_way),
        cmocka_unit_test(edges),
        cmocka_unit_test(is_the_mean_of_drawn_placements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
