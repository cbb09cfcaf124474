/*
 * Single instructions that machine-independent code needs inline: pause, cycle counter, barriers.
 */
#ifndef ARCH_CPU_H
#define ARCH_CPU_H

#include <stdint.h>

/* In a loop that waits for another CPU or a device. */
static inline void cpu_relax(void)
{
    __asm__ volatile("pause" ::: "memory");
}

/*
 * This CPU's number: the first word of its own data, which GS points to (percpu.h). arch_init sets
 * GS up. Not volatile: no thread changes its CPU.
 */
#define ARCH_CPU_ID

static inline unsigned cpu_id(void)
{
    unsigned id;

    __asm__("movl %%gs:0, %0" : "=r"(id));
    return id;
}

/* For a handler of interrupts in a folder that is compiled with floating point. */
#define NO_FP_CODE __attribute__((target("general-regs-only")))

/*
 * The time-stamp counter, after everything before it and before everything after it: lfence
 * waits for earlier instructions to complete and holds back later ones (Intel SDM 2B, RDTSC).
 */
static inline uint64_t cpu_cycles(void)
{
    uint32_t lo, hi;

    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(lo), "=d"(hi)::"memory");
    return (uint64_t)hi << 32 | lo;
}

/* The compiler moves no memory access across it. */
static inline void compiler_barrier(void)
{
    __asm__ volatile("" ::: "memory");
}

/* Orders all, only loads, only stores, as other CPUs and devices see them. */
static inline void cpu_mb(void)
{
    __asm__ volatile("mfence" ::: "memory");
}

static inline void cpu_rmb(void)
{
    __asm__ volatile("lfence" ::: "memory");
}

static inline void cpu_wmb(void)
{
    __asm__ volatile("sfence" ::: "memory");
}

#endif
