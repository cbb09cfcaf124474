/* The host as an architecture for unit tests: the cycle counter is the test's to set. */
#ifndef TT_ARCH_CPU_H
#define TT_ARCH_CPU_H

#include <stdint.h>

/* tests/unit/host.c: 0 until a test installs a function of its own. */
extern uint64_t (*host_cycles)(void);

/* tests/unit/host.c: which CPU the test, or a thread of it, plays. */
#define ARCH_CPU_ID
extern _Thread_local unsigned host_cpu;

static inline unsigned cpu_id(void)
{
    return host_cpu;
}

/* tests/unit/host.c: NULL until a test has something to do while it waits. */
extern void (*host_relax)(void);

static inline void cpu_relax(void)
{
    if (host_relax)
        host_relax();
}

static inline uint64_t cpu_cycles(void)
{
    return host_cycles ? host_cycles() : 0;
}

#endif
