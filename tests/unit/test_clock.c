/*
 * The clock against a simulated machine: clocks that are wrong, stuck, late, or not there.
 */
#include "host.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/record.h"
#include "core/rng.h"
#include "perf/calibrate.h"
#include "perf/clock.h"
#include "perf/model.h"

#include <arch/cpu.h>

#include <string.h>

/* ---- a machine ----------------------------------------------------------------------------- */

/* Time in picoseconds; every reading of anything takes some. */
static uint64_t now_ps;
static uint64_t reads;

static uint64_t true_hz;      /* of the cycle counter; 0: it stands still */
static uint64_t stated_hz;    /* 0: not stated */
static uint64_t read_cost_ps; /* of a reference clock */
static uint64_t stall_every;  /* the host takes the CPU away at every n-th read; 0: never ... */
static uint64_t stall_ps;     /* ... for so long */
static uint64_t cold_ps;      /* what the first reading of each clock takes longer */

static struct {
    const char *name;
    uint64_t said_hz, real_hz; /* 0 real: stands still */
    bool warm;
} refs[4];
static unsigned ref_count;
static const char *hypervisor;

/* Whole ticks of a clock at now_ps. Split, so that nothing overflows for hours. */
static uint64_t ticks(uint64_t hz)
{
    const uint64_t second = UINT64_C(1000000000000);
    return now_ps / second * hz + (now_ps % second) / 1000 * hz / 1000000000;
}

static uint64_t sim_cycles(void)
{
    now_ps += 10000; /* 10 ns */
    return ticks(true_hz);
}

static uint64_t read_ref(unsigned i)
{
    reads++;
    now_ps += read_cost_ps / 2;
    uint64_t v = ticks(refs[i].real_hz);
    now_ps += read_cost_ps - read_cost_ps / 2;
    if (!refs[i].warm)
        now_ps += cold_ps;
    refs[i].warm = true;
    if (stall_every && reads % stall_every == 0)
        now_ps += stall_ps;
    return v;
}

static uint64_t read0(void)
{
    return read_ref(0);
}

static uint64_t read1(void)
{
    return read_ref(1);
}

static uint64_t read2(void)
{
    return read_ref(2);
}

unsigned arch_ref_clocks(struct arch_ref_clock *r, unsigned max)
{
    static uint64_t (*const read[])(void) = {read0, read1, read2};
    unsigned n = ref_count < max ? ref_count : max;
    for (unsigned i = 0; i < n; i++)
        r[i] = (struct arch_ref_clock){refs[i].name, refs[i].said_hz, read[i]};
    return n;
}

uint64_t arch_cycle_hz_stated(void)
{
    return stated_hz;
}

int arch_cycle_invariant(void)
{
    return 1;
}

const char arch_cycle_source[] = "tsc";

void arch_machine_info(struct arch_machine *m)
{
    *m = (struct arch_machine){0};
    strcpy(m->hypervisor, hypervisor);
}

/* ---- a cache model, sometimes --------------------------------------------------------------- */

static bool sim_model;
static struct model_machine_info sim_machine;
static struct model_cpu_counts sim_counts;

bool model_present(void)
{
    return sim_model;
}

const struct model_machine_info *model_machine(void)
{
    return &sim_machine;
}

const volatile struct model_cpu_counts *model_counts(void)
{
    return &sim_counts;
}

/* What the command line would do with clock=VALUE; the message in err. */
static int set_clock(const char *value, char *err, size_t err_bytes)
{
    for_each_registered (option, o)
        if (!strcmp(o->name, "clock"))
            return o->parse(o, value, err, err_bytes);
    fail_msg("no option clock=");
    return 0;
}

static void add_ref(const char *name, uint64_t said, uint64_t real)
{
    refs[ref_count].name = name;
    refs[ref_count].said_hz = said;
    refs[ref_count].warm = false;
    refs[ref_count++].real_hz = real;
}

#define PIT_HZ  1193182
#define PM_HZ   3579545
#define HPET_HZ 100000000

