/*
 * The 21264's counters against a simulated pair: 20 bits that go round, an interrupt that comes
 * late, functions of wrperfmon that must come in the right order.
 */
#include "host.h"

#include "core/rng.h"
#include "perfmon.h"

#include <string.h>

#define ROUND (UINT64_C(1) << 20)

/* The simulated CPU: what each counter has counted, what was selected, which interrupts wait. */
static struct {
    uint64_t count[2], interrupts[2];
    uint64_t select, options;
    bool enabled;
    unsigned starts;
    struct rng rng;
    uint64_t most; /* counts between two calls */
} cpu;

/* Of each counter, when READ last looked. */
static uint64_t seen[2][2];

static void deliver(void)
{
    for (unsigned i = 0; i < 2; i++) {
        for (; cpu.interrupts[i] < cpu.count[i] / ROUND; cpu.interrupts[i]++)
            perfmon_overflow(i);
    }
}

uint64_t pal_wrperfmon(uint64_t function, uint64_t argument)
{
    uint64_t value = 0;

    /* What came before the call is delivered; what comes within it, by the next one. */
    deliver();
    for (unsigned i = 0; cpu.enabled && i < 2; i++)
        cpu.count[i] += rng_below(&cpu.rng, cpu.most);
    switch (function) {
    case 0:
        assert_int_equal(argument, 3);
        cpu.enabled = false;
        break;
    case 1:
        assert_int_equal(argument, 3);
        cpu.enabled = true;
        cpu.starts++;
        break;
    case 2:
        assert_false(cpu.enabled);
        cpu.select = argument;
        break;
    case 3:
        cpu.options = argument;
        break;
    case 5:
        memcpy(seen[0], seen[1], sizeof seen[0]);
        memcpy(seen[1], cpu.count, sizeof seen[1]);
        value = cpu.count[0] % ROUND << 28 | cpu.count[1] % ROUND << 6 | cpu.select;
        break;
    case 6:
        assert_false(cpu.enabled);
        assert_int_equal(argument, 3);
        cpu.count[0] = cpu.count[1] = 0;
        break;
    default:
        fail_msg("wrperfmon function %llu", (unsigned long long)function);
    }
    return value;
}

static void start(bool aggregate, uint64_t most)
{
    memset(&cpu, 0, sizeof cpu);
    cpu.rng = rng_stream(7, 0);
    cpu.most = most;
    perfmon_start(aggregate);
}

static void test_selects_by_generation(void **state)
{
    (void)state;
    start(false, 1);
    assert_int_equal(cpu.select, 0x10); /* counter 0: retired instructions; counter 1: cycles */
    start(true, 1);
    assert_int_equal(cpu.select, 0); /* aggregate mode */
    assert_int_equal(cpu.options, 0);
    assert_int_equal(cpu.starts, 1);
}

/* A value is what the counter had when it was read, whatever the interrupts did meanwhile. */
static void counts_exactly(uint64_t most, unsigned reads)
{
    uint64_t last[2] = {0};

    start(false, most);
    for (unsigned n = 0; n < reads; n++) {
        unsigned i = n % 2;
        uint64_t v = perfmon_read(i);

        assert_int_equal(v, seen[0][i]);
        assert_true(v >= last[i]);
        last[i] = v;
    }
    assert_true(last[0] > 3 * ROUND);
}

static void test_counts_beyond_20_bits(void **state)
{
    (void)state;
    counts_exactly(100, 1000000);
    counts_exactly(ROUND / 3, 10000);
}

static void test_a_counter_that_does_not_exist(void **state)
{
    (void)state;
    start(false, 1);
    perfmon_overflow(2);
    perfmon_overflow(UINT64_MAX);
    assert_int_equal(perfmon_read(0), 0);
    assert_int_equal(perfmon_read(1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selects_by_generation),
        cmocka_unit_test(test_counts_beyond_20_bits),
        cmocka_unit_test(test_a_counter_that_does_not_exist),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
