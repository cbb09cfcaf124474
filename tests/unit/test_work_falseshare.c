/*
 * falseshare's finding: what was seen beside what the machine says, in each case that there is:
 * they agree, they differ, nothing was seen, nothing can be said, or the times are emulation's.
 */
#include "host.h"

#include "core/kprintf.h"
#include "lab/say.h"
#include "perf/caches.h"
#include "perf/clock.h"
#include "perf/model.h"
#include "work/falseshare.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- a machine of our own ---------------------------------------------------------------------
 */

static struct clock_info clock = {.source = "tsc", .hz = 1000000000};
static unsigned line = 64;
static struct model_machine_info model = {.name = "toy", .levels = 1};
static bool has_model;

const struct clock_info *clock_info(void)
{
    return &clock;
}

unsigned machine_caches(struct arch_cache *c, unsigned max)
{
    assert_true(max >= 1);
    c[0] = (struct arch_cache){.level = 1, .size_bytes = 32768, .ways = 8, .line_bytes = line};
    return line ? 1 : 0;
}

bool model_present(void)
{
    return has_model;
}

const struct model_machine_info *model_machine(void)
{
    return &model;
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

void say(const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    kprintf("%s", text);
}

/* ---- samples of our own -----------------------------------------------------------------------
 */

#define BLOCKS 4

static const uint64_t x[] = {0, 56, 64, 120, 128, 256};
#define POINTS ARRAY_SIZE(x)

static const struct metric metrics[] = {
    [FALSESHARE_ADD] = {"add", "ns", BETTER_LOWER, METRIC_TIME},
    [FALSESHARE_FETCH] = {"fetch", "ns", BETTER_LOWER, METRIC_TIME, .plain = true},
};
static const struct workload toy = {.name = "falseshare",
                                    .axis = "bytes",
                                    .metric = metrics,
                                    .metrics = ARRAY_SIZE(metrics),
                                    .team = true};
static struct levels levels = {.count = 1, .level = {{.name = "all"}}};

/* add falls at shares, fetch rises at fetches; 0: never. */
static void conclude(unsigned blocks, uint64_t shares, uint64_t fetches)
{
    static double value[POINTS * ARRAY_SIZE(metrics) * BLOCKS];
    struct results r = {.work = &toy,
                        .levels = &levels,
                        .points = POINTS,
                        .blocks = blocks,
                        .metrics = ARRAY_SIZE(metrics),
                        .value = value};
    memcpy(r.metric, metrics, sizeof metrics);
    for (unsigned point = 0; point < POINTS; point++) {
        r.x[point] = x[point];
        for (unsigned b = 0; b < blocks; b++) {
            double noise = 0.01 * ((b * 7 + point * 3) % 5);
            results_cell(&r, 0, point, FALSESHARE_ADD)[b] = noise + (x[point] < shares ? 250 : 10);
            results_cell(&r, 0, point, FALSESHARE_FETCH)[b] =
                noise + (fetches && x[point] >= fetches ? 97 : 54);
        }
    }
    host_console_clear();
    falseshare_conclude(&r);
}

/* Is there a finding of what, with these members? */
static void assert_finding(const char *what, const char *members)
{
    char head[32];
    snprintf(head, sizeof head, "\"what\":\"%s\"", what);
    for (const char *at = host_console(); (at = strstr(at, head)); at++) {
        const char *end = strchr(at, '\n'), *found = strstr(at, members);
        if (found && found < end)
            return;
    }
    fail_msg("no %s with %s in:\n%s", what, members, host_console());
}

static int fresh(void **state)
{
    (void)state;
    clock.source = "tsc";
    line = 64;
    has_model = false;
    return 0;
}

static void it_agrees(void **state)
{
    (void)state;
    conclude(BLOCKS, 64, 64);
    assert_finding("line", "\"says\":64");
    assert_finding("line", "\"found\":64,\"above\":56");
    assert_finding("line", "\"verdict\":\"agrees\"");
    assert_finding("fetch", "\"says\":null"); /* no processor tells what it fetches at a time */
    assert_finding("fetch", "\"verdict\":\"machine does not say\"");
    assert_non_null(strstr(host_console(), "found 64 bytes; the machine says 64 bytes: agrees"));
}

static void it_differs(void **state)
{
    (void)state;
    line = 128;
    conclude(BLOCKS, 64, 0);
    assert_finding("line", "\"verdict\":\"differs\"");
    assert_finding("fetch", "\"verdict\":\"no difference seen\"");
    line = 0;
    conclude(BLOCKS, 64, 0);
    assert_finding("line", "\"verdict\":\"machine does not say\"");
}

/* Sectors and next-line prefetch of a machine file. */
static void what_a_modelled_machine_fetches(void **state)
{
    (void)state;
    has_model = true;
    clock.source = "model";
    model.level[0] = (struct model_level_info){.line_bytes = 64, .sector_bytes = 128};
    conclude(BLOCKS, 64, 128);
    assert_finding("fetch", "\"verdict\":\"agrees\"");
    conclude(BLOCKS, 64, 64);
    assert_finding("fetch", "\"verdict\":\"differs\"");
    model.level[0] = (struct model_level_info){.line_bytes = 64, .sector_bytes = 64, .prefetch = 1};
    conclude(BLOCKS, 64, 128);
    assert_finding("fetch", "\"verdict\":\"agrees\"");
    model.level[0].prefetch = 0;
    conclude(BLOCKS, 64, 128);
    assert_finding("fetch", "\"verdict\":\"differs\"");
}

static void nothing_is_claimed_of_nothing(void **state)
{
    (void)state;
    conclude(BLOCKS, 0, 0);
    assert_finding("line", "\"found\":null");
    assert_finding("line", "\"verdict\":\"no difference seen\"");
    conclude(1, 64, 64);
    assert_finding("line", "\"verdict\":\"unknown\"");
    clock.source = "emulation";
    conclude(BLOCKS, 64, 64);
    assert_finding("line", "\"verdict\":\"not comparable\"");
}

#define TEST(f) cmocka_unit_test_setup(f, fresh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_agrees),
        TEST(it_differs),
        TEST(what_a_modelled_machine_fetches),
        TEST(nothing_is_claimed_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
