/*
 * The local APIC's timer, by its own count and by TSC deadlines, on a simulated CPU. QEMU's TCG has
 * no deadlines.
 */
#include "apic_machine.h"

#include "arch/x86_64/lapic.c"
#include "arch/x86_64/lapic_timer.c"

#include <string.h>

#define VECTOR 0x68
#define TSC_HZ 2400000000ull
#define REF_HZ 10000000ull
#define READ   200 /* cycles that a read of a clock takes */

static int invariant;
static bool no_clock;

bool irq_enter(unsigned irq)
{
    (void)irq;
    return true;
}

int arch_cycle_invariant(void)
{
    return invariant;
}

static uint64_t tick(void)
{
    return apic.cycles += READ;
}

static uint64_t read_ref(void)
{
    return tick() / (TSC_HZ / REF_HZ);
}

unsigned arch_ref_clocks(struct arch_ref_clock *r, unsigned max)
{
    assert_true(max >= 1);
    *r = (struct arch_ref_clock){"simulated", REF_HZ, read_ref};
    return no_clock ? 0 : 1;
}

static void begin(bool x2_mode, bool has_deadline)
{
    const struct madt small = {0};
    const char *why;
    apic_reset();
    apic.base |= x2_mode ? APIC_X2 : 0;
    apic.cpuid1_ecx = (uint32_t)has_deadline << 24;
    apic.cycles = 123456789;
    host_cycles = tick;
    host_cpu = 0;
    ready = x2 = false;
    source_hz = 0;
    by_deadline = no_clock = false;
    memset(timer, 0, sizeof timer);
    host_console_clear();
    invariant = 1;
    assert_int_equal(lapic_init(&small, &why), 0);
}

static int start(void **state)
{
    (void)state;
    begin(false, true);
    return 0;
}

static int start_counting(void **state)
{
    (void)state;
    begin(false, false);
    return 0;
}

/* ---- source -------------------------------------------------------------------------------- */

static void test_deadlines_where_they_can_be_trusted(void **state)
{
    (void)state;
    for (int how = -1; how <= 1; how++) {
        for (unsigned has = 0; has < 2; has++) {
            begin(false, has);
            invariant = how;
            assert_int_equal(timer_every(100000, VECTOR), 0);
            assert_int_equal(by_deadline, has && how == 1);
            assert_non_null(strstr(host_console(), by_deadline ? "\"source\":\"deadline\",\"hz\":24"
                                                               : "\"source\":\"count\",\"hz\":2"));
        }
    }
}

static void test_no_clock_no_timer(void **state)
{
    (void)state;
    for (unsigned has = 0; has < 2; has++) {
        begin(false, has);
        no_clock = true;
        assert_int_equal(timer_every(100000, VECTOR), -TT_ENODEV);
        assert_string_equal(host_console(), "");
        assert_true(apic.reg[REG_LVT_TIMER] & LVT_MASKED);
    }
}

/* To the nearest, and no product that overflows. */
static void test_ticks_of_a_time(void **state)
{
    static const struct {
        uint64_t hz, ns, ticks;
    } cases[] = {
        {1500000000, 1, 2}, /* 1.5 */
        {1499999999, 1, 1},
        {62500000, 8, 1}, /* 0.5 */
        {62500000, 7, 0},
        {24000000, 200000, 4800},
        {3333333333, 1000000, 3333333},      /* 3333333.333 */
        {1497600000, 999999999, 1497599999}, /* 1497599998.5 */
        {18000000000, 999999999, 17999999982},
        {5000000000, NS_MAX, 18000000000000},
    };
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        source_hz = cases[i].hz;
        assert_true(ticks_of(cases[i].ns) == cases[i].ticks);
    }
}

/* ---- by count ------------------------------------------------------------------------------ */

static void test_count_is_periodic(void **state)
{
    (void)state;
    assert_int_equal(timer_every(100000, VECTOR), 0);
    /* 24 MHz: 2400 ticks in 100 us, measured within a read of the clock in 2.5 ms. */
    assert_in_range(apic.reg[REG_TIMER_INITIAL], 2399, 2401);
    assert_int_equal(apic.reg[REG_LVT_TIMER], LVT_PERIODIC | VECTOR);
    assert_int_equal(apic.reg[REG_TIMER_DIVIDE], DIVIDE_BY_16);
    timer_again(); /* nothing to do: it reloads itself */
    assert_int_equal(apic.deadline, 0);
    assert_int_equal(timer_every(0, VECTOR), 0);
    assert_true(apic.reg[REG_LVT_TIMER] & LVT_MASKED);
    assert_int_equal(apic.reg[REG_TIMER_INITIAL], 0);
}

