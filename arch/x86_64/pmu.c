/*
 * Performance counters of Intel (architectural: SDM vol. 3B, 20.2) and of AMD (APM vol. 2, 13.2).
 *
 * Intel's have two kinds: a fixed one for cycles and one for instructions, and general ones with a
 * control register each. AMD's are all general: four, six on newer ones, at other addresses. Events
 * go to fixed counters where there is one, the rest to general ones in the order given.
 */
#include "arch.h"
#include "core/cpu.h"
#include "core/trap.h"
#include "pmu_events.h"
#include "regs.h"

#include <string.h>

#define MSR_PMC0          0x0c1
#define MSR_EVENT_SELECT0 0x186
#define MSR_FIXED0        0x309
#define MSR_FIXED_CONTROL 0x38d
#define MSR_GLOBAL_ENABLE 0x38f

#define MSR_AMD_SELECT0   0xc0010000
#define MSR_AMD_PMC0      0xc0010004
#define MSR_AMD_EXTENDED  0xc0010200 /* select, counter, select, counter, ... */
#define MSR_AMD_GLOBAL    0xc0000301
#define AMD_LEAF_2        0x80000022
#define AMD_EXTENDED_CORE (1u << 23) /* leaf 0x80000001 ecx */
#define AMD_LEGACY        4
#define AMD_EXTENDED      6
#define AMD_BITS          48

#define SELECT_ALL_RINGS 0x030000
#define SELECT_ENABLE    0x400000
/* Event, unit mask, edge, invert, threshold: what an event is, but not who is told of it. */
#define SELECT_EVENT     0xff84ffff
#define SELECT_AMD_EVENT 0xf00000000

#define RDPMC_FIXED (1u << 30)

/* Intel's fixed counters: number 0 instructions, 1 cycles. */
#define FIXED         2
#define FIXED_CONTROL 3 /* all rings, no interrupt; four bits for each counter */

/* What this CPU has; nothing when there are no general counters. */
struct pmu {
    unsigned general, general_bits;
    unsigned fixed, fixed_bits;
    uint32_t select, counter; /* the first one's registers */
    unsigned step;            /* from one to the next */
    uint32_t global;          /* register that has a bit for each counter; 0: none */
    uint64_t event_bits;
    const struct pmu_event *event;
    unsigned events;
};

/* Where an event is counted. */
struct place {
    uint32_t rdpmc;
    unsigned bits;
};

static struct pmu pmu;
static const char *none; /* why there is nothing; NULL: there is */
static bool looked;

static struct place place[PMU_EVENTS_MAX]; /* the same on all CPUs */
static unsigned places;

/* Of each CPU: the counters as last read, and what they have counted in all. */
struct counts {
    uint64_t last[PMU_EVENTS_MAX], total[PMU_EVENTS_MAX];
};
static PER_CPU(struct counts, counts);

/* ---- what there is ------------------------------------------------------------------------- */

static const char *look_intel(void)
{
    if (cpuid_max(0) < 0xa)
        return "no architectural PMU: the CPU has no cpuid leaf 10";

    struct cpuid c = cpuid(0xa, 0);
    unsigned version = c.eax & 0xff;

    if (version == 0)
        return "no architectural PMU: cpuid leaf 10 is 0";
    pmu = (struct pmu){.general = c.eax >> 8 & 0xff,
                       .general_bits = c.eax >> 16 & 0xff,
                       .fixed = version >= 2 ? c.edx & 0x1f : 0,
                       .fixed_bits = c.edx >> 5 & 0xff,
                       .select = MSR_EVENT_SELECT0,
                       .counter = MSR_PMC0,
                       .step = 1,
                       .global = version >= 2 ? MSR_GLOBAL_ENABLE : 0,
                       .event_bits = SELECT_EVENT};
    if (pmu.fixed < FIXED || !pmu.fixed_bits || pmu.fixed_bits > 64)
        pmu.fixed = 0;
    pmu.event = pmu_events_intel(c.eax >> 24, c.ebx, &pmu.events);
    if (!pmu.general || !pmu.general_bits || pmu.general_bits > 64 || !pmu.events)
        return "cpuid leaf 10 states a PMU without counters or events";
    return NULL;
}

