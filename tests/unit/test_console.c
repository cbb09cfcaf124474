/*
 * The console with a simulated serial port: which one is opened, what reaches it, what is kept.
 */
#include "host.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/console.h"
#include "core/errno.h"
#include "core/kprintf.h"

#include <arch/io.h>
#include <stdio.h>
#include <string.h>

extern char console_ring[CONSOLE_RING];
extern size_t console_ring_total;

static char opened[96];    /* every try: "ttyS0@115200 " */
static char line[256];     /* bytes that reached the port */
static const char *absent; /* a list: "ttyS0 io:0x2f8" */
static const char *spcr;   /* the port that firmware names, at 9600; NULL: none */

int arch_uart_open(const char *name, unsigned baud)
{
    size_t n = strlen(opened);
    snprintf(opened + n, sizeof(opened) - n, "%s@%u ", name, baud);
    if (strcmp(name, "ttyS0") && strcmp(name, "ttyS1") && strncmp(name, "io:", 3))
        return -TT_EINVAL;
    return strstr(absent, name) ? -TT_ENODEV : 0;
}

int arch_uart_find(char *name, size_t bytes, unsigned *baud)
{
    if (!strcmp(name, "pci:0:4")) /* cut short */
        return -TT_EINVAL;
    if (!strncmp(name, "pci", 3)) {
        snprintf(name, bytes, "io:0xc000");
        return 0;
    }
    if (strcmp(name, "spcr"))
        return 0;
    if (!spcr)
        return -TT_ENODEV;
    snprintf(name, bytes, "%s", spcr);
    *baud = 9600;
    return 0;
}

void arch_uart_putc(char c)
{
    size_t n = strlen(line);
    if (n + 1 < sizeof(line))
        line[n] = c;
}

static char message[320];

static void keep(const char *text, void *arg)
{
    (void)arg;
    snprintf(message, sizeof(message), "%s", text);
}

/* Opens by that command line; what the option then complains of is in message. */
static void open_by(const char *cmdline)
{
    opened[0] = message[0] = '\0';
    memset(line, 0, sizeof(line));
    console_init(cmdline);
    cmdline_parse(cmdline, keep, NULL);
}

static int all_present(void **state)
{
    (void)state;
    absent = "";
    spcr = NULL;
    return 0;
}

static void the_named_port_is_opened(void **state)
{
    (void)state;
    open_by("");
    assert_string_equal(opened, "ttyS0@115200 ");
    open_by("console=ttyS1");
    assert_string_equal(opened, "ttyS1@115200 ");
    assert_string_equal(console_name(), "ttyS1,115200");
    open_by("console=ttyS0,9600");
    assert_string_equal(opened, "ttyS0@9600 ");
    assert_string_equal(console_name(), "ttyS0,9600");
    open_by("console=ttyS1,0");
    assert_string_equal(opened, "ttyS1@0 ");
    assert_string_equal(message, "");
}

static void a_port_that_was_looked_for_is_named_as_found(void **state)
{
    (void)state;
    spcr = "io:0x2f8";
    open_by("console=pci");
    assert_string_equal(console_name(), "io:0xc000,115200");
    open_by("console=pci:0:4.0,0");
    assert_string_equal(console_name(), "io:0xc000,0");
    open_by("console=spcr");
    assert_string_equal(console_name(), "io:0x2f8,9600");
    open_by("console=spcr,57600");
    assert_string_equal(console_name(), "io:0x2f8,57600");
    absent = "io:0xc000";
    open_by("console=pci");
    assert_string_equal(console_name(), "none (pci does not answer)");
    spcr = NULL;
    open_by("console=spcr");
    assert_string_equal(console_name(), "none (spcr does not answer)");
    assert_string_equal(message, "");
}

