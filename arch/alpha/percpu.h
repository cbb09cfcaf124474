/*
 * What the port keeps for each CPU: its hardware number, what is pending, its process context.
 *
 * An interrupt that comes while interrupts are off is noted in `pending` and dispatched when they
 * are let in (interrupt.c): the level at which everything else runs, IPL_DEVICE, holds back
 * devices only, so that the clock and the order to stop come through.
 */
#ifndef ALPHA_PERCPU_H
#define ALPHA_PERCPU_H

#include "core/cpu.h"

/* Hardware privileged context block, OSF/1 layout: what swpctx loads and stores. */
struct pcb {
    uint64_t ksp, usp;
    uint64_t ptbr; /* frame number of the root */
    uint32_t pcc, asn;
    uint64_t unique;
    uint64_t flags; /* bit 0: floating point on */
    uint64_t reserved[2];
};

struct alpha_cpu {
    struct pcb context __attribute__((aligned(128)));
    phys_t loaded;    /* root that it translates with */
    uint64_t pending; /* atomic: interrupt numbers, and PENDING_WAKE */
    uint32_t hw_id;   /* number of slot and chipset */
    uint32_t skew;    /* what its rpcc is ahead of CPU 0's; 0: nothing that could be measured */
    uint32_t timer;   /* clock ticks between two of its timer's interrupts; 0: off */
    uint32_t idle;    /* it waits for work: nothing is to wake it but interrupts of its own */
};

extern struct alpha_cpus_per_cpu {
    struct alpha_cpu v;
} __attribute__((aligned(LINE_BYTES))) alpha_cpus[CPU_MAX];

#define PENDING_WAKE (1ul << 63)

#endif
