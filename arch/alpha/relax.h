/*
 * Giving way: what makes cpu_relax() (arch/cpu.h) hand QEMU's one thread to the next CPU.
 *
 * Under -icount one host thread runs all CPUs, and a CPU keeps it until it halts or a timer is due,
 * 10^8 instructions later. x86's pause gives way; of Alpha's instructions only PALcode's wtint
 * does, which halts the CPU until an interrupt is pending, taken or not. So while several CPUs run,
 * each has one pending that is never taken: the ISA bridge's line 0, which counter 0 of the
 * interval timer raises once and nobody acknowledges, held back by IPL_DEVICE. wtint then comes
 * back at the CPU's next turn. (A clock interrupt held back would do as well, but the clock has to
 * come through for the cycle counter.) A CPU that halts for good, idle, has the line masked in the
 * chipset, unless devices are meant for it.
 *
 * On a real machine CPUs run at the same time: nothing of this is set up, cpu_relax() is a barrier.
 */
#ifndef ALPHA_RELAX_H
#define ALPHA_RELAX_H

#include <stdbool.h>
#include <stdint.h>

/* Several CPUs will run: from here on this one gives way. On CPU 0. */
void relax_start(void);

/* No other CPU came. */
void relax_stop(void);

/* The CPU that runs this goes idle, or to work. Interrupts all held back. */
void relax_idle(bool idle);

#endif