static void auto_is_ttys0_or_else_what_firmware_names(void **state)
{
    (void)state;
    static const char *const same[] = {"", "console=auto"};
    for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
        absent = "";
        spcr = "io:0x2f8";
        open_by(same[i]);
        assert_string_equal(opened, "ttyS0@115200 ");
        absent = "ttyS0";
        open_by(same[i]);
        assert_string_equal(console_name(), "io:0x2f8,9600");
        assert_string_equal(line, "");
        kprintf("a");
        assert_string_equal(line, "a");
        absent = "ttyS0 io:0x2f8";
        open_by(same[i]);
        assert_string_equal(console_name(), "none (ttyS0 does not answer)");
        spcr = "mmio:0xfe034001"; /* not a port: firmware's fault, no wrong word */
        open_by(same[i]);
        assert_string_equal(console_name(), "none (ttyS0 does not answer)");
        assert_string_equal(message, "");
    }
    absent = "ttyS0";
    spcr = "io:0x2f8";
    open_by("console=auto,19200");
    assert_string_equal(opened, "ttyS0@19200 io:0x2f8@19200 ");
    open_by("console=ttyS0"); /* this one, and no other */
    assert_string_equal(console_name(), "none (ttyS0 does not answer)");
}

static void a_wrong_port_is_an_error_that_can_be_read(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "console=ttyS9",   "console=",          "console=,9600",
        "console=pci:0:4", "console=none,9600", "console=a_name_that_is_far_too_long_for_a_port"};
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        open_by(wrong[i]);
        assert_string_equal(console_name(), "ttyS0,115200");
        assert_non_null(strstr(message, "valid are " IO_SERIAL_NAMES " and none"));
    }
    static const char *const speed[] = {"console=ttyS1,", "console=ttyS1,49", "console=auto,9601",
                                        "console=ttyS1,fast", "console=ttyS1,230400"};
    for (size_t i = 0; i < ARRAY_SIZE(speed); i++) {
        open_by(speed[i]);
        assert_string_equal(console_name(), "ttyS0,115200");
        assert_non_null(strstr(message, "the speed divides 115200, or is 0"));
    }
    open_by("console=ttyS1"); /* and is forgotten afterwards */
    assert_string_equal(message, "");
}

static void newline_becomes_cr_lf(void **state)
{
    (void)state;
    open_by("");
    kprintf("a\nb");
    assert_string_equal(line, "a\r\nb");
    assert_false(console_at_line_start());
    kprintf("\n");
    assert_true(console_at_line_start());
    console_write("", 0);
    assert_true(console_at_line_start());
}

static void without_a_port_the_ring_still_fills(void **state)
{
    (void)state;
    absent = "ttyS0";
    open_by("");
    assert_string_equal(console_name(), "none (ttyS0 does not answer)");
    assert_string_equal(message, "");
    size_t before = console_ring_total;
    kprintf("kept");
    assert_string_equal(line, "");
    assert_int_equal(console_ring_total, before + 4);
    assert_memory_equal(console_ring + before, "kept", 4);
    open_by("console=none");
    assert_string_equal(opened, "");
    assert_string_equal(console_name(), "none");
}

static void the_ring_wraps(void **state)
{
    (void)state;
    open_by("console=none");
    for (unsigned i = 0; i < CONSOLE_RING / 8 + 3; i++)
        kprintf("%07u\n", i);
    char last[9];
    for (int i = 0; i < 8; i++)
        last[i] = console_ring[(console_ring_total - 8 + (size_t)i) % CONSOLE_RING];
    last[8] = '\0';
    char want[24];
    snprintf(want, sizeof(want), "%07u\n", CONSOLE_RING / 8 + 2);
    assert_string_equal(last, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_named_port_is_opened, all_present),
        cmocka_unit_test_setup(a_port_that_was_looked_for_is_named_as_found, all_present),
        cmocka_unit_test_setup(auto_is_ttys0_or_else_what_firmware_names, all_present),
        cmocka_unit_test_setup(a_wrong_port_is_an_error_that_can_be_read, all_present),
        cmocka_unit_test_setup(newline_becomes_cr_lf, all_present),
        cmocka_unit_test_setup(without_a_port_the_ring_still_fills, all_present),
        cmocka_unit_test_setup(the_ring_wraps, all_present),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
