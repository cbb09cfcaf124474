/*
 * The local APIC of each CPU, in xAPIC mode: interprocessor interrupts, end of interrupt, timer
 * (Intel SDM vol. 3A, chapter 11).
 *
 * Vectors: the exceptions below 32, then one per interrupt number of the kernel (arch.h), then the
 * two that have none. Higher vectors have priority.
 */
#ifndef X86_LAPIC_H
#define X86_LAPIC_H

#include "core/types.h"

#define VECTOR_IRQ_BASE 0x30
#define VECTOR_WAKE     0xf0 /* ends a hlt, does nothing else */
#define VECTOR_SPURIOUS 0xff

struct trap_frame;

/* Maps the registers at the address that the CPU states. 0, or -TT_ENODEV with a reason. */
int lapic_init(const char **why);

/* Turns this CPU's on: spurious vector set, nothing masked by priority, own lines masked. */
void lapic_enable(void);

uint32_t lapic_id(void); /* of this CPU */
void lapic_eoi(void);

/* Sends a vector to a CPU by its APIC number. */
void lapic_send(uint32_t apic_id, unsigned vector);

/* INIT, and start-up at a page below 1 MiB. */
void lapic_send_init(uint32_t apic_id);
void lapic_send_startup(uint32_t apic_id, unsigned page);

/*
 * This CPU's timer: `ticks` from now (0: off), again and again when periodic, at `vector` (0:
 * silent); and how many have passed since then.
 */
void lapic_timer_start(uint32_t ticks, bool periodic, unsigned vector);
uint32_t lapic_timer_passed(void);

/* A non-maskable interrupt to all CPUs but this one. Works without lapic_init: does nothing then.
 */
void lapic_nmi_others(void);

/* trap.c's call for vectors from 32 up. */
void interrupt_enter(struct trap_frame *f);

#endif
