/*
 * A simulated CPU as far as its local APIC goes: what lapic.c and lapic_timer.c touch, as the Intel
 * SDM describes it (vol. 3A, chapter 11). What would be #GP, or hit nothing, fails the test at
 * once: an x2APIC register in xAPIC mode and the other way round, a register that is not there, a
 * reserved bit, a change of mode that does not exist. It notes messages and fences in their order.
 */
#ifndef TT_APIC_MACHINE_H
#define TT_APIC_MACHINE_H

#include "host.h"

#define APIC_PAGE  0xfee00000ul
#define APIC_X2    0x400ul /* bits of the base MSR */
#define APIC_ON    0x800ul
#define APIC_NOTES 64

struct apic_machine {
    uint32_t cpuid1_ecx, cpuid1_edx;
    uint64_t base;      /* MSR 0x1b */
    uint64_t reg[0x40]; /* by number; ICR 64 bits wide in x2APIC mode, two registers in xAPIC */
    uint32_t id;        /* 32 bits; an xAPIC shows 8 of them */
    unsigned last_lvt;  /* of the version register: 6 with CMCI, 5 without */
    unsigned busy;      /* how many more reads of ICR see a message under way */
    unsigned icr_reads;
    uint64_t deadline;                        /* MSR 0x6e0 */
    uint64_t cycles;                          /* the time stamp counter */
    uint64_t timer_from;                      /* value of it when the count was started */
    unsigned ratio;                           /* cycles per tick of the counting timer */
    bool fenced;                              /* nothing was written since the last fence */
    unsigned icr_unfenced, deadline_unfenced; /* how often this was written without one */
    uint64_t message[APIC_NOTES];             /* destination << 32 | command, in their order */
    unsigned messages;
    unsigned eois;
    char order[512]; /* "fence", "high", "low", "icr" as they came */
};

extern struct apic_machine apic;

/* As after reset, on and in xAPIC mode, all features there. */
void apic_reset(void);

#endif
