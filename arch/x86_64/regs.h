/* Control registers, names of model-specific ones, and port I/O, as inline functions. */
#ifndef X86_REGS_H
#define X86_REGS_H

#include <arch/hw.h>
#include <arch/io.h>
#include <stdint.h>

#define CR0_WP (1ul << 16)

#define MSR_EFER    0xc0000080
#define MSR_GS_BASE 0xc0000101
#define EFER_NXE    (1ul << 11)

#define CPUID_HYPERVISOR (1u << 31) /* leaf 1 ecx */
#define CPUID_NX         (1u << 20) /* leaf 0x80000001 edx */

static inline uint64_t read_cr0(void)
{
    uint64_t v;

    __asm__ volatile("movq %%cr0, %0" : "=r"(v));
    return v;
}

static inline uint64_t read_cr2(void)
{
    uint64_t v;

    __asm__ volatile("movq %%cr2, %0" : "=r"(v));
    return v;
}

static inline uint64_t read_cr3(void)
{
    uint64_t v;

    __asm__ volatile("movq %%cr3, %0" : "=r"(v)::"memory");
    return v;
}

static inline void write_cr3(uint64_t v)
{
    __asm__ volatile("movq %0, %%cr3" ::"r"(v) : "memory");
}

static inline uint64_t read_cr4(void)
{
    uint64_t v;

    __asm__ volatile("movq %%cr4, %0" : "=r"(v));
    return v;
}

static inline void invlpg(uintptr_t va)
{
    __asm__ volatile("invlpg (%0)" ::"r"(va) : "memory");
}

static inline void outw(uint16_t port, uint16_t v)
{
    __asm__ volatile("outw %0, %1" ::"a"(v), "Nd"(port) : "memory");
}

#endif
