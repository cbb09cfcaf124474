/* What smp.c tells the rest of the port; the start itself is in arch.h. */
#ifndef X86_SMP_H
#define X86_SMP_H

#include <stdbool.h>

/* Has a panic asked all other CPUs to stop? Then an NMI is that request. */
bool cpu_stop_asked(void);

#endif
