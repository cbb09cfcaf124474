/*
 * Single instructions that machine-independent code needs inline: pause, cycle counter, barriers.
 */
#ifndef ARCH_CPU_H
#define ARCH_CPU_H

#include <stdint.h>

/* In a loop that waits for another CPU or a device: there is no such hint, only the compiler. */
static inline void cpu_relax(void)
{
    __asm__ volatile("" ::: "memory");
}

/* The cycle counter at a recent moment, 64 bits; moved on by the clock interrupt (clock.c). */
extern volatile uint64_t arch_cycles_base;

/*
 * The cycle counter. rpcc's low half is 32 bits of it, which wrap within seconds (9.2 s at 466
 * MHz); the base, read first, is never older than that. The empty operand in rpcc's place and the
 * mb keep earlier and later instructions apart, as far as the 21264 can be told.
 */
static inline uint64_t cpu_cycles(void)
{
    uint64_t base = arch_cycles_base, raw;

    __asm__ volatile("mb\n\trpcc %0\n\tmb" : "=r"(raw)::"memory");
    return base + (uint32_t)((uint32_t)raw - (uint32_t)base);
}

/* The compiler moves no memory access across it. */
static inline void compiler_barrier(void)
{
    __asm__ volatile("" ::: "memory");
}

/* Orders all, only loads, only stores, as other CPUs and devices see them. */
static inline void cpu_mb(void)
{
    __asm__ volatile("mb" ::: "memory");
}

static inline void cpu_rmb(void)
{
    __asm__ volatile("mb" ::: "memory");
}

static inline void cpu_wmb(void)
{
    __asm__ volatile("wmb" ::: "memory");
}

#endif
