/*
 * The cycle counter as a clock: what it is called, how fast it runs, what reading it costs.
 *
 * clock.h is the contract; calibrate.c does the measuring.
 */
#include "perf/clock.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/record.h"
#include "perf/calibrate.h"
#include "perf/model.h"

#include <arch/cpu.h>

#include <string.h>

#define OVERHEAD_TRIES 100
#define NS_PER_S       1000000000ull

static struct clock_info info = {.source = "unknown", .basis = "unknown", .invariant = -1};
static char basis[48];
static uint64_t counter_hz; /* of cpu_cycles(), whatever clock is in use; 0: unknown */
static bool use_model;

/* ---- clock= -------------------------------------------------------------------------------- */

static enum { WANT_AUTO, WANT_MODEL, WANT_COUNTER } wanted;

static int parse_clock(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    if (!strcmp(value, "auto"))
        wanted = WANT_AUTO;
    else if (!strcmp(value, arch_cycle_source))
        wanted = WANT_COUNTER;
    else if (!strcmp(value, "model") && model_present())
        wanted = WANT_MODEL;
    else {
        ksnprintf(err, err_bytes, "valid here: auto, %s%s", arch_cycle_source,
                  model_present() ? ", model" : " (no cache model answered)");
        return -TT_EINVAL;
    }
    return 0;
}

REGISTER(option, clock) = {.name = "clock",
                           .grammar = "auto|COUNTER|model",
                           .help = "source of times; auto: the cache model if there is one",
                           .parse = parse_clock};

/* ---- reading ------------------------------------------------------------------------------- */

const struct clock_info *clock_info(void)
{
    return &info;
}

uint64_t clock_read(void)
{
    return use_model ? model_counts()->serial_cycles : cpu_cycles();
}

uint64_t clock_elapsed(uint64_t start, uint64_t end, bool *underflow)
{
    bool under = end < start || end - start < info.overhead;
    if (underflow)
        *underflow = under;
    return under ? 0 : end - start - info.overhead;
}

uint64_t clock_ns(uint64_t cycles)
{
    if (!info.hz)
        return 0;
    /* The rest is below hz, which is below 2^34: its product with 10^9 fits. */
    return cycles / info.hz * NS_PER_S + cycles % info.hz * NS_PER_S / info.hz;
}

void clock_delay_ns(uint64_t ns)
{
    uint64_t start = cpu_cycles(), cycles = counter_hz / 1000000 * ns / 1000;
    /* A round takes more than a nanosecond, so a counter that stands still cannot hold us. */
    for (uint64_t round = 0; round < ns; round++) {
        if (counter_hz && cpu_cycles() - start >= cycles)
            break;
        cpu_relax();
    }
}

/* ---- at boot ------------------------------------------------------------------------------- */

static void write_note(const char *level, const char *text)
{
    struct record r;
    record_begin(&r, "note");
    record_str(&r, "level", level);
    record_str(&r, "text", text);
    record_end(&r);
}

static void name_source(void)
{
    struct arch_machine m;
    arch_machine_info(&m);
    info.source = arch_cycle_source;
    if (strncmp(m.hypervisor, "TCG", 3) == 0) {
        info.source = "emulation";
        write_note("info",
                   "this machine is emulated (QEMU TCG): times say nothing about a real one");
    } else if (m.hypervisor[0]) {
        write_note("info", "this machine is virtual: times include what the host does");
    }
}

/* Believes two sources that agree, or one statement that nothing contradicts. */
static bool accept(const struct hz_source *s, unsigned n)
{
    unsigned a, b;
    if (n == 1 && strcmp(s[0].name, "stated") == 0) {
        info.hz = s[0].hz;
        info.basis = "stated";
        return true;
    }
    if (!calibrate_agree(s, n, CLOCK_AGREE_PPM, &a, &b))
        return false;
    /* The statement comes first and is exact; of two measurements none is better known. */
    info.hz = strcmp(s[a].name, "stated") == 0 ? s[a].hz : s[a].hz / 2 + s[b].hz / 2;
    ksnprintf(basis, sizeof(basis), "%s+%s", s[a].name, s[b].name);
    info.basis = basis;
    return true;
}

static void find_frequency(void)
{
    struct hz_source s[CALIBRATE_SOURCES];
    unsigned n = 0;

    info.hz = 0;
    info.basis = "unknown";
    for (unsigned i = 0; i < CLOCK_TRIES; i++) {
        /* At first two clocks, as short as they allow; if they disagree all have to speak. */
        n = calibrate_window(s, i ? CALIBRATE_REFS : 2);
        if (accept(s, n))
            return;
    }
    char text[320];
    size_t used = ksnprintf(text, sizeof(text),
                            "clock: no two sources agree on the frequency; results are in cycles");
    for (unsigned i = 0; i < n; i++)
        used += ksnprintf(text + used, sizeof(text) - used, "; %.16s: %llu Hz", s[i].name,
                          (unsigned long long)s[i].hz);
    write_note("warning", text);
}

static void measure_overhead(void)
{
    info.overhead = UINT64_MAX;
    for (unsigned i = 0; i < OVERHEAD_TRIES; i++) {
        uint64_t start = clock_read(), end = clock_read();
        if (end >= start && end - start < info.overhead)
            info.overhead = end - start;
    }
    if (info.overhead == UINT64_MAX)
        info.overhead = 0; /* it never went forward: find_frequency has told */
}

/* The model's serial clock runs at the frequency of the machine file, exactly. */
static void take_model(void)
{
    ksnprintf(basis, sizeof basis, "machine file %s", model_machine()->name);
    info = (struct clock_info){.source = "model",
                               .hz = model_machine()->clock_khz * UINT64_C(1000),
                               .basis = basis,
                               .invariant = 1};
    write_note("info", "times and misses are the cache model's; instruction fetches and page-table "
                       "walks are not modelled");
}

void clock_init(void)
{
    use_model = model_present() && wanted != WANT_COUNTER;
    if (!use_model)
        name_source();
    info.invariant = arch_cycle_invariant();
    find_frequency();
    counter_hz = info.hz;
    if (use_model)
        take_model();
    measure_overhead();
}
