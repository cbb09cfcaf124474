/*
 * Names for events. A select is the event in bits 0 to 7 (AMD: and 32 to 35) and its unit mask in
 * bits 8 to 15.
 */
#include "pmu_events.h"

#define INTEL_EVENTS 7

/* A bit of leaf 10's ebx and the event it is about: Intel SDM vol. 3B, pre-defined architectural
 * events. */
static const struct {
    unsigned bit;
    struct pmu_event event;
} architectural[] = {
    {0, {"cycles", "core cycles while not halted", SELECT_CYCLES}},
    {1, {"instructions", "instructions retired", SELECT_INSTRUCTIONS}},
    {3, {"llc_references", "requests to the last-level cache, without hardware prefetch", 0x4f2e}},
    {4, {"llc_misses", "those of them that miss", 0x412e}},
    {5, {"branches", "branch instructions retired", 0x00c4}},
    {6, {"branch_misses", "mispredicted branches retired", 0x00c5}},
};

const struct pmu_event *pmu_events_intel(unsigned events, uint32_t absent, unsigned *n)
{
    static struct pmu_event has[INTEL_EVENTS];

    *n = 0;
    for (unsigned i = 0; i < sizeof architectural / sizeof *architectural; i++) {
        unsigned bit = architectural[i].bit;

        if (bit < events && !(absent >> bit & 1))
            has[(*n)++] = architectural[i].event;
    }
    return has;
}

/*
 * Families 0Fh to 15h: BIOS and Kernel Developer's Guides for family 10h (31116) and for family 15h
 * models 00h-0Fh (42301), performance counter events. Unit mask 02h of the L2's: fills of the data
 * cache.
 */
static const struct pmu_event k8[] = {
    {"cycles", "core cycles while not halted (event 76h)", 0x0076},
    {"instructions", "instructions retired (C0h)", 0x00c0},
    {"l2_references", "requests to the second-level cache for data (7Dh)", 0x027d},
    {"l2_misses", "those of them that miss (7Eh)", 0x027e},
    {"l1d_references", "data cache accesses (40h)", 0x0040},
    {"l1d_misses", "data cache misses (41h)", 0x0141},
    {"dtlb_misses", "misses of both data TLBs (46h)", 0x0746},
};

/*
 * Families 17h and later: Processor Programming References for family 17h model 01h (54945) and for
 * family 19h model 01h (55898), core performance monitor events. The L3 has counters of its own,
 * which are not used.
 */
#define ZEN(requests)                                                                              \
    {"cycles", "core cycles while not halted (event 76h)", 0x0076},                                \
        {"instructions", "instructions retired (C0h)", 0x00c0},                                    \
        {"l2_references", "requests to the second-level cache for data (60h)", requests},          \
        {"l2_misses", "data reads that miss it (64h)", 0x0864},                                    \
        {"l1d_references", "loads and stores dispatched (29h)", 0x0729},                           \
        {"dtlb_misses", "misses of the first data TLB (45h)", 0xff45},                             \
        {"dtlb_walks", "misses of both data TLBs (45h)", 0xf045},

static const struct pmu_event zen1[] = {ZEN(0xc860)}; /* reads, block states, prefetches */
static const struct pmu_event zen3[] = {ZEN(0xe860)}; /* and changes to exclusive */

/* The two events that no family from K7 on has changed. */
#define ALWAYS 2

const struct pmu_event *pmu_events_amd(unsigned family, unsigned *n)
{
    bool zen = family >= 0x17;

    *n = zen ? ARRAY_SIZE(zen1) : family <= 0x15 ? ARRAY_SIZE(k8) : ALWAYS;
    return family >= 0x19 ? zen3 : zen ? zen1 : k8;
}
