/* The host as a PC: cpuid, model-specific and device registers are the test's own functions. */
#ifndef TT_ARCH_HW_H
#define TT_ARCH_HW_H

#include <stdint.h>

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

struct cpuid cpuid(uint32_t leaf, uint32_t sub);
uint32_t cpuid_max(uint32_t range);
uint64_t rdmsr(uint32_t msr);
void wrmsr(uint32_t msr, uint64_t v);
void wrmsr_fence(void);
uint64_t rdpmc(uint32_t counter);
void flush_caches(void);
uint32_t mmio_read32(const volatile void *at);
void mmio_write32(volatile void *at, uint32_t v);

#endif
