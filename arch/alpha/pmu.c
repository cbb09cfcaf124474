/*
 * Hardware counters: the 21264's two (perfmon.c). QEMU's PALcode has no wrperfmon; on a real
 * machine this has not been tried yet, which the pmu self-test makes visible there.
 */
#include "arch.h"
#include "pal.h"
#include "perfmon.h"

/* HWRPB numbers of the CPUs that have the 21264's counters (arch_machine_info's family). */
#define CPU_EV6    8  /* 21264 */
#define CPU_EV67   11 /* 21264A, and its successors: */
#define CPU_EV68CB 12
#define CPU_EV68AL 13

/* Always both, so a select is just the counter's number. */
static const struct pmu_event event[PERFMON_COUNTERS] = {
    {"cycles", "cycles", 1},
    {"instructions", "instructions retired", 0},
};

static unsigned counter[PMU_EVENTS_MAX]; /* of each event asked for */
static unsigned counters;

uint64_t pal_wrperfmon(uint64_t function, uint64_t argument)
{
    return pal_call2(PAL_WRPERFMON, function, argument);
}

unsigned arch_pmu_counters(const char **why)
{
    struct arch_machine m;

    arch_machine_info(&m);
    *why = NULL;
    if (m.hypervisor[0])
        *why = "QEMU emulates no performance counters (wrperfmon)";
    else if (m.family != CPU_EV6 && (m.family < CPU_EV67 || m.family > CPU_EV68AL))
        *why = "this CPU's counters are not the 21264's, which are the ones supported";
    return *why ? 0 : PERFMON_COUNTERS;
}

const struct pmu_event *arch_pmu_events(unsigned *n)
{
    const char *why;

    *n = arch_pmu_counters(&why);
    return event;
}

uint64_t arch_pmu_raw_bits(void)
{
    return 0;
}

const char *arch_pmu_fit(const struct pmu_event *e, unsigned n)
{
    (void)e;
    return n <= PMU_EVENTS_MAX ? NULL : "more events than counters";
}

const char *arch_pmu_start(const struct pmu_event *e, unsigned n)
{
    struct arch_machine m;

    arch_machine_info(&m);
    perfmon_start(m.family != CPU_EV6);
    for (counters = 0; counters < n; counters++)
        counter[counters] = (unsigned)e[counters].select;
    return NULL;
}

uint64_t arch_pmu_read(unsigned i)
{
    return i < counters ? perfmon_read(counter[i]) : 0;
}
