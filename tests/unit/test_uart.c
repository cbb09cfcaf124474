/*
 * The driver of serial ports on simulated ones: where it looks for registers, what it writes to
 * them, and that nothing there, or nothing that takes bytes, costs a bounded wait only.
 */
#include "host.h"

#include "arch.h"
#include "core/errno.h"

#include <arch/io.h>
#include <stdio.h>
#include <string.h>

/* A 16550 at an I/O port. */
static uint16_t there; /* 0: nothing */
static uint8_t reg[8], lsr;
static unsigned divisor;
static bool fifo, keeps; /* keeps: the scratch register is one */
static char line[64];
static unsigned long reads;

uint8_t inb(uint16_t port)
{
    unsigned r = port - there;

    reads++;
    if (!there || r > 7)
        return 0xff;
    if (r == 2)
        return fifo ? 0xc1 : 0x01;
    return r == 5 ? lsr : reg[r];
}

void outb(uint16_t port, uint8_t v)
{
    unsigned r = port - there;

    assert_true(there && r <= 7);
    if ((reg[3] & 0x80) && r == 0) {
        divisor = (divisor & 0xff00) | v;
    } else if ((reg[3] & 0x80) && r == 1) {
        divisor = (divisor & 0xff) | (unsigned)v << 8;
    } else if (r == 0) {
        line[strlen(line)] = (char)v;
    } else if (r != 7 || keeps) {
        reg[r] = v;
    }
}

/* Registers in memory: plain memory, whose every word shows what was written to it last. */
static _Alignas(32) uint8_t memory[64];
static uint64_t memory_at;

void *arch_phys_to_virt(phys_t a)
{
    memory_at = a.a;
    return memory + 32;
}

static int fresh(void **state)
{
    (void)state;
    there = 0x3f8;
    lsr = 0x60;
    fifo = keeps = true;
    divisor = 12;
    reads = 0;
    memset(reg, 0, sizeof(reg));
    memset(line, 0, sizeof(line));
    memset(memory, 0x60, sizeof(memory));
    return 0;
}

static void every_name_has_its_port(void **state)
{
    static const struct {
        const char *name;
        uint16_t port;
    } all[] = {{"ttyS0", 0x3f8}, {"ttyS1", 0x2f8},      {"ttyS2", 0x3e8},
               {"ttyS3", 0x2e8}, {"io:0xc050", 0xc050}, {"io:0xfff8", 0xfff8}};

    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        fresh(state);
        there = all[i].port;
        assert_int_equal(arch_uart_open(all[i].name, 9600), 0);
        assert_int_equal(divisor, 12);
        assert_int_equal(reg[3], 0x03);
        assert_int_equal(reg[1], 0);
        assert_int_equal(arch_uart_memory().a, PHYS_NONE.a);
        arch_uart_putc('a');
        assert_string_equal(line, "a");
        there = 0x200; /* no other port answers by it */
        assert_int_equal(arch_uart_open(all[i].name, 9600), -TT_ENODEV);
    }
}

