/*
 * Looking for a serial port: on PCI buses that are described here function by function, and in
 * SPCR tables as firmware could write them.
 */
#include "host.h"

#include "acpi.h"
#include "arch.h"
#include "core/errno.h"

#include <arch/io.h>
#include <string.h>

/* ---- a machine's PCI functions ------------------------------------------------------------- */

struct function {
    unsigned bus, device, function;
    uint32_t class, header, bar0, bar1, command;
};

static const struct function *functions;
static size_t count;
static uint32_t address;
static unsigned long reads;

void outl(uint16_t port, uint32_t v)
{
    assert_int_equal(port, 0xcf8);
    address = v;
}

uint32_t inl(uint16_t port)
{
    assert_int_equal(port, 0xcfc);
    assert_true(address & 0x80000000);
    reads++;
    for (size_t i = 0; i < count; i++) {
        const struct function *f = &functions[i];

        if ((address >> 8 & 0xffff) != (f->bus << 8 | f->device << 3 | f->function))
            continue;
        switch (address & 0xff) {
        case 0x04:
            return f->command;
        case 0x08:
            return f->class << 8;
        case 0x0c:
            return f->header << 16;
        case 0x10:
            return f->bar0;
        case 0x14:
            return f->bar1;
        }
        return 0;
    }
    return UINT32_MAX;
}

uint8_t inb(uint16_t port)
{
    fail_msg("inb(%x)", port);
    return 0;
}

void outb(uint16_t port, uint8_t v)
{
    fail_msg("outb(%x, %x)", port, v);
}

static char found[32];
static unsigned baud;

static int find(const char *name)
{
    strcpy(found, name);
    baud = 115200;
    reads = 0;
    return arch_uart_find(found, sizeof(found), &baud);
}

static int find_among(const char *name, const struct function *all, size_t n)
{
    functions = all;
    count = n;
    return find(name);
}

#define BRIDGE                                                                                     \
    {                                                                                              \
        0, 0, 0, 0x060000, 0, 0, 0, 7                                                              \
    }
#define SERIAL 0x070002

static void the_first_enabled_one_is_taken(void **state)
{
    static const struct function all[] = {
        BRIDGE,
        {0, 3, 0, 0x070000, 0, 0xb001, 0, 7},    /* no 16550 */
        {0, 4, 0, SERIAL, 0, 0xb101, 0, 2},      /* its I/O is off */
        {0, 5, 0, SERIAL, 0, 0, 0, 7},           /* no address */
        {0, 6, 0, SERIAL, 0, 0xfe000004, 1, 7},  /* above 4 GiB */
        {0, 7, 1, SERIAL, 0, 0xb201, 0, 7},      /* a function without its first */
        {0, 9, 0, 0x010601, 0x80, 0xb301, 0, 7}, /* a disk, of several functions */
        {0, 9, 3, SERIAL, 0, 0xc051, 0, 1},
        {2, 0, 0, SERIAL, 0, 0xd001, 0, 7},
    };

    (void)state;
    assert_int_equal(find_among("pci", all, ARRAY_SIZE(all)), 0);
    assert_string_equal(found, "io:0xc050");
    assert_int_equal(baud, 115200);
    assert_int_equal(find("pci:02:00.0"), 0);
    assert_string_equal(found, "io:0xd000");
    assert_int_equal(find("pci:2:0.0"), 0);
    assert_int_equal(find("pci:00:04.0"), -TT_ENODEV);
    assert_int_equal(find("pci:00:03.0"), -TT_ENODEV);
    assert_int_equal(find("pci:ff:1f.7"), -TT_ENODEV);
}

static void a_port_in_memory_is_one_too(void **state)
{
    static const struct function all[] = {BRIDGE, {0xff, 0x1f, 0, 0x070006, 0, 0xfe034000, 1, 2}};
    static const struct function off[] = {BRIDGE, {1, 0, 0, SERIAL, 0, 0xfe034000, 0, 1}};
    static const struct function wide[] = {BRIDGE, {1, 0, 0, SERIAL, 0, 0xfe03400c, 0, 2}};

    (void)state;
    assert_int_equal(find_among("pci", all, ARRAY_SIZE(all)), 0);
    assert_string_equal(found, "mmio:0xfe034000");
    assert_int_equal(find_among("pci", off, ARRAY_SIZE(off)), -TT_ENODEV);
    assert_int_equal(find_among("pci", wide, ARRAY_SIZE(wide)), 0);
    assert_string_equal(found, "mmio:0xfe034000");
}

static void without_any_the_search_ends(void **state)
{
    (void)state;
    assert_int_equal(find_among("pci", NULL, 0), -TT_ENODEV);
    assert_in_range(reads, 256 * 32, 256 * 32 * 4);
    assert_string_equal(found, "pci");
}