static const char *look_amd(unsigned family)
{
    bool extended = cpuid(0x80000001, 0).ecx & AMD_EXTENDED_CORE;
    bool version2 = cpuid_max(0x80000000) >= AMD_LEAF_2 && (cpuid(AMD_LEAF_2, 0).eax & 1);

    if (family < 0xf)
        return "counters of this AMD family are not known";
    pmu = (struct pmu){.general = extended ? AMD_EXTENDED : AMD_LEGACY,
                       .general_bits = AMD_BITS,
                       .select = extended ? MSR_AMD_EXTENDED : MSR_AMD_SELECT0,
                       .counter = extended ? MSR_AMD_EXTENDED + 1 : MSR_AMD_PMC0,
                       .step = extended ? 2 : 1,
                       .global = version2 ? MSR_AMD_GLOBAL : 0,
                       .event_bits = SELECT_EVENT | SELECT_AMD_EVENT};
    pmu.event = pmu_events_amd(family, &pmu.events);
    return NULL;
}

static const char *look(void)
{
    struct arch_machine m;

    arch_machine_info(&m);
    if (strncmp(m.hypervisor, "TCG", 3) == 0)
        return "QEMU's TCG emulates no performance counters";
    if (strcmp(m.vendor, "AuthenticAMD") == 0 || strcmp(m.vendor, "HygonGenuine") == 0)
        return look_amd(m.family);
    return look_intel();
}

unsigned arch_pmu_counters(const char **why)
{
    if (!looked)
        none = look();
    looked = true;
    *why = none;
    if (none)
        return 0;

    unsigned n = pmu.general + (pmu.fixed ? FIXED : 0);

    return n < PMU_EVENTS_MAX ? n : PMU_EVENTS_MAX;
}

const struct pmu_event *arch_pmu_events(unsigned *n)
{
    const char *why;

    *n = arch_pmu_counters(&why) ? pmu.events : 0;
    return pmu.event;
}

uint64_t arch_pmu_raw_bits(void)
{
    const char *why;

    return arch_pmu_counters(&why) ? pmu.event_bits : 0;
}

/* The fixed counter of an event; -1: none. */
static int fixed_for(const struct pmu_event *e)
{
    if (!pmu.fixed)
        return -1;
    return e->select == SELECT_INSTRUCTIONS ? 0 : e->select == SELECT_CYCLES ? 1 : -1;
}

const char *arch_pmu_fit(const struct pmu_event *e, unsigned n)
{
    unsigned general = 0;

    for (unsigned i = 0; i < n; i++)
        general += fixed_for(&e[i]) < 0;
    return n <= PMU_EVENTS_MAX && general <= pmu.general ? NULL : "more events than counters";
}

/* ---- counting ------------------------------------------------------------------------------ */

struct request {
    const struct pmu_event *e;
    unsigned n;
};

static void start_general(unsigned g, uint64_t select)
{
    wrmsr(pmu.select + g * pmu.step, 0);
    wrmsr(pmu.counter + g * pmu.step, 0);
    wrmsr(pmu.select + g * pmu.step, select | SELECT_ALL_RINGS | SELECT_ENABLE);
}

/* Under a guard: some emulators and hypervisors state counters that trap. */
static void start(void *arg)
{
    const struct request *r = arg;
    uint64_t fixed_control = 0, enable = 0;
    unsigned general = 0;

    if (pmu.global)
        wrmsr(pmu.global, 0);
    for (unsigned i = 0; i < r->n; i++) {
        int fixed = fixed_for(&r->e[i]);

        if (fixed < 0) {
            start_general(general, r->e[i].select);
            enable |= 1ul << general;
            place[i] = (struct place){general++, pmu.general_bits};
            continue;
        }
        wrmsr(MSR_FIXED0 + (unsigned)fixed, 0);
        fixed_control |= (uint64_t)FIXED_CONTROL << 4 * fixed;
        enable |= 1ul << (32 + fixed);
        place[i] = (struct place){RDPMC_FIXED | (unsigned)fixed, pmu.fixed_bits};
    }
    if (pmu.fixed)
        wrmsr(MSR_FIXED_CONTROL, fixed_control);
    if (pmu.global)
        wrmsr(pmu.global, enable);
    for (unsigned i = 0; i < r->n; i++)
        this_of(counts).last[i] = rdpmc(place[i].rdpmc);
    places = r->n;
}

const char *arch_pmu_start(const struct pmu_event *e, unsigned n)
{
    struct request r = {e, n};
    struct trap_info t;

    this_of(counts) = (struct counts){0};
    if (trap_guard(start, &r, &t))
        return NULL;
    return "the CPU states performance counters, but using them traps";
}

uint64_t arch_pmu_read(unsigned i)
{
    struct counts *c = &this_of(counts);

    if (i >= places)
        return 0;

    uint64_t now = rdpmc(place[i].rdpmc), mask = UINT64_MAX >> (64 - place[i].bits);

    c->total[i] += (now - c->last[i]) & mask;
    c->last[i] = now;
    return c->total[i];
}