static int fresh_machine(void **state)
{
    (void)state;
    now_ps = UINT64_C(5000000000000);
    reads = 0;
    true_hz = 2400000000;
    stated_hz = 0;
    read_cost_ps = 1000000;
    stall_every = stall_ps = cold_ps = 0;
    ref_count = 0;
    hypervisor = "";
    sim_model = false;
    sim_machine = (struct model_machine_info){.name = "ds10", .clock_khz = 466000};
    sim_counts = (struct model_cpu_counts){.serial_cycles = 1000};
    char err[160];
    set_clock("auto", err, sizeof err);
    host_cycles = sim_cycles;
    host_console_clear();
    return 0;
}

static void assert_near(uint64_t hz, uint64_t want, uint64_t ppm)
{
    uint64_t apart = hz > want ? hz - want : want - hz;
    if (apart > want / 1000000 * ppm)
        fail_msg("%lu Hz is not %lu Hz", (unsigned long)hz, (unsigned long)want);
}

/* ---- frequency ----------------------------------------------------------------------------- */

static void two_clocks_agree(void **state)
{
    (void)state;
    add_ref("acpi_pm", PM_HZ, PM_HZ);
    add_ref("pit", PIT_HZ, PIT_HZ);
    clock_init();
    assert_near(clock_info()->hz, true_hz, 300);
    assert_string_equal(clock_info()->basis, "acpi_pm+pit");
    assert_string_equal(clock_info()->source, "tsc");
    assert_int_equal(clock_info()->invariant, 1);
    assert_string_equal(host_console(), "");
    assert_true(now_ps < UINT64_C(5000000000000) + UINT64_C(20000000000)); /* one window */
}

/* What boots wait for: two fine clocks need no whole window, and a cold start no second one. */
static void fine_clocks_are_quick(void **state)
{
    (void)state;
    cold_ps = UINT64_C(50000000);
    add_ref("hpet", HPET_HZ, HPET_HZ);
    add_ref("acpi_pm", PM_HZ, PM_HZ);
    add_ref("pit", PIT_HZ, PIT_HZ);
    clock_init();
    assert_near(clock_info()->hz, true_hz, 714);
    assert_string_equal(clock_info()->basis, "hpet+acpi_pm");
    assert_true(now_ps < UINT64_C(5000000000000) + UINT64_C(700000000));
}

static void statement_that_is_confirmed_is_exact(void **state)
{
    (void)state;
    stated_hz = true_hz;
    add_ref("hpet", HPET_HZ, HPET_HZ);
    clock_init();
    assert_int_equal(clock_info()->hz, true_hz);
    assert_string_equal(clock_info()->basis, "stated+hpet");
}

static void one_of_three_is_wrong(void **state)
{
    (void)state;
    for (unsigned wrong = 0; wrong < 3; wrong++) {
        fresh_machine(NULL);
        add_ref("hpet", HPET_HZ, HPET_HZ);
        add_ref("acpi_pm", PM_HZ, PM_HZ);
        add_ref("pit", PIT_HZ, PIT_HZ);
        refs[wrong].real_hz += refs[wrong].real_hz / 200; /* half a percent */
        clock_init();
        assert_near(clock_info()->hz, true_hz, 300);
        assert_null(strstr(clock_info()->basis, refs[wrong].name));
    }
}

static void disagreement_is_unknown(void **state)
{
    (void)state;
    add_ref("acpi_pm", PM_HZ, PM_HZ + PM_HZ / 250); /* 4,000 ppm */
    add_ref("pit", PIT_HZ, PIT_HZ);
    clock_init();
    assert_int_equal(clock_info()->hz, 0);
    assert_string_equal(clock_info()->basis, "unknown");
    assert_non_null(strstr(host_console(), "\"level\":\"warning\""));
    assert_non_null(strstr(host_console(), "acpi_pm: 23"));
    assert_non_null(strstr(host_console(), "pit: 2"));
    assert_int_equal(clock_ns(1000), 0);
    assert_true(now_ps < UINT64_C(5100000000000)); /* five windows */
}

