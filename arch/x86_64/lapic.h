/*
 * The local APIC of each CPU: interprocessor interrupts, end of interrupt, timer registers (Intel
 * SDM vol. 3A, chapter 11).
 *
 * Two modes. xAPIC: a page of registers, CPU numbers of 8 bits. x2APIC: MSRs, numbers of 32 bits.
 * x2APIC is used when firmware left it on (newer machines can lock the page away), or when the
 * machine has a CPU with a number above XAPIC_ID_MAX; else xAPIC, which every hypervisor and
 * emulator has and where nothing has to be switched. All CPUs are in the same mode.
 *
 * Vectors: the exceptions below 32, then one per interrupt number of the kernel (arch.h), then the
 * two that have none. Higher vectors have priority.
 */
#ifndef X86_LAPIC_H
#define X86_LAPIC_H

#include "madt.h"

#define VECTOR_IRQ_BASE 0x30
#define VECTOR_WAKE     0xf0 /* ends a hlt, does nothing else */
#define VECTOR_SPURIOUS 0xff

#define XAPIC_ID_MAX 254 /* 255 means all; an IO-APIC cannot name a higher one either */

struct trap_frame;

/*
 * Chooses the mode, finds the registers and turns this CPU's on. 0, or -TT_ENODEV with a reason.
 * Again: nothing, 0.
 */
int lapic_init(const struct madt *m, const char **why);

/* Turns this CPU's on: its mode, the spurious vector, nothing masked by priority, own lines off. */
void lapic_enable(void);

/* Can a message be sent to the CPU of this number, in the mode that was chosen? */
bool lapic_reaches(uint32_t apic_id);

/* The cpuid leaf that states the number of the CPU it runs on: 1 (8 bits, ebx) or 0xb (edx). */
uint32_t lapic_id_leaf(void);

uint32_t lapic_id(void); /* of this CPU */
void lapic_eoi(void);

/* Sends a vector to a CPU by its APIC number. Stores before it are seen by whoever takes it. */
void lapic_send(uint32_t apic_id, unsigned vector);

/* INIT, and start-up at a page below 1 MiB; a non-maskable interrupt. */
void lapic_send_init(uint32_t apic_id);
void lapic_send_startup(uint32_t apic_id, unsigned page);
void lapic_send_nmi(uint32_t apic_id);

/*
 * This CPU's timer, counting down: `ticks` from now (0: off), again and again when periodic, at
 * `vector` (0: silent); and how many have passed since then.
 */
void lapic_timer_start(uint32_t ticks, bool periodic, unsigned vector);
uint32_t lapic_timer_passed(void);

/*
 * Instead of counting: one interrupt once the time stamp counter has reached `tsc`, at once when
 * it has already; 0: none. lapic_deadline_start before the first, with the vector; the CPU must
 * have it (lapic_has_deadline).
 */
bool lapic_has_deadline(void);
void lapic_deadline_start(unsigned vector);
void lapic_deadline_set(uint64_t tsc);

/* trap.c's call for vectors from 32 up. */
void interrupt_enter(struct trap_frame *f);

#endif
