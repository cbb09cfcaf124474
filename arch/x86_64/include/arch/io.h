/* Port I/O: the ISA registers that drivers in core share between ports. */
#ifndef ARCH_IO_H
#define ARCH_IO_H

#include <arch/param.h>
#include <stdint.h>

/* Serial ports in memory: below the end of the early map, because the log starts there. */
#define IO_MEMORY_LAST (ARCH_EARLY_MAP - 1)
#define IO_SERIAL_NAMES                                                                            \
    "ttyS0 to ttyS3, io:0xPORT, mmio:0xADDRESS, mmio32:0xADDRESS (below 4 GiB), pci, "             \
    "pci:BUS:DEV.FN, spcr, auto"

static inline uint8_t inb(uint16_t port)
{
    uint8_t v;

    __asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port) : "memory");
    return v;
}

static inline void outb(uint16_t port, uint8_t v)
{
    __asm__ volatile("outb %0, %1" ::"a"(v), "Nd"(port) : "memory");
}

static inline uint32_t inl(uint16_t port)
{
    uint32_t v;

    __asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port) : "memory");
    return v;
}

static inline void outl(uint16_t port, uint32_t v)
{
    __asm__ volatile("outl %0, %1" ::"a"(v), "Nd"(port) : "memory");
}

#endif
