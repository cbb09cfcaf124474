/*
 * Processors: who there is, running something on another one, waiting for it.
 *
 * CPU 0 is the one that booted: it alone runs the experiment runner and writes verdicts. The others
 * idle until cpu_start_call gives them a function; while idle they halt, so that they touch no
 * memory and, in QEMU under -icount, take no instruction from whoever measures. A CPU that did not
 * come up in time is reported and does not exist for anybody.
 *
 * Data of each CPU's own is an array indexed by cpu_id(), PER_CPU below: each element starts a
 * line. Threads do not move between CPUs.
 */
#ifndef TT_CORE_CPU_H
#define TT_CORE_CPU_H

#include "core/atomic.h"
#include "core/types.h"

#include <arch/cpu.h>

struct trap_frame;

#define CPU_MAX 64 /* as many as a word has bits: sets of CPUs are 64-bit masks */

/* A port that starts further CPUs defines ARCH_CPU_ID and cpu_id() in <arch/cpu.h>. */
#ifndef ARCH_CPU_ID
static inline unsigned cpu_id(void)
{
    return 0;
}
#endif

/* A port that can keep the compiler off floating point in one function says how. */
#ifndef NO_FP_CODE
#define NO_FP_CODE
#endif

/* Defines `name`, a CPU_MAX-array of a type; elements share no line. this_of(name): one's own. */
#define PER_CPU(type, name)                                                                        \
    struct name##_per_cpu {                                                                        \
        type v;                                                                                    \
    } __attribute__((aligned(LINE_BYTES))) name[CPU_MAX]
#define this_of(name)    (name[cpu_id()].v)
#define cpu_of(name, id) (name[id].v)

/* CPUs that run, CPU 0 included: they have the numbers 0 to cpus_running() - 1. */
unsigned cpus_running(void);

/* For options: somebody needs n CPUs. cpus_start starts the most that was asked for, or all. */
void cpus_want(unsigned n);

/*
 * Finds and starts the others and writes the machine record "cpus". Once, on CPU 0, after
 * newlib_init and arch_vm_init. 0, or -TT_ENODEV with a message when fewer run than were wanted.
 */
int cpus_start(char *err, size_t err_bytes);

/* Where arch_cpu_start's new CPU goes when its own tables are loaded. Does not return. */
__attribute__((noreturn)) void cpu_main(void);

/* ---- where CPUs were ---------------------------------------------------------------------------
 */

#define CPU_PLACE_MAX 4 /* functions: enough to see what it was about */

/* The port's call on a CPU that is being stopped, before it halts. */
void cpu_stopped(const struct trap_frame *f);

/* What that CPU left, innermost first, waiting for it a moment; returns how many, 0: nothing. */
unsigned cpu_place(unsigned id, uintptr_t pc[CPU_PLACE_MAX]);

/* ---- calls -------------------------------------------------------------------------------------
 *
 * fn runs on the other CPU as ordinary code: interrupts off, floating point and newlib at hand. A
 * trap in it ends it (core/trap.h's guard) and is told to the caller.
 */

/* 0, -TT_ENODEV for a CPU that does not run, or -TT_EBUSY for one (or this) that has work. */
int cpu_start_call(unsigned id, void (*fn)(void *arg), void *arg);

/*
 * Waits for the end of that call. 0, -TT_EFAULT when a trap ended it (its description in why), or
 * -TT_ETIMEDOUT after about `cycles` of this CPU's counter: the call may still be running.
 */
int cpu_wait_call(unsigned id, uint64_t cycles, char *why, size_t why_bytes);

/* Runs fn on CPUs 0..n-1 at once, this one (0) included, and waits; the first bad result, or 0. */
int cpus_run(unsigned n, void (*fn)(void *arg), void *arg, char *why, size_t why_bytes);

/* How long cpus_run waits for the others once CPU 0 is through: 90 s at 3 GHz. */
#define CPUS_RUN_CYCLES (1ul << 38)

#endif
