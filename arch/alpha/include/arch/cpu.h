/*
 * Single instructions that machine-independent code needs inline: pause, cycle counter, barriers.
 */
#ifndef ARCH_CPU_H
#define ARCH_CPU_H

#include <stdint.h>

/* Set while several CPUs share QEMU's one thread (relax.h). */
extern uint32_t arch_relax_yields;

/*
 * In a loop that waits for another CPU or a device. There is no such hint on Alpha. Under QEMU
 * PALcode's wtint (0x3e) hands the thread on and comes back at this CPU's next turn, because an
 * interrupt is always pending then; without, it would halt.
 */
static inline void cpu_relax(void)
{
    if (arch_relax_yields) {
        register uint64_t ticks __asm__("$16") = 0;
        __asm__ volatile("call_pal 0x3e"
                         : "+r"(ticks)::"$0", "$1", "$22", "$23", "$24", "$25", "memory");
    }
    __asm__ volatile("" ::: "memory");
}

/*
 * This CPU's number: PALcode's system value of the CPU (rdval, 0x32), which arch_init and
 * cpu_restarted set. whami (0x3c) costs the same, but numbers the slots, and there may be gaps.
 * Not volatile: no thread changes its CPU.
 */
#define ARCH_CPU_ID

static inline unsigned cpu_id(void)
{
    register uint64_t id __asm__("$0");

    __asm__("call_pal 0x32" : "=r"(id)::"$1", "$22", "$23", "$24", "$25");
    return (unsigned)id;
}

/*
 * For a handler of interrupts in a folder that is compiled with floating point. gcc has no such
 * switch for one function here; tests/system/test_elf.py looks at what it made of this section.
 */
#define NO_FP_CODE __attribute__((section(".text.no_fp")))

/* The cycle counter at a recent moment, 64 bits; moved on by CPU 0's clock interrupt (clock.c). */
extern volatile uint64_t arch_cycles_base;

/* Are there CPUs whose counter is ahead of CPU 0's; and how far this one's is. */
extern uint32_t arch_cycles_skewed;
int32_t arch_cycles_skew(void);

/*
 * The cycle counter. rpcc's low half is 32 bits of it, which wrap within seconds (9.2 s at 466
 * MHz); the base, read first, is never older than half of that, and newer only by what two CPUs'
 * counters differ. The empty operand in rpcc's place and the mb keep earlier and later instructions
 * apart, as far as the 21264 can be told.
 */
static inline uint64_t cpu_cycles(void)
{
    uint64_t base = arch_cycles_base, raw;

    __asm__ volatile("mb\n\trpcc %0\n\tmb" : "=r"(raw)::"memory");
    if (__builtin_expect(arch_cycles_skewed, 0))
        raw -= (uint64_t)arch_cycles_skew();
    return base + (uint64_t)(int32_t)((uint32_t)raw - (uint32_t)base);
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
