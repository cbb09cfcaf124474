/*
 * Hardware performance counters: cycles and instructions, where the CPU has them, and a self-test
 * that they count. Under QEMU's TCG and on CPUs without an architectural PMU there are none; the
 * reason then goes into the machine record and nothing is printed in their place.
 */
#include "perf/counters.h"

#include "arch.h"
#include "core/cpu.h"
#include "core/kprintf.h"
#include "core/record.h"
#include "core/selftest.h"

static const char *missing = "not started";
static PER_CPU(bool, started); /* counters are each CPU's own */

static unsigned start(struct counter *c, unsigned max)
{
    static const char *const name[PMU_EVENTS] = {"cycles", "instructions"};
    missing = arch_pmu_init();
    this_of(started) = !missing;
    unsigned n = 0;
    for (; !missing && n < PMU_EVENTS && n < max; n++) {
        c[n] = (struct counter){.source = "pmu"};
        ksnprintf(c[n].name, sizeof c[n].name, "%s", name[n]);
    }
    return n;
}

static void read(uint64_t *v)
{
    if (!missing && !this_of(started)) {
        arch_pmu_init();
        this_of(started) = true;
    }
    for (unsigned i = 0; !missing && i < PMU_EVENTS; i++)
        v[i] = arch_pmu_read((enum pmu_event)i);
}

static void log_pmu(void)
{
    struct record r;
    record_begin(&r, "machine");
    record_str(&r, "what", "pmu");
    record_u64(&r, "counters", missing ? 0 : PMU_EVENTS);
    if (missing)
        record_str(&r, "why", missing);
    record_end(&r);
}

REGISTER(counter_source, pmu) = {.name = "pmu", .start = start, .read = read, .log = log_pmu};

/* ---- self-test ----------------------------------------------------------------------------- */

#define LOOPS 100000u

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    if (missing) {
        ksnprintf(msg, msg_bytes, "%s", missing);
        return SELFTEST_SKIP;
    }
    uint64_t cycles = arch_pmu_read(PMU_CYCLES);
    uint64_t instructions = arch_pmu_read(PMU_INSTRUCTIONS);
    for (volatile unsigned i = 0; i < LOOPS; i++)
        ;
    instructions = arch_pmu_read(PMU_INSTRUCTIONS) - instructions;
    cycles = arch_pmu_read(PMU_CYCLES) - cycles;

    /* A volatile counter's loop is 3 to 8 instructions, and no CPU retires 8 of them a cycle. */
    if (instructions >= 3 * LOOPS && instructions <= 9 * LOOPS && cycles >= instructions / 8)
        return SELFTEST_OK;
    ksnprintf(msg, msg_bytes, "%u loops: %llu instructions, %llu cycles", LOOPS,
              (unsigned long long)instructions, (unsigned long long)cycles);
    return SELFTEST_FAIL;
}

REGISTER(selftest, pmu) = {
    .name = "pmu", .proves = "the hardware counters count cycles and instructions", .run = run};
