/*
 * The registers that are reached by instructions of their own or at addresses of their own: cpuid,
 * model-specific registers, device registers. Apart from the rest because the host tests have a
 * simulated machine in their place, under which the drivers run as they are.
 */
#ifndef ARCH_HW_H
#define ARCH_HW_H

#include <stdint.h>

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

static inline struct cpuid cpuid(uint32_t leaf, uint32_t sub)
{
    struct cpuid c;

    __asm__ volatile("cpuid"
                     : "=a"(c.eax), "=b"(c.ebx), "=c"(c.ecx), "=d"(c.edx)
                     : "a"(leaf), "c"(sub));
    return c;
}

/* Highest leaf of a range (0, 0x40000000, 0x80000000); 0 when the range does not exist. */
static inline uint32_t cpuid_max(uint32_t range)
{
    uint32_t max = cpuid(range, 0).eax;

    return max >= range && max < range + 0x10000 ? max : 0;
}

static inline uint64_t rdmsr(uint32_t msr)
{
    uint32_t lo, hi;

    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr));
    return (uint64_t)hi << 32 | lo;
}

static inline void wrmsr(uint32_t msr, uint64_t v)
{
    __asm__ volatile("wrmsr" ::"c"(msr), "a"((uint32_t)v), "d"((uint32_t)(v >> 32)) : "memory");
}

static inline uint64_t rdpmc(uint32_t counter)
{
    uint32_t lo, hi;

    __asm__ volatile("rdpmc" : "=a"(lo), "=d"(hi) : "c"(counter));
    return (uint64_t)hi << 32 | lo;
}

/*
 * Everything stored before it is seen by all before any later wrmsr to the x2APIC or to the TSC
 * deadline takes effect: these two do not wait for older stores (Intel SDM vol. 3A, 11.12.3).
 */
static inline void wrmsr_fence(void)
{
    __asm__ volatile("mfence\n\tlfence" ::: "memory");
}

/* Writes back and forgets this CPU's caches: milliseconds. For a change of memory types. */
static inline void flush_caches(void)
{
    __asm__ volatile("wbinvd" ::: "memory");
}

/* A device register of 32 bits at an address that arch_map_device gave. */
static inline uint32_t mmio_read32(const volatile void *at)
{
    return *(const volatile uint32_t *)at;
}

static inline void mmio_write32(volatile void *at, uint32_t v)
{
    *(volatile uint32_t *)at = v;
}

#endif
