/*
 * Steps: the largest of several is found where it is, in either direction, chance is called chance,
 * and with too little to say nothing is said.
 */
#include "host.h"

#include "core/rng.h"
#include "lab/step.h"
#include "perf/clock.h"
#include "perf/model.h"

#include <math.h>
#include <string.h>

/* What results.c asks for and step.c does not. */
static const struct clock_info clock = {.source = "tsc", .hz = 1000000000};

const struct clock_info *clock_info(void)
{
    return &clock;
}

bool model_present(void)
{
    return false;
}

const struct model_machine_info *model_machine(void)
{
    return NULL;
}

unsigned counters_count(void)
{
    return 0;
}

const struct counter *counter_at(unsigned i)
{
    (void)i;
    return NULL;
}

#define BLOCKS 10
#define POINTS 6

static const struct metric metrics[] = {{"time", "ns", BETTER_LOWER, METRIC_TIME}};
static const struct workload toy = {
    .name = "toy", .axis = "bytes", .metric = metrics, .metrics = ARRAY_SIZE(metrics)};
static double value[POINTS * BLOCKS], scratch[2 * BLOCKS];

static struct results results(unsigned blocks)
{
    struct results r = {.work = &toy, .points = POINTS, .blocks = blocks, .metrics = 1};
    for (unsigned i = 0; i < POINTS; i++)
        r.x[i] = 10 * i;
    r.value = value;
    return r;
}

/* mean[point] and noise of up to +-spread, its own in each cell. */
static struct results noisy(const double *mean, double spread, uint64_t seed)
{
    struct rng rng = rng_stream(seed, 1);
    for (unsigned i = 0; i < POINTS; i++) {
        for (unsigned b = 0; b < BLOCKS; b++) {
            double u = (double)(rng_next(&rng) >> 11) / (double)(UINT64_C(1) << 53);
            value[i * BLOCKS + b] = mean[i] + spread * (2 * u - 1);
        }
    }
    return results(BLOCKS);
}

static void the_largest_fall_is_found(void **state)
{
    (void)state;
    static const double mean[] = {200, 190, 100, 99, 60, 60};
    struct results r = noisy(mean, 5, 1);
    struct step s = step_find(&r, 0, 0, STEP_DOWN, scratch);
    assert_true(s.known && s.found);
    assert_int_equal(s.above, 10);
    assert_int_equal(s.at, 20);
    assert_true(fabs(s.height - 90) < 5 && s.p < 1e-4);
}

static void the_largest_rise_is_found(void **state)
{
    (void)state;
    static const double mean[] = {54, 54, 62, 62, 97, 97};
    struct results r = noisy(mean, 1, 2);
    struct step s = step_find(&r, 0, 0, STEP_UP, scratch);
    assert_true(s.found && s.above == 30 && s.at == 40);
}

static void what_only_rises_does_not_fall(void **state)
{
    (void)state;
    static const double mean[] = {1, 2, 3, 4, 5, 6};
    struct results r = noisy(mean, 0, 3);
    struct step s = step_find(&r, 0, 0, STEP_DOWN, scratch);
    assert_true(s.known && !s.found && s.height < 0);
    for (unsigned i = 0; i < POINTS * BLOCKS; i++)
        value[i] = 7;
    s = step_find(&r, 0, 0, STEP_DOWN, scratch);
    assert_true(s.known && !s.found && s.height == 0 && s.p == 1);
}

/* All means alike: at most 1 of 20 trials may find anything, in any of the five gaps. */
static void chance_is_seldom_called_a_step(void **state)
{
    (void)state;
    static const double mean[POINTS] = {0};
    unsigned found = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct results r = noisy(mean, 1, 100 + seed);
        found += step_find(&r, 0, 0, STEP_DOWN, scratch).found;
    }
    assert_true(found < 60); /* 2.5% expected of one side; never more than the 5% promised */
}

static void no_spread_is_certain(void **state)
{
    (void)state;
    static const double mean[] = {9, 9, 9, 2, 2, 2};
    struct results r = noisy(mean, 0, 4);
    struct step s = step_find(&r, 0, 0, STEP_DOWN, scratch);
    assert_true(s.found && s.at == 30 && s.height == 7 && s.p == 0);
}

static void one_block_says_nothing(void **state)
{
    (void)state;
    for (unsigned i = 0; i < POINTS; i++)
        value[i] = i < 3 ? 9 : 2;
    struct results r = results(1);
    struct step s = step_find(&r, 0, 0, STEP_DOWN, scratch);
    assert_false(s.known);
    assert_false(s.found);
}

/* A point without values has no neighbours. */
static void missing_points_are_left_out(void **state)
{
    (void)state;
    static const double mean[] = {50, 50, 50, 10, 10, 9};
    struct results r = noisy(mean, 0, 5);
    for (unsigned b = 0; b < BLOCKS; b++)
        value[3 * BLOCKS + b] = NAN;
    struct step s = step_find(&r, 0, 0, STEP_DOWN, scratch);
    assert_true(s.found && s.above == 40 && s.at == 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_fall_is_found),
        cmocka_unit_test(the_largest_rise_is_found),
        cmocka_unit_test(what_only_rises_does_not_fall),
        cmocka_unit_test(chance_is_seldom_called_a_step),
        cmocka_unit_test(no_spread_is_certain),
        cmocka_unit_test(one_block_says_nothing),
        cmocka_unit_test(missing_points_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
