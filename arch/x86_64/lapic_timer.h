/*
 * The timer of each CPU's local APIC as one that interrupts again and again. Called by irq_chips.c
 * on the CPU whose timer it is.
 *
 * Source "deadline" where the time stamp counter has one, never stops and could be measured: each
 * interrupt sets the next, by the counter that also times the experiments, so that no rounding adds
 * up. Else "count": the timer's own clock, which reloads itself.
 */
#ifndef X86_LAPIC_TIMER_H
#define X86_LAPIC_TIMER_H

#include "core/types.h"

/*
 * Interrupts at `vector` every ns nanoseconds from now on; 0: no more. 0, or -TT_ENODEV when there
 * is no clock to measure the source by, or it cannot count as little or as much. The first call on
 * CPU 0, which measures the source for all and tells it (machine record "timer").
 */
int timer_every(uint64_t ns, unsigned vector);

/* By each of its interrupts, before its end. */
void timer_again(void);

#endif
