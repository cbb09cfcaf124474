/*
 * Results: every value ends in its own cell, its own record and its own summary, with the source
 * and unit of the clock in use; derived metrics follow from the counters.
 */
#include "host.h"

#include "lab/derived.h"
#include "lab/results.h"
#include "perf/clock.h"
#include "perf/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- clock, counters, model of our own --------------------------------------------------------
 */

static struct clock_info clock = {.source = "tsc", .hz = 1000000000};
static bool has_model;
static struct model_machine_info machine = {.name = "toy", .levels = 1, .clock_khz = 500000};
static struct counter counters[2];
static unsigned counter_n;

const struct clock_info *clock_info(void)
{
    return &clock;
}

bool model_present(void)
{
    return has_model;
}

const struct model_machine_info *model_machine(void)
{
    return &machine;
}

unsigned counters_count(void)
{
    return counter_n;
}

const struct counter *counter_at(unsigned i)
{
    return &counters[i];
}

/* ---- a workload of two points -----------------------------------------------------------------
 */

static const struct metric metrics[] = {
    {"pages", "pages", BETTER_LOWER, METRIC_COUNT},
    {"read", "MB/s", BETTER_HIGHER, METRIC_RATE},
    {"load", "ns", BETTER_LOWER, METRIC_TIME},
};

static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    x[0] = scale->cache_bytes / 2;
    x[1] = scale->cache_bytes;
    return 2;
}

static const struct workload toy = {.name = "toy",
                                    .axis = "bytes",
                                    .metric = metrics,
                                    .metrics = ARRAY_SIZE(metrics),
                                    .points = points};
static struct levels levels = {
    .count = 2,
    .level = {{.reference = 0, .name = "alloc=a"}, {.reference = 0, .name = "alloc=b"}}};
static const struct lab_scale scale = {4096};
static struct results r;

static void start(unsigned blocks)
{
    results_free(&r);
    results_init(&r, &toy, &levels, &scale, blocks);
    assert_int_equal(results_alloc(&r), 0);
    host_console_clear();
}

static int fresh(void **state)
{
    (void)state;
    clock = (struct clock_info){.source = "tsc", .hz = 1000000000};
    has_model = false;
    counter_n = 0;
    return 0;
}

static int count(const char *needle)
{
    int n = 0;
    for (const char *at = host_console(); (at = strstr(at, needle)); at++)
        n++;
    return n;
}

/* ---- tests ------------------------------------------------------------------------------------
 */

static void every_cell_is_its_own(void **state)
{
    (void)state;
    start(5);
    unsigned v = 0;
    for (unsigned l = 0; l < 2; l++)
        for (unsigned p = 0; p < 2; p++)
            for (unsigned m = 0; m < 3; m++)
                for (unsigned b = 0; b < 5; b++)
                    results_set(&r, l, p, m, b, v++, false);
    v = 0;
    for (unsigned l = 0; l < 2; l++)
        for (unsigned p = 0; p < 2; p++)
            for (unsigned m = 0; m < 3; m++)
                for (unsigned b = 0; b < 5; b++)
                    assert_true(results_cell(&r, l, p, m)[b] == v++);
}

static void a_sample_is_written_as_it_is(void **state)
{
    (void)state;
    start(3);
    results_set(&r, 1, 0, 1, 2, 123.25, false);
    results_set(&r, 1, 1, 2, 2, 0, true);
    results_write_samples(&r, 1, 2, 7);
    assert_int_equal(count("{\"tt\":\"sample\""), 2 * 3);
    assert_non_null(strstr(host_console(),
                           "\"exp\":\"toy\",\"level\":\"alloc=b\",\"x\":2048,\"metric\":\"read\","
                           "\"unit\":\"MB/s\",\"better\":\"higher\",\"source\":\"tsc\",\"block\":2,"
                           "\"order\":7,\"value\":123.25,\"crc\""));
    assert_non_null(strstr(host_console(), "\"source\":\"count\""));
    assert_int_equal(count("\"value\":0,\"zero\":true"), 1);
    assert_int_equal(count("\"value\":null"), 4); /* not measured is null, not a number */
}

/* Differences are within blocks: a drift that both levels share vanishes. */
static void a_summary_pairs_by_block(void **state)
{
    (void)state;
    double scratch[3 * 8];
    start(8);
    for (unsigned b = 0; b < 8; b++) {
        double drift = 1000.0 * b;
        results_set(&r, 0, 0, 1, b, drift + 10, false);
        results_set(&r, 1, 0, 1, b, drift + 15 + (b % 2), false);
    }
    struct summary s = results_summary(&r, 1, 0, 1, scratch);
    assert_int_equal(s.stats.n, 8);
    assert_true(s.vs.known && fabs(s.vs.diff - 5.5) < 1e-9);
    assert_true(s.vs.lo > 5 && s.vs.hi < 6);
    assert_string_equal(s.verdict, "higher");
    assert_string_equal(results_summary(&r, 0, 0, 1, scratch).verdict, "reference");
}

