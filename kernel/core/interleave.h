/*
 * Taking turns: where all CPUs are run by one host thread (QEMU under -icount, which the cache
 * model needs), a CPU runs millions of instructions before another one gets its turn, unless it
 * yields. Workloads on several CPUs call interleave_step() once per operation; every N-th call
 * (interleave=N) yields. The slice of N operations shapes the result, so it is a factor, and stands
 * in every experiment's plan. On real hardware CPUs run at the same time, and a yield is one pause.
 */
#ifndef TT_CORE_INTERLEAVE_H
#define TT_CORE_INTERLEAVE_H

#include "core/cpu.h"

struct interleave {
    uint32_t every; /* 0: never */
    uint32_t left;  /* calls until the next yield */
};
extern struct interleave_per_cpu {
    struct interleave v;
} __attribute__((aligned(LINE_BYTES))) interleaves[CPU_MAX];

/* Every n-th step yields, on all CPUs; 0: none. Nobody may be in a step. */
void interleave_every(uint32_t n);

static inline void interleave_step(void)
{
    struct interleave *i = &this_of(interleaves);
    if (i->every && --i->left == 0) {
        i->left = i->every;
        cpu_relax();
    }
}

#endif