static void test_times_that_cannot_be_counted(void **state)
{
    (void)state;
    assert_int_equal(timer_every(100000, VECTOR), 0);
    assert_int_equal(timer_every(20, VECTOR), -TT_ENODEV);             /* 0.48 ticks */
    assert_int_equal(timer_every(180 * NS_PER_S, VECTOR), -TT_ENODEV); /* more than 32 bits */
    assert_int_equal(timer_every(NS_MAX + 1, VECTOR), -TT_ENODEV);
    assert_in_range(apic.reg[REG_TIMER_INITIAL], 2399, 2401); /* as it was */
}

/* ---- by deadlines -------------------------------------------------------------------------- */

#define PERIOD_NS 100000
#define PERIOD    (TSC_HZ / (NS_PER_S / PERIOD_NS))

static void assert_near(uint64_t v, uint64_t expected)
{
    uint64_t slack = PERIOD / 1000 + 4 * READ;
    assert_in_range(v, expected - slack, expected + slack);
}

static void deadlines(bool x2_mode)
{
    begin(x2_mode, true);
    assert_int_equal(timer_every(PERIOD_NS, VECTOR), 0);
    assert_int_equal(apic.reg[REG_LVT_TIMER], LVT_DEADLINE | VECTOR);
    assert_int_equal(apic.deadline_unfenced, 0);
    uint64_t first = apic.deadline, period = timer[0].v.period;
    assert_near(first, apic.cycles + PERIOD);
    assert_near(period, PERIOD);
    for (unsigned i = 1; i <= 1000; i++) {
        apic.cycles = apic.deadline + i % 7 * 1000; /* it is taken late, now more, now less */
        timer_again();
        assert_true(apic.deadline == first + i * period);
    }
}

/* Each is set from the one before, not from when that was taken. */
static void test_deadlines_do_not_drift(void **state)
{
    (void)state;
    deadlines(false);
    deadlines(true);
}

/* A CPU that took nothing for long goes on from now: no burst, and none set in the past. */
static void test_deadlines_that_are_over_are_not_made_up_for(void **state)
{
    (void)state;
    assert_int_equal(timer_every(PERIOD_NS, VECTOR), 0);
    for (unsigned periods = 1; periods < 100; periods += 7) {
        apic.cycles = apic.deadline + periods * timer[0].v.period;
        timer_again();
        assert_true(apic.deadline > apic.cycles);
        assert_true(apic.deadline <= apic.cycles + timer[0].v.period);
    }
}

static void test_deadlines_are_turned_off(void **state)
{
    (void)state;
    assert_int_equal(timer_every(PERIOD_NS, VECTOR), 0);
    assert_int_equal(timer_every(0, VECTOR), 0);
    assert_int_equal(apic.deadline, 0);
    timer_again(); /* the last one, which was on its way */
    assert_int_equal(apic.deadline, 0);
}

/* The second CPU uses what the first measured, and has a deadline of its own. */
static void test_each_cpu_has_its_own(void **state)
{
    (void)state;
    assert_int_equal(timer_every(PERIOD_NS, VECTOR), 0);
    uint64_t on_0 = timer[0].v.next;
    no_clock = true;
    host_cpu = 1;
    assert_int_equal(timer_every(2 * PERIOD_NS, VECTOR), 0);
    assert_near(timer[1].v.period, 2 * PERIOD);
    assert_true(timer[0].v.next == on_0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_deadlines_where_they_can_be_trusted, start),
        cmocka_unit_test_setup(test_no_clock_no_timer, start),
        cmocka_unit_test_setup(test_ticks_of_a_time, start),
        cmocka_unit_test_setup(test_count_is_periodic, start_counting),
        cmocka_unit_test_setup(test_times_that_cannot_be_counted, start_counting),
        cmocka_unit_test_setup(test_deadlines_do_not_drift, start),
        cmocka_unit_test_setup(test_deadlines_that_are_over_are_not_made_up_for, start),
        cmocka_unit_test_setup(test_deadlines_are_turned_off, start),
        cmocka_unit_test_setup(test_each_cpu_has_its_own, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
