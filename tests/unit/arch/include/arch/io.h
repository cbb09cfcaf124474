/* The host as a PC: ports are the test's own functions. */
#ifndef TT_ARCH_IO_H
#define TT_ARCH_IO_H

#include <stdint.h>

#define IO_MEMORY_LAST  0xfffffffful
#define IO_SERIAL_NAMES "ttyS0 to ttyS3, io:0xPORT, mmio:0xADDRESS, auto"

uint8_t inb(uint16_t port);
void outb(uint16_t port, uint8_t v);
uint32_t inl(uint16_t port);
void outl(uint16_t port, uint32_t v);

#endif
