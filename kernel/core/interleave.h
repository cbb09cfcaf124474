/*
 * Taking turns: where all CPUs are run by one host thread (QEMU under -icount, which the cache
 * model needs), a CPU runs millions of instructions before another one gets its turn, unless it
 * yields. Workloads on several CPUs call interleave_step() once per operation; every N-th call
 * (interleave=N) yields, and whoever waits for another CPU yields in every round
 * (interleave_wait()). The slice from yield to yield shapes the result, so N is a factor, and what
 * the slices were is counted. On real hardware CPUs run at the same time, and a yield is one pause.
 */
#ifndef TT_CORE_INTERLEAVE_H
#define TT_CORE_INTERLEAVE_H

#include "core/cpu.h"

struct interleave {
    uint32_t every; /* 0: never */
    uint64_t steps; /* low half: calls until the next yield; high half: yields so far */
    uint64_t waits; /* yields of those who wait for another CPU */
};
extern struct interleave_per_cpu {
    struct interleave v;
} __attribute__((aligned(LINE_BYTES))) interleaves[CPU_MAX];

/* What this CPU has done since interleave_every(): both only grow. */
struct interleave_count {
    uint64_t operations; /* calls of interleave_step() */
    uint64_t yields;
};
struct interleave_count interleave_count(void);

/* Every n-th step yields, on all CPUs; 0: none. Nobody may be in a step. */
void interleave_every(uint32_t n);

static inline void interleave_step(void)
{
    struct interleave *i = &this_of(interleaves);
    if (!i->every)
        return;
    uint64_t steps =
        i->steps - 1; /* one word: counting costs the measured code no further access */
    if (!(uint32_t)steps) {
        i->steps = steps + (UINT64_C(1) << 32) + i->every;
        cpu_relax();
    } else {
        i->steps = steps;
    }
}

/* One round of waiting for another CPU. */
static inline void interleave_wait(void)
{
    this_of(interleaves).waits++;
    cpu_relax();
}

#endif
