/*
 * Port I/O: the ISA registers that drivers in core share between ports, here behind the Tsunami
 * chipset as memory of their own. Byte accesses need the 21164's BWX or later.
 */
#ifndef ARCH_IO_H
#define ARCH_IO_H

#include <arch/param.h>
#include <stdint.h>

/* No serial ports in memory. */
#define IO_MEMORY_LAST  0
#define IO_SERIAL_NAMES "ttyS0 to ttyS3, io:0xPORT, auto"

/* Tsunami/Typhoon 21272 manual, system address map: PCI I/O space of hose 0. */
#define IO_PORTS (ARCH_KSEG_IO + 0x1fc000000)

static inline uint8_t inb(uint16_t port)
{
    uint8_t v = *(volatile uint8_t *)(IO_PORTS + port);

    __asm__ volatile("mb" ::: "memory");
    return v;
}

/* The barrier makes the write leave the CPU's write buffer before the next access. */
static inline void outb(uint16_t port, uint8_t v)
{
    *(volatile uint8_t *)(IO_PORTS + port) = v;
    __asm__ volatile("mb" ::: "memory");
}

#endif
