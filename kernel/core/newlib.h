/*
 * newlib in the kernel: what lab/ and work/ need before they may call the C library.
 *
 * printf goes to the console, malloc draws on the kernel's own memory, assert and abort panic.
 * Files, processes and time of day do not exist: those calls fail with errno set. Not for trap
 * handlers, fault hooks or panic. A trap inside newlib that trap_guard ends leaves newlib's own
 * data as it was at that moment.
 */
#ifndef TT_CORE_NEWLIB_H
#define TT_CORE_NEWLIB_H

#include <stddef.h>

/* grow: mm/own.h's own_sbrk, handed over because core does not know mm. Before the first malloc. */
void newlib_init(void *(*grow)(ptrdiff_t delta));

/* Makes CPU id's own errno and stdio state, before that CPU runs. CPU 0: newlib_init does it. */
void newlib_init_cpu(unsigned id);

#endif
