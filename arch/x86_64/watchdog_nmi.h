/* The watchdog's source on a PC: the interval timer's line, delivered as NMI to CPU 0. */
#ifndef X86_WATCHDOG_NMI_H
#define X86_WATCHDOG_NMI_H

#include <stdbool.h>

/* Is this NMI the watchdog's? Not when the chipset reports a memory or bus error by it. */
bool watchdog_owns_nmi(void);

#endif