static void wrong_places_are_errors_and_other_names_left_alone(void **state)
{
    static const char *const wrong[] = {"pci:",
                                        "pci0",
                                        "pcix",
                                        "pci:0",
                                        "pci:0:4",
                                        "pci:0:4.",
                                        "pci:0:4.8",
                                        "pci:0:20.0",
                                        "pci:100:0.0",
                                        "pci:0:0.0x",
                                        "pci:g:0.0",
                                        "pci::.",
                                        "pci:0:4.0.0",
                                        "pci:0.4.0",
                                        "pci:-1:0.0",
                                        "pci:0:4.0 ",
                                        "pci:1000000000000:0.0"};
    static const char *const other[] = {"ttyS0", "io:0x3f8", "mmio:0xfe034000", "spcrx", ""};

    (void)state;
    functions = NULL;
    count = 0;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        assert_int_equal(find(wrong[i]), -TT_EINVAL);
    for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
        assert_int_equal(find(other[i]), 0);
        assert_string_equal(found, other[i]);
        assert_int_equal(reads, 0);
    }
}

/* ---- firmware's table ---------------------------------------------------------------------- */

static union {
    struct acpi_table header;
    uint8_t bytes[88];
} table;
static bool forgotten;

const struct acpi_table *acpi_find(const char signature[4])
{
    forgotten = false;
    assert_memory_equal(signature, "SPCR", 4);
    return table.header.length ? &table.header : NULL;
}

void acpi_forget(void)
{
    forgotten = true;
}

uint64_t acpi_field(const struct acpi_table *t, size_t offset, size_t bytes)
{
    uint64_t v = 0;

    if (offset + bytes <= t->length)
        memcpy(&v, (const char *)t + offset, bytes);
    return v;
}

static void write_table(uint8_t type, uint8_t space, uint8_t width, uint64_t at, uint8_t speed)
{
    memset(&table, 0, sizeof(table));
    table.header.length = 80;
    table.bytes[36] = type;
    table.bytes[40] = space;
    table.bytes[41] = 8;
    table.bytes[43] = width;
    memcpy(table.bytes + 44, &at, sizeof(at));
    table.bytes[58] = speed;
}

static void the_table_names_port_and_speed(void **state)
{
    static const struct {
        uint8_t type, space, width;
        uint64_t at;
        uint8_t speed;
        const char *name;
        unsigned baud;
    } good[] = {
        {0, 1, 1, 0x2f8, 7, "io:0x2f8", 115200},
        {1, 1, 0, 0x3e8, 3, "io:0x3e8", 9600},
        {0, 1, 1, 0x2f8, 4, "io:0x2f8", 19200},
        {0, 1, 1, 0x2f8, 6, "io:0x2f8", 57600},
        {0, 1, 1, 0x2f8, 0, "io:0x2f8", 0}, /* as firmware has set it */
        {0, 1, 1, 0x2f8, 5, "io:0x2f8", 0}, /* reserved */
        {0, 1, 1, 0x2f8, 200, "io:0x2f8", 0},
        {0x12, 0, 1, 0xfe034000, 7, "mmio:0xfe034000", 115200},
        {0x12, 0, 3, 0xfe034000, 7, "mmio32:0xfe034000", 115200},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        write_table(good[i].type, good[i].space, good[i].width, good[i].at, good[i].speed);
        assert_int_equal(find("spcr"), 0);
        assert_string_equal(found, good[i].name);
        assert_int_equal(baud, good[i].baud);
        assert_true(forgotten);
    }
}

static void a_speed_for_another_clock_is_left_alone(void **state)
{
    static const uint32_t clocks[] = {1843200, 14745600};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
        write_table(0, 1, 1, 0x2f8, 7);
        memcpy(table.bytes + 76, &clocks[i], 4);
        assert_int_equal(find("spcr"), 0);
        assert_int_equal(baud, i ? 0 : 115200);
        table.header.length = 76; /* a table that ends before it */
        assert_int_equal(find("spcr"), 0);
        assert_int_equal(baud, 115200);
    }
}

static void other_tables_name_no_port(void **state)
{
    static const struct {
        uint8_t type, space;
        uint64_t at;
    } bad[] = {
        {3, 0, 0xfe034000},    /* a PL011 */
        {0, 2, 0x40},          /* in PCI configuration space */
        {0, 1, 0},             /* redirection is off */
        {0, 0, 0x100000000ul}, /* out of reach */
        {0, 1, 0xffffffff000003f8ul},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        write_table(bad[i].type, bad[i].space, 1, bad[i].at, 7);
        assert_int_equal(find("spcr"), -TT_ENODEV);
        assert_int_equal(baud, 115200);
    }
    table.header.length = 0;
    assert_int_equal(find("spcr"), -TT_ENODEV);
    assert_true(forgotten);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_enabled_one_is_taken),
        cmocka_unit_test(a_port_in_memory_is_one_too),
        cmocka_unit_test(without_any_the_search_ends),
        cmocka_unit_test(wrong_places_are_errors_and_other_names_left_alone),
        cmocka_unit_test(the_table_names_port_and_speed),
        cmocka_unit_test(a_speed_for_another_clock_is_left_alone),
        cmocka_unit_test(other_tables_name_no_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
