/*
 * The watchdog: watchdog=SECONDS ends a boot that does not get on, with a report of all CPUs.
 *
 * Experiments run with interrupts off, so it needs something that comes through anyway (on a PC an
 * NMI from the interval timer, some 18 times a second, each of some microseconds): it is off
 * unless asked for. The runner says that it gets on after every sample.
 */
#ifndef TT_CORE_WATCHDOG_H
#define TT_CORE_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>

struct trap_frame;

/* Starts it if watchdog= was given. 0, or -TT_ENODEV with a message when nothing here can do it. */
int watchdog_start(char *err, size_t err_bytes);

/* "It gets on." Cheap: one store. */
void watchdog_kick(void);

/* The port's call (arch_watchdog_start), on CPU 0; panics when time is up. */
void watchdog_tick(struct trap_frame *f);

#endif
