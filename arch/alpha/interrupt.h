/*
 * Interrupts: what entInt brings, and what is done about it at once or later. Called by trap.c,
 * and by the chips (irq_chips.c, clock.c) that note what is pending.
 */
#ifndef ALPHA_INTERRUPT_H
#define ALPHA_INTERRUPT_H

#include <stdbool.h>

struct trap_frame;

#define IRQ_ISA   0  /* 0 to 15: the ISA bridge's */
#define IRQ_RTC   8  /* one of them: the interval clock, which has a wire of its own */
#define IRQ_RELAX 0  /* one of them: never taken (relax.h) */
#define IRQ_IPI   48 /* the first of those that CPUs send each other */
#define IPIS      8
#define IRQ_TIMER 56 /* each CPU's own */

/* Handles an entInt; false: it is none that this port knows (a machine check). */
bool interrupt_enter(struct trap_frame *f);

/* Notes an interrupt of this CPU, to be dispatched as soon as interrupts are let in. */
void interrupt_note(unsigned irq);

/* Does a device interrupt that is turned on go to this CPU? (irq_chips.c) */
bool devices_here(void);

/* Tells the chipset which of the bridge's interrupts this CPU takes. (irq_chips.c) */
void lines_update(unsigned id);

/* Lets devices through to this CPU for a moment. (irq_chips.c) */
void devices_window(void);

#endif