static void false_statement_is_not_believed(void **state)
{
    (void)state;
    stated_hz = 2000000000;
    add_ref("pit", PIT_HZ, PIT_HZ);
    clock_init();
    assert_int_equal(clock_info()->hz, 0);
}

static void statement_alone_says_so(void **state)
{
    (void)state;
    stated_hz = 250000000;
    clock_init();
    assert_int_equal(clock_info()->hz, 250000000);
    assert_string_equal(clock_info()->basis, "stated");
}

static void nothing_at_all(void **state)
{
    (void)state;
    clock_init();
    assert_int_equal(clock_info()->hz, 0);
}

static void one_clock_alone_is_not_enough(void **state)
{
    (void)state;
    add_ref("pit", PIT_HZ, PIT_HZ);
    clock_init();
    assert_int_equal(clock_info()->hz, 0);
}

static void stuck_clocks_are_bounded(void **state)
{
    (void)state;
    add_ref("hpet", HPET_HZ, 0);
    add_ref("pit", PIT_HZ, 0);
    clock_init();
    assert_int_equal(clock_info()->hz, 0);
    assert_true(reads < 5 * 2 * 200010);

    fresh_machine(NULL); /* one stuck, two not: no harm */
    add_ref("hpet", HPET_HZ, 0);
    add_ref("acpi_pm", PM_HZ, PM_HZ);
    add_ref("pit", PIT_HZ, PIT_HZ);
    clock_init();
    assert_string_equal(clock_info()->basis, "acpi_pm+pit");
}

static void stuck_cycle_counter(void **state)
{
    (void)state;
    true_hz = 0;
    add_ref("acpi_pm", PM_HZ, PM_HZ);
    add_ref("pit", PIT_HZ, PIT_HZ);
    clock_init();
    assert_int_equal(clock_info()->hz, 0);
    assert_int_equal(clock_info()->overhead, 0);
}

/* A host that takes the CPU away now and then: retried, and right or unknown, never wrong. */
static void stalls_never_make_it_wrong(void **state)
{
    (void)state;
    struct rng g = rng_stream(9, 9);
    unsigned known = 0;
    for (int i = 0; i < 300; i++) {
        fresh_machine(NULL);
        add_ref("acpi_pm", PM_HZ, PM_HZ);
        add_ref("pit", PIT_HZ, PIT_HZ);
        stall_every = 500 + rng_below(&g, 20000);
        stall_ps = rng_below(&g, 1000) * UINT64_C(10000000); /* up to 10 ms */
        now_ps += rng_next(&g) >> 24;
        reads = rng_below(&g, 20000);
        clock_init();
        if (!clock_info()->hz)
            continue;
        known++;
        assert_near(clock_info()->hz, true_hz, CLOCK_AGREE_PPM);
    }
    assert_true(known > 150);
}

static void emulation_is_called_so(void **state)
{
    (void)state;
    hypervisor = "TCGTCGTCGTCG";
    clock_init();
    assert_string_equal(clock_info()->source, "emulation");
    assert_non_null(strstr(host_console(), "emulated"));
    fresh_machine(NULL);
    hypervisor = "KVMKVMKVM";
    clock_init();
    assert_string_equal(clock_info()->source, "tsc");
    assert_non_null(strstr(host_console(), "virtual"));
}

/* ---- intervals ----------------------------------------------------------------------------- */

static void overhead_never_wraps(void **state)
{
    (void)state;
    stated_hz = true_hz;
    clock_init();
    uint64_t overhead = clock_info()->overhead;
    assert_int_equal(overhead, 24); /* 10 ns at 2.4 GHz */
    bool under = true;
    assert_int_equal(clock_elapsed(1000, 1000 + overhead + 7, &under), 7);
    assert_false(under);
    assert_int_equal(clock_elapsed(1000, 1000 + overhead, &under), 0);
    assert_false(under);
    assert_int_equal(clock_elapsed(1000, 1000 + overhead - 1, &under), 0);
    assert_true(under);
    under = false;
    assert_int_equal(clock_elapsed(1000, 999, &under), 0);
    assert_true(under);
    assert_int_equal(clock_elapsed(0, 5, NULL), 0);
}

