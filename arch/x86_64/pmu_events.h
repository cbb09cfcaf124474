/* Which events a CPU's counters know by name. */
#ifndef X86_PMU_EVENTS_H
#define X86_PMU_EVENTS_H

#include "arch.h"

/* Event and unit mask of the two that the fixed counters of Intel count, too. */
#define SELECT_CYCLES       0x003c
#define SELECT_INSTRUCTIONS 0x00c0

/*
 * Intel: of the architectural events those that leaf 10 does not deny: `events` is how many bits of
 * `absent` count, a set one says that the CPU has not got the event.
 */
const struct pmu_event *pmu_events_intel(unsigned events, uint32_t absent, unsigned *n);

/* AMD and Hygon, by family. */
const struct pmu_event *pmu_events_amd(unsigned family, unsigned *n);

#endif
