/* The host as a PC: ports are the test's own functions. */
#ifndef TT_ARCH_IO_H
#define TT_ARCH_IO_H

#include <stdint.h>

uint8_t inb(uint16_t port);
void outb(uint16_t port, uint8_t v);

#endif
