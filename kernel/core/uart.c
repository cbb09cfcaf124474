/*
 * Serial ports: a 16550 or compatible at the four addresses of the PC, which machines with an ISA
 * bridge share (<arch/io.h> says how it is reached), at another I/O port, or in memory. The uart
 * part of arch.h, for all ports.
 *
 * Used by core/console.c. Polled; no interrupts, no input. Every wait has an end, and a port that
 * once used it up counts as absent.
 */
#include "arch.h"
#include "core/cmdline.h"
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
    UART_REGISTERS
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

static struct {
    uintptr_t at;    /* I/O port or address; 0: none open */
    phys_t memory;   /* the same for who maps it; PHYS_NONE: I/O ports */
    unsigned stride; /* from register to register in memory, and the width of each; 0: I/O ports */
    unsigned fifo;   /* bytes that an empty transmitter takes */
    unsigned room;   /* bytes that can be sent without asking */
} uart;

static uint8_t get(enum uart_register r)
{
    uintptr_t at = uart.at + r * uart.stride;

    if (!uart.stride)
        return inb((uint16_t)(uart.at + r));
    return uart.stride == 1 ? *(volatile uint8_t *)at : (uint8_t) * (volatile uint32_t *)at;
}

static void put(enum uart_register r, uint8_t v)
{
    uintptr_t at = uart.at + r * uart.stride;

    if (!uart.stride)
        outb((uint16_t)(uart.at + r), v);
    else if (uart.stride == 1)
        *(volatile uint8_t *)at = v;
    else
        *(volatile uint32_t *)at = v;
}

/* Sets uart's place by name. */
static int locate(const char *name)
{
    static const uint16_t isa[] = {0x3f8, 0x2f8, 0x3e8, 0x2e8};
    static const struct {
        const char *prefix;
        unsigned stride;
    } kinds[] = {{"io:", 0}, {"mmio:", 1}, {"mmio32:", 4}};
    uint64_t at;

    uart.memory = PHYS_NONE;
    uart.stride = 0;
    if (!strncmp(name, "ttyS", 4)) {
        unsigned n = (unsigned char)name[4] - '0';

        if (n >= ARRAY_SIZE(isa) || name[5])
            return -TT_EINVAL;
        uart.at = isa[n];
        return 0;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
        size_t n = strlen(kinds[i].prefix);
        uint64_t last = kinds[i].stride ? IO_MEMORY_LAST : UINT16_MAX;

        if (strncmp(name, kinds[i].prefix, n))
            continue;
        /* Aligned to all its registers, it has one page, and ends before the last address. */
        uart.stride = kinds[i].stride;
        if (parse_u64(name + n, 1, last, &at) || at % (UART_REGISTERS * max_u64(uart.stride, 1)))
            return -TT_EINVAL;
        uart.at = at;
        if (uart.stride) {
            uart.memory = phys(at);
            uart.at = (uintptr_t)arch_phys_to_virt(uart.memory);
        }
        return 0;
    }
    return -TT_EINVAL;
}

/* Nothing there: the bus reads all ones, and keeps no value. */
static bool answers(void)
{
    if (get(UART_LSR) == 0xff)
        return false;
    for (unsigned v = 0x5a; v <= 0xa5; v += 0xa5 - 0x5a) {
        put(UART_SCRATCH, (uint8_t)v);
        if (get(UART_SCRATCH) != v)
            return false;
    }
    return true;
}

int arch_uart_open(const char *name, unsigned baud)
{
    unsigned divisor = baud ? UART_BASE_BAUD / baud : 0;
    const struct {
        uint8_t r, v;
    } set[] = {
        {UART_LCR, LCR_DIVISOR | LCR_8N1},
        {UART_DATA, (uint8_t)divisor},
        {UART_IER, (uint8_t)(divisor >> 8)},
        {UART_LCR, LCR_8N1}, /* from here on without a speed */
        {UART_IER, 0},
        {UART_FCR, FCR_ENABLE},
        {UART_MCR, MCR_READY},
    };
    int bad = locate(name);

    if (!bad && !answers())
        bad = -TT_ENODEV;
    if (bad) {
        uart.at = 0;
        uart.memory = PHYS_NONE;
        return bad;
    }
    for (unsigned i = divisor ? 0 : 3; i < ARRAY_SIZE(set); i++)
        put(set[i].r, set[i].v);
    uart.fifo = (get(UART_IIR) & IIR_FIFO) == IIR_FIFO ? FIFO_BYTES : 1;
    uart.room = 0;
    return 0;
}

phys_t arch_uart_memory(void)
{
    return uart.memory;
}

void arch_uart_putc(char c)
{
    if (!uart.at)
        return;
    if (!uart.room) {
        unsigned polls = 0;

        while (!(get(UART_LSR) & LSR_EMPTY)) {
            if (++polls == POLLS_MAX) {
                uart.at = 0;
                return;
            }
            cpu_relax();
        }
        uart.room = uart.fifo;
    }
    put(UART_DATA, (uint8_t)c);
    uart.room--;
}