static void nanoseconds(void **state)
{
    (void)state;
    struct rng g = rng_stream(10, 10);
    for (int i = 0; i < 2000; i++) {
        fresh_machine(NULL);
        stated_hz = 1000000 + (rng_next(&g) >> 31); /* up to 8.6 GHz */
        clock_init();
        uint64_t c = rng_next(&g) >> (8 + rng_below(&g, 56));
        unsigned __int128 ns = (unsigned __int128)c * 1000000000 / clock_info()->hz;
        if (ns <= UINT64_MAX)
            assert_int_equal(clock_ns(c), (uint64_t)ns);
    }
}

static void delay_waits_and_is_bounded(void **state)
{
    (void)state;
    stated_hz = true_hz;
    clock_init();
    uint64_t start = now_ps;
    clock_delay_ns(50000);
    assert_in_range(now_ps - start, 50000000, 51000000);
    true_hz = 0; /* the counter stops: must come back all the same */
    clock_delay_ns(50000);
}

/* ---- the model as a clock -------------------------------------------------------------------
 */

/* With a model the times are its serial clock's, at the machine file's frequency, and say so.
 */
static void model_is_the_clock(void **state)
{
    (void)state;
    sim_model = true;
    add_ref("pit", PIT_HZ, PIT_HZ);
    add_ref("acpi_pm", PM_HZ, PM_HZ);
    clock_init();
    assert_string_equal(clock_info()->source, "model");
    assert_string_equal(clock_info()->basis, "machine file ds10");
    assert_int_equal(clock_info()->hz, 466000000);
    uint64_t start = clock_read();
    sim_counts.serial_cycles += 466;
    assert_int_equal(clock_elapsed(start, clock_read(), NULL), 466);
    assert_int_equal(clock_ns(466), 1000);
}

/* A delay is real time whatever clock is in use: it counts the machine's own counter. */
static void delay_ignores_the_model(void **state)
{
    (void)state;
    sim_model = true;
    add_ref("pit", PIT_HZ, PIT_HZ);
    add_ref("acpi_pm", PM_HZ, PM_HZ);
    clock_init();
    uint64_t before = now_ps;
    clock_delay_ns(1000000);
    assert_true(now_ps - before >= UINT64_C(990000000));
    assert_true(now_ps - before <= UINT64_C(1100000000));
}

static void clock_option(void **state)
{
    (void)state;
    char err[160];
    assert_int_not_equal(set_clock("model", err, sizeof err), 0);
    assert_non_null(strstr(err, "auto, tsc"));
    assert_non_null(strstr(err, "no cache model answered"));
    assert_int_not_equal(set_clock("sundial", err, sizeof err), 0);
    sim_model = true;
    assert_int_equal(set_clock("model", err, sizeof err), 0);
    assert_int_equal(set_clock("tsc", err, sizeof err), 0);
    add_ref("pit", PIT_HZ, PIT_HZ);
    add_ref("acpi_pm", PM_HZ, PM_HZ);
    clock_init();
    assert_string_equal(clock_info()->source, "tsc");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, fresh_machine)
    const struct CMUnitTest tests[] = {
        TEST(two_clocks_agree),
        TEST(fine_clocks_are_quick),
        TEST(statement_that_is_confirmed_is_exact),
        TEST(one_of_three_is_wrong),
        TEST(disagreement_is_unknown),
        TEST(false_statement_is_not_believed),
        TEST(statement_alone_says_so),
        TEST(nothing_at_all),
        TEST(one_clock_alone_is_not_enough),
        TEST(stuck_clocks_are_bounded),
        TEST(stuck_cycle_counter),
        TEST(stalls_never_make_it_wrong),
        TEST(emulation_is_called_so),
        TEST(overhead_never_wraps),
        TEST(nanoseconds),
        TEST(delay_waits_and_is_bounded),
        TEST(model_is_the_clock),
        TEST(delay_ignores_the_model),
        TEST(clock_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
