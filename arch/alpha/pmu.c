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

static const unsigned counter[PMU_EVENTS] = {[PMU_INSTRUCTIONS] = 0, [PMU_CYCLES] = 1};
static bool running;

uint64_t pal_wrperfmon(uint64_t function, uint64_t argument)
{
    return pal_call2(PAL_WRPERFMON, function, argument);
}

const char *arch_pmu_init(void)
{
    struct arch_machine m;

    arch_machine_info(&m);
    if (m.hypervisor[0])
        return "QEMU emulates no performance counters (wrperfmon)";
    if (m.family != CPU_EV6 && (m.family < CPU_EV67 || m.family > CPU_EV68AL))
        return "this CPU's counters are not the 21264's, which are the ones supported";
    perfmon_start(m.family != CPU_EV6);
    running = true;
    return NULL;
}

uint64_t arch_pmu_read(enum pmu_event e)
{
    return running ? perfmon_read(counter[e]) : 0;
}
