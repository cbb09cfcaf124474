/*
 * Serial ports: a 16550 or compatible at the two addresses of the PC, which machines with an ISA
 * bridge share (<arch/io.h> says how it is reached). The uart part of arch.h, for all ports.
 *
 * Used by core/console.c. Polled; no interrupts, no input. Every wait has an end, and a port that
 * once used it up counts as absent.
 */
#include "arch.h"
#include "core/errno.h"

#include <arch/cpu.h>
#include <arch/io.h>
#include <string.h>

enum uart_register {
    UART_DATA = 0, /* divisor's low byte while LCR_DIVISOR */
    UART_IER = 1,  /* divisor's high byte while LCR_DIVISOR */
    UART_FCR = 2,  /* write: FIFO control */
    UART_IIR = 2,  /* read: the top two bits say that the FIFO works */
    UART_LCR = 3,
    UART_MCR = 4,
    UART_LSR = 5,
    UART_SCRATCH = 7,
};

#define LCR_8N1     0x03
#define LCR_DIVISOR 0x80
#define MCR_READY   0x03 /* DTR, RTS */
#define FCR_ENABLE  0x07 /* enable, clear both */
#define IIR_FIFO    0xc0
#define LSR_EMPTY   0x20 /* transmitter's FIFO is empty */

#define UART_BASE_BAUD 115200 /* 1.8432 MHz / 16 */
#define FIFO_BYTES     16

/*
 * A full FIFO at 300 baud drains in 0.53 s. A read of an ISA register takes about 1 us on real
 * hardware and 0.1 us and up in QEMU, whose far end may pause as well: 0.4 to 4 s.
 */
#define POLLS_MAX 4000000

static uint16_t port; /* 0: none open */
static unsigned fifo; /* bytes that an empty transmitter takes */
static unsigned room; /* bytes that can be sent without asking */

int arch_uart_open(const char *name, unsigned baud)
{
    uint16_t p;

    port = 0;
    if (!strcmp(name, "ttyS0"))
        p = 0x3f8;
    else if (!strcmp(name, "ttyS1"))
        p = 0x2f8;
    else
        return -TT_EINVAL;
    if (baud < 50 || baud > UART_BASE_BAUD || UART_BASE_BAUD % baud)
        return -TT_EINVAL;

    /* Nothing there: the bus reads all ones, and keeps no value. */
    if (inb(p + UART_LSR) == 0xff)
        return -TT_ENODEV;
    for (unsigned v = 0x5a; v <= 0xa5; v += 0xa5 - 0x5a) {
        outb(p + UART_SCRATCH, (uint8_t)v);
        if (inb(p + UART_SCRATCH) != v)
            return -TT_ENODEV;
    }

    outb(p + UART_IER, 0);
    outb(p + UART_LCR, LCR_DIVISOR | LCR_8N1);
    outb(p + UART_DATA, (uint8_t)(UART_BASE_BAUD / baud));
    outb(p + UART_IER, (uint8_t)(UART_BASE_BAUD / baud >> 8));
    outb(p + UART_LCR, LCR_8N1);
    outb(p + UART_FCR, FCR_ENABLE);
    outb(p + UART_MCR, MCR_READY);
    fifo = (inb(p + UART_IIR) & IIR_FIFO) == IIR_FIFO ? FIFO_BYTES : 1;
    room = 0;
    port = p;
    return 0;
}

void arch_uart_putc(char c)
{
    if (!port)
        return;
    if (!room) {
        unsigned polls = 0;

        while (!(inb(port + UART_LSR) & LSR_EMPTY)) {
            if (++polls == POLLS_MAX) {
                port = 0;
                return;
            }
            cpu_relax();
        }
        room = fifo;
    }
    outb(port + UART_DATA, (uint8_t)c);
    room--;
}