static void verdicts(void **state)
{
    (void)state;
    double scratch[3 * 4];
    start(4);
    static const double base[] = {1, 2, 3, 4}, lower[] = {0, 1, 2, 3.5},
                        same[] = {1.5, 1.5, 3.5, 3.5};
    for (unsigned b = 0; b < 4; b++) {
        results_set(&r, 0, 0, 0, b, base[b], false);
        results_set(&r, 1, 0, 0, b, lower[b], false);
        results_set(&r, 0, 1, 0, b, base[b], false);
        results_set(&r, 1, 1, 0, b, same[b], false);
        results_set(&r, 0, 0, 1, b, 3, false);
        results_set(&r, 1, 0, 1, b, 3, false);
    }
    assert_string_equal(results_summary(&r, 1, 0, 0, scratch).verdict, "lower");
    assert_string_equal(results_summary(&r, 1, 1, 0, scratch).verdict, "no difference seen");
    /* no variance at all is a valid result */
    struct summary equal = results_summary(&r, 1, 0, 1, scratch);
    assert_string_equal(equal.verdict, "no difference seen");
    assert_true(equal.vs.known && equal.vs.lo == 0 && equal.vs.hi == 0);
    /* nothing was measured for the third metric */
    assert_string_equal(results_summary(&r, 1, 0, 2, scratch).verdict, "unknown");
    assert_int_equal(results_summary(&r, 1, 0, 2, scratch).stats.n, 0);
}

/* A block that only one of the two measured says nothing about their difference. */
static void unpaired_blocks_do_not_count(void **state)
{
    (void)state;
    double scratch[3 * 3];
    start(3);
    results_set(&r, 0, 0, 0, 0, 10, false);
    results_set(&r, 0, 0, 0, 1, 11, false);
    results_set(&r, 1, 0, 0, 1, 12, false);
    results_set(&r, 1, 0, 0, 2, 1000, false);
    struct summary s = results_summary(&r, 1, 0, 0, scratch);
    assert_int_equal(s.stats.n, 2);
    assert_false(s.vs.known);
    assert_string_equal(s.verdict, "unknown");
    results_write_summary(&r);
    assert_int_equal(count("nan"), 0);
    assert_int_equal(count("inf"), 0);
}

static void an_unknown_frequency_means_cycles(void **state)
{
    (void)state;
    clock.hz = 0;
    assert_string_equal(metric_unit(&metrics[0]), "pages");
    assert_string_equal(metric_unit(&metrics[1]), "per kcycle");
    assert_string_equal(metric_unit(&metrics[2]), "cycles");
    assert_true(derived_quantity(METRIC_RATE, 500, 1000, 0) == 500);
    assert_true(derived_quantity(METRIC_TIME, 10, 1000, 0) == 100);
}

static void quantities(void **state)
{
    (void)state;
    /* 8e6 bytes in 2e6 cycles at 1 GHz: 2 ms, 4000 MB/s */
    assert_true(fabs(derived_quantity(METRIC_RATE, 8000000, 2000000, 1000000000) - 4000) < 1e-9);
    /* 1000 loads in 5000 cycles at 500 MHz: 10 ns each */
    assert_true(fabs(derived_quantity(METRIC_TIME, 1000, 5000, 500000000) - 10) < 1e-9);
    assert_true(derived_quantity(METRIC_RATE, 5, 0, 1000) == 0);
    assert_true(derived_quantity(METRIC_TIME, 0, 5, 1000) == 0);
}

static void set_value(void *arg, unsigned metric, double value)
{
    ((double *)arg)[metric] = value;
}

