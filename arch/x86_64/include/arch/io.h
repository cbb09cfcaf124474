/* Port I/O: the ISA registers that drivers in core share between ports. */
#ifndef ARCH_IO_H
#define ARCH_IO_H

#include <stdint.h>

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

#endif
