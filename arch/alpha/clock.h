/*
 * The interval clock: the real-time clock's periodic interrupt, which the chipset gives to every
 * CPU. It keeps the cycle counter's upper half (CPU 0), drives the watchdog, and is every CPU's
 * timer.
 */
#ifndef ALPHA_CLOCK_H
#define ALPHA_CLOCK_H

#include "arch.h"

/* Starts it, and lets it through. Once, on CPU 0, after the trap entries are in place. */
void clock_start(void);

/* This further CPU takes none of its interrupts until it wants a timer. */
void clock_join(void);

/* It has come, and there is more to do than trap_entry.S does by itself. */
void clock_interrupt(struct trap_frame *f);

/* The clock as a device on CPU 0 (ISA interrupt 8 of a PC). */
extern const struct arch_irq_chip rtc_chip;

#endif