/* Names and values come from two walks over the same list: they must agree. */
static void derived_from_the_model(void **state)
{
    (void)state;
    double v[LAB_METRICS_MAX] = {0};
    has_model = true;
    clock = (struct clock_info){.source = "model", .hz = 500000000};
    machine.level[0].bandwidth_milli = 8000; /* 8 bytes a cycle: 4000 MB/s */
    counter_n = 2;
    counters[0] = (struct counter){.name = "overlap", .source = "model", .clock = true};
    counters[1] = (struct counter){.name = "L1.miss", .source = "model"};
    start(1);
    static const char *const names[] = {"pages",        "read",         "load",
                                        "read.peak",    "read.overlap", "read.overlap_peak",
                                        "read.L1.miss", "load.overlap", "load.L1.miss"};
    assert_int_equal(r.metrics, ARRAY_SIZE(names));
    for (unsigned i = 0; i < r.metrics; i++)
        assert_string_equal(r.metric[i].name, names[i]);
    assert_string_equal(r.metric[3].unit, "%");
    assert_string_equal(r.metric[4].unit, "MB/s");
    assert_string_equal(metric_source(&r.metric[6]), "model");
    assert_false(r.metric[6].brief);
    assert_true(r.metric[8].brief);

    /* 4 passes, 4e6 bytes in 2e6 cycles, 1e6 by the other clock, 400 misses */
    struct lab_interval i = {.clock = 2000000, .counter = {1000000, 400}};
    struct derived_from from = {.i = &i, .amount = 4000000, .passes = 4};
    derived_values(&toy, 1, &from, set_value, v);
    assert_true(fabs(v[3] - 25) < 1e-9);
    assert_true(fabs(v[4] - 2000) < 1e-9);
    assert_true(fabs(v[5] - 50) < 1e-9);
    assert_true(v[6] == 100);
    from = (struct derived_from){.i = &i, .amount = 1000, .passes = 1};
    derived_values(&toy, 2, &from, set_value, v);
    assert_true(fabs(v[7] - 2000) < 1e-9); /* 1e6 cycles at 500 MHz for 1000 */
    assert_true(v[8] == 400);
    assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0);

    results_write_samples(&r, 0, 0, 0);
    assert_int_equal(count("\"machine\":\"toy\""), (int)r.metrics * 2);
}

/* Counters of several CPUs are the sum and the greatest; the second clock stays the leader's. */
static void derived_from_several_cpus(void **state)
{
    (void)state;
    static const struct metric own[] = {
        {"load", "ns", BETTER_LOWER, METRIC_TIME},
        {"loads", "million/s", BETTER_HIGHER, METRIC_RATE, .plain = true},
    };
    static const struct workload team = {
        .name = "team", .metric = own, .metrics = ARRAY_SIZE(own), .team = true};
    static const char *const names[] = {"load",
                                        "loads",
                                        "load.slice",
                                        "load.slice_cycles",
                                        "load.overlap",
                                        "load.L1.miss.all_cpus",
                                        "load.L1.miss.max_cpu"};
    static const char *const sources[] = {"model", "model", "count", "model",
                                          "model", "model", "model"};
    double v[LAB_METRICS_MAX] = {0};
    has_model = true;
    clock = (struct clock_info){.source = "model", .hz = 1000000000};
    counter_n = 2;
    counters[0] = (struct counter){.name = "overlap", .source = "model", .clock = true};
    counters[1] = (struct counter){.name = "L1.miss", .source = "model"};
    struct metric m[LAB_METRICS_MAX];
    assert_int_equal(derived_metrics(&team, m), ARRAY_SIZE(names));
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        assert_string_equal(m[i].name, names[i]);
        assert_string_equal(metric_source(&m[i]), sources[i]);
        assert_true(m[i].brief == (i == ARRAY_SIZE(names) - 1));
    }
    struct lab_interval i = {.clock = 5000, .counter = {3000, 7}};
    struct lab_cpus cpus = {
        .operations = 600, .yields = 150, .cycles = 9000, .sum = {1, 80}, .max = {1, 30}};
    struct derived_from from = {&i, &cpus, 100, 2};
    derived_values(&team, 0, &from, set_value, v);
    assert_true(v[2] == 4 && v[3] == 60 && v[4] == 30 && v[5] == 40 && v[6] == 15);
    derived_values(&team, 1, &from, set_value, v);
    assert_true(v[0] == 0 && v[1] == 0 && v[7] == 0);

    cpus.operations = 0; /* they only waited for each other */
    derived_values(&team, 0, &from, set_value, v);
    assert_true(isnan(v[2]) && v[3] == 60);
    cpus.yields = 0;
    derived_values(&team, 0, &from, set_value, v);
    assert_true(isnan(v[3]));
}

static void without_counters_nothing_is_derived(void **state)
{
    (void)state;
    start(1);
    assert_int_equal(r.metrics, ARRAY_SIZE(metrics));
}

#define TEST(f) cmocka_unit_test_setup(f, fresh)

static int done(void **state)
{
    (void)state;
    results_free(&r);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_cell_is_its_own),
        TEST(a_sample_is_written_as_it_is),
        TEST(a_summary_pairs_by_block),
        TEST(verdicts),
        TEST(unpaired_blocks_do_not_count),
        TEST(an_unknown_frequency_means_cycles),
        TEST(quantities),
        TEST(derived_from_the_model),
        TEST(derived_from_several_cpus),
        TEST(without_counters_nothing_is_derived),
    };
    return cmocka_run_group_tests(tests, NULL, done);
}
