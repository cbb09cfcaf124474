/*
 * Hardware counters: cycles and instructions of the architectural performance monitoring
 * (Intel SDM vol. 3B, ch. 20): the fixed counters where they exist, else two general ones.
 */
#include "arch.h"
#include "core/trap.h"
#include "regs.h"

#define MSR_PMC0          0x0c1
#define MSR_EVENT_SELECT0 0x186
#define MSR_FIXED0        0x309
#define MSR_FIXED_CONTROL 0x38d
#define MSR_GLOBAL_ENABLE 0x38f

#define SELECT_ALL_RINGS 0x030000
#define SELECT_ENABLE    0x400000
#define EVENT_CYCLES     0x003c
#define EVENT_RETIRED    0x00c0

#define RDPMC_FIXED (1u << 30)

/* rdpmc's number for each event, once arch_pmu_init found counters. */
static uint32_t counter[PMU_EVENTS];
static bool running;

/* What is started, behind a guard: some emulators and hypervisors state counters that trap. */
enum way { FIXED, GENERAL_1, GENERAL_2 };

static void start_fixed(void)
{
    wrmsr(MSR_GLOBAL_ENABLE, 0);
    wrmsr(MSR_FIXED0, 0);
    wrmsr(MSR_FIXED0 + 1, 0);
    wrmsr(MSR_FIXED_CONTROL, 0x33); /* counters 0 and 1, in all rings, no interrupt */
    wrmsr(MSR_GLOBAL_ENABLE, 3ul << 32);
    counter[PMU_INSTRUCTIONS] = RDPMC_FIXED | 0;
    counter[PMU_CYCLES] = RDPMC_FIXED | 1;
}

static void start_general(bool global)
{
    static const uint32_t event[PMU_EVENTS] = {
        [PMU_CYCLES] = EVENT_CYCLES, [PMU_INSTRUCTIONS] = EVENT_RETIRED};

    for (unsigned i = 0; i < PMU_EVENTS; i++) {
        wrmsr(MSR_EVENT_SELECT0 + i, 0);
        wrmsr(MSR_PMC0 + i, 0);
        wrmsr(MSR_EVENT_SELECT0 + i, event[i] | SELECT_ALL_RINGS | SELECT_ENABLE);
        counter[i] = i;
    }
    if (global)
        wrmsr(MSR_GLOBAL_ENABLE, (1ul << PMU_EVENTS) - 1);
}

static void start(void *arg)
{
    enum way way = *(enum way *)arg;

    if (way == FIXED)
        start_fixed();
    else
        start_general(way == GENERAL_2);
    for (unsigned i = 0; i < PMU_EVENTS; i++)
        rdpmc(counter[i]);
}

const char *arch_pmu_init(void)
{
    if (cpuid_max(0) < 0xa)
        return "no architectural PMU: the CPU has no cpuid leaf 10";

    struct cpuid c = cpuid(0xa, 0);
    unsigned version = c.eax & 0xff;
    unsigned general = c.eax >> 8 & 0xff;
    unsigned events = c.eax >> 24; /* how many bits of ebx count; a set one: no such event */

    enum way way = version >= 2 ? GENERAL_2 : GENERAL_1;
    struct trap_info t;

    if (version == 0)
        return "no architectural PMU: cpuid leaf 10 is 0";
    if (version >= 2 && (c.edx & 0x1f) >= 2)
        way = FIXED;
    else if (general < PMU_EVENTS || events < 2 || (c.ebx & 3))
        return "the architectural PMU does not count cycles and instructions";
    if (!trap_guard(start, &way, &t))
        return "cpuid leaf 10 states an architectural PMU, but using it traps";
    running = true;
    return NULL;
}

uint64_t arch_pmu_read(enum pmu_event e)
{
    return running ? rdpmc(counter[e]) : 0;
}