static void wrong_names_are_no_ports(void **state)
{
    static const char *const wrong[] = {"",
                                        "ttyS",
                                        "ttyS4",
                                        "ttyS00",
                                        "ttyS1x",
                                        "tty",
                                        "io:",
                                        "io:0",
                                        "io:0x3f9",
                                        "io:0x10000",
                                        "io:3f8h",
                                        "mmio:",
                                        "mmio:0",
                                        "mmio:0x1004",
                                        "mmio32:0x1008",
                                        "mmio:4G",
                                        "mmio16:0x10",
                                        "mmio:0x100000000",
                                        "mmio32:0x100000000",
                                        "spcr",
                                        "pci:0:4.0"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        assert_int_equal(arch_uart_open(wrong[i], 9600), -TT_EINVAL);
    assert_int_equal(reads, 0);
}

static void what_does_not_answer_is_left_alone(void **state)
{
    (void)state;
    there = 0;
    assert_int_equal(arch_uart_open("ttyS0", 9600), -TT_ENODEV);
    arch_uart_putc('a'); /* to nobody */
    there = 0x3f8;
    keeps = false;
    assert_int_equal(arch_uart_open("ttyS0", 9600), -TT_ENODEV);
    assert_int_equal(divisor, 12);
    memset(memory, 0xff, sizeof(memory));
    assert_int_equal(arch_uart_open("mmio:0xfe034000", 9600), -TT_ENODEV);
    assert_int_equal(arch_uart_memory().a, PHYS_NONE.a);
    for (size_t i = 0; i < sizeof(memory); i++)
        assert_int_equal(memory[i], 0xff);
}

static void speeds_are_set_or_left(void **state)
{
    (void)state;
    assert_int_equal(arch_uart_open("ttyS0", 115200), 0);
    assert_int_equal(divisor, 1);
    assert_int_equal(arch_uart_open("ttyS0", 50), 0);
    assert_int_equal(divisor, 2304);
    assert_int_equal(arch_uart_open("ttyS0", 0), 0);
    assert_int_equal(divisor, 2304);
    assert_int_equal(reg[3], 0x03);
    assert_string_equal(line, ""); /* nothing of it went out as data */
}

static void a_port_that_takes_no_more_counts_as_absent(void **state)
{
    (void)state;
    assert_int_equal(arch_uart_open("ttyS0", 9600), 0);
    for (unsigned i = 0; i < 16; i++)
        arch_uart_putc('a');
    lsr = 0;
    arch_uart_putc('b');
    assert_in_range(reads, 1000, 10000000);
    reads = 0;
    lsr = 0x60;
    arch_uart_putc('c');
    assert_int_equal(reads, 0);
    assert_string_equal(line, "aaaaaaaaaaaaaaaa");
}

static void without_a_fifo_every_byte_is_waited_for(void **state)
{
    (void)state;
    fifo = false;
    assert_int_equal(arch_uart_open("ttyS0", 9600), 0);
    reads = 0;
    for (unsigned i = 0; i < 5; i++)
        arch_uart_putc('a');
    assert_int_equal(reads, 5);
}

/* Each register lies where the stride says, is written as wide as that, and nothing else is. */
static void registers_in_memory_have_their_stride(void **state)
{
    static const struct {
        const char *name;
        unsigned stride;
    } kinds[] = {{"mmio:0xfe034000", 1}, {"mmio32:0xfe034000", 4}};

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        unsigned stride = kinds[i].stride;
        /* Data, IER, FCR, LCR, MCR, LSR, MSR, scratch; -1: only read, or not touched. */
        const int want[] = {'a', 0, 0x07, 0x03, 0x03, -1, -1, 0xa5};

        fresh(state);
        assert_int_equal(arch_uart_open(kinds[i].name, 9600), 0);
        assert_int_equal(memory_at, 0xfe034000);
        assert_int_equal(arch_uart_memory().a, 0xfe034000);
        arch_uart_putc('a');
        for (unsigned b = 0; b < sizeof(memory); b++) {
            unsigned r = (b - 32) / stride;
            int v = b >= 32 && r < 8 ? want[r] : -1;

            if (v >= 0 && b % stride)
                v = 0; /* the upper bytes of a word */
            assert_int_equal(memory[b], v < 0 ? 0x60 : v);
        }
    }
    assert_int_equal(reads, 0);
    assert_int_equal(arch_uart_open("ttyS0", 9600), 0); /* and back */
    assert_int_equal(arch_uart_memory().a, PHYS_NONE.a);
}

/* The last address of all: registers end with it. */
static void the_last_places_are_whole(void **state)
{
    (void)state;
    assert_int_equal(arch_uart_open("mmio:0xfffffff8", 9600), 0);
    fresh(state);
    assert_int_equal(arch_uart_open("mmio32:0xffffffe0", 9600), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_name_has_its_port, fresh),
        cmocka_unit_test_setup(wrong_names_are_no_ports, fresh),
        cmocka_unit_test_setup(what_does_not_answer_is_left_alone, fresh),
        cmocka_unit_test_setup(speeds_are_set_or_left, fresh),
        cmocka_unit_test_setup(a_port_that_takes_no_more_counts_as_absent, fresh),
        cmocka_unit_test_setup(without_a_fifo_every_byte_is_waited_for, fresh),
        cmocka_unit_test_setup(registers_in_memory_have_their_stride, fresh),
        cmocka_unit_test_setup(the_last_places_are_whole, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
