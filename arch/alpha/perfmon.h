/*
 * The 21264's two event counters as one 64-bit count each. perfmon.c keeps them through
 * * pal_wrperfmon(), which is PALcode's (pmu.c), or a simulated one in the test on the host.
 *
 * One CPU's: whoever starts them reads them.
 */
#ifndef ALPHA_PERFMON_H
#define ALPHA_PERFMON_H

#include <stdbool.h>
#include <stdint.h>

#define PERFMON_COUNTERS 2

/* PALcode's wrperfmon: a function and its argument. */
uint64_t pal_wrperfmon(uint64_t function, uint64_t argument);

/*
 * Starts both at 0: counter 0 counts retired instructions, counter 1 cycles. aggregate: this is a
 * 21264A or later, which names its events differently.
 */
void perfmon_start(bool aggregate);

/* The interrupt of counter i: it has gone round once. Interrupts off. */
void perfmon_overflow(uint64_t i);

/* The count since the start. Called at an IPL below 6, where the interrupts come through. */
uint64_t perfmon_read(unsigned i);

#endif
