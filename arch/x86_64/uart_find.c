/*
 * Serial ports that have to be looked for: "pci", the first one on PCI, "pci:BUS:DEV.FN", a given
 * one there, "spcr", the one that the firmware itself uses (Serial Port Console Redirection Table,
 * Microsoft, version 1.08). The optional uart part of arch.h; runs on the boot page tables.
 */
#include "acpi.h"
#include "arch.h"
#include "core/errno.h"
#include "core/kprintf.h"

#include <arch/io.h>
#include <string.h>

/* ---- PCI ----------------------------------------------------------------------------------- */

#define PCI_ADDRESS 0xcf8
#define PCI_DATA    0xcfc
#define PCI_ENABLE  0x80000000

#define REG_COMMAND 0x04
#define REG_CLASS   0x08 /* class, subclass, programming interface, revision */
#define REG_HEADER  0x0c
#define REG_BAR0    0x10

#define COMMAND_IO     0x0001
#define COMMAND_MEMORY 0x0002

#define CLASS_SERIAL 0x0700
#define IF_16550     2 /* up to 16950 (6): compatible successors */
#define IF_16950     6

#define BAR_IO   1
#define BAR_64   4
#define BAR_BITS 15 /* not of a memory address */

#define FUNCTIONS 8u
#define ALL       0x10000u /* functions that numbers of bus, device and function can name */

/* f: bus << 8 | device << 3 | function */
static uint32_t config(uint32_t f, unsigned reg)
{
    outl(PCI_ADDRESS, PCI_ENABLE | f << 8 | reg);
    return inl(PCI_DATA);
}

static bool is_alone(uint32_t f)
{
    uint32_t header = config(f, REG_HEADER);

    return header == UINT32_MAX || !(header & 0x00800000);
}

/* A port whose BAR 0 the firmware has enabled: its name. */
static bool name_function(uint32_t f, char *name, size_t bytes)
{
    uint32_t class = config(f, REG_CLASS);
    uint32_t interface = class >> 8 & 0xff;
    uint32_t bar = config(f, REG_BAR0);
    bool io = bar & BAR_IO;
    uint32_t at = bar & ~(io ? 3u : BAR_BITS);

    if (class >> 16 != CLASS_SERIAL || interface < IF_16550 || interface > IF_16950 || !at ||
        !(config(f, REG_COMMAND) & (io ? COMMAND_IO : COMMAND_MEMORY)))
        return false;
    if (!io && (bar & BAR_64) && config(f, REG_BAR0 + 4))
        return false;
    ksnprintf(name, bytes, "%s:0x%x", io ? "io" : "mmio", (unsigned)at);
    return true;
}

/* "02:04.0", hexadecimal as lspci has it; ALL if it is none. */
static uint32_t parse_function(const char *s)
{
    static const struct {
        char end;
        uint8_t bits;
    } part[] = {{':', 8}, {'.', 5}, {'\0', 3}};
    static const char digits[] = "0123456789abcdef";
    uint32_t f = 0;

    for (unsigned i = 0; i < ARRAY_SIZE(part); i++) {
        const char *start = s, *digit;
        uint32_t v = 0;

        while (*s && (digit = strchr(digits, *s)) && v < 1u << part[i].bits) {
            v = v << 4 | (uint32_t)(digit - digits);
            s++;
        }
        if (s == start || *s != part[i].end || v >> part[i].bits)
            return ALL;
        s++;
        f = f << part[i].bits | v;
    }
    return f;
}

static int find_pci(const char *given, char *name, size_t bytes)
{
    if (*given) {
        uint32_t f = parse_function(given + 1);

        if (*given != ':' || f == ALL)
            return -TT_EINVAL;
        return name_function(f, name, bytes) ? 0 : -TT_ENODEV;
    }
    for (uint32_t f = 0; f < ALL; f++) {
        if (name_function(f, name, bytes))
            return 0;
        if (f % FUNCTIONS == 0 && is_alone(f))
            f += FUNCTIONS - 1;
    }
    return -TT_ENODEV;
}

/* ---- SPCR ---------------------------------------------------------------------------------- */

enum spcr_field {
    SPCR_TYPE = 36,
    SPCR_SPACE = 40,
    SPCR_WIDTH = 43,
    SPCR_ADDRESS = 44,
    SPCR_SPEED = 58,
    SPCR_CLOCK = 76,
};

#define TYPE_16550     0
#define TYPE_16450     1
#define TYPE_16550_GAS 0x12

#define SPACE_MEMORY 0
#define SPACE_IO     1
#define WIDTH_32     3
#define CLOCK_HZ     1843200

static int find_spcr(char *name, size_t bytes, unsigned *baud)
{
    static const unsigned speeds[] = {[3] = 9600, [4] = 19200, [6] = 57600, [7] = 115200};
    const struct acpi_table *t = acpi_find("SPCR");

    acpi_forget();
    if (!t)
        return -TT_ENODEV;

    uint64_t type = acpi_field(t, SPCR_TYPE, 1), space = acpi_field(t, SPCR_SPACE, 1);
    uint64_t at = acpi_field(t, SPCR_ADDRESS, 8), speed = acpi_field(t, SPCR_SPEED, 1);
    uint64_t clock = acpi_field(t, SPCR_CLOCK, 4);

    if ((type != TYPE_16550 && type != TYPE_16450 && type != TYPE_16550_GAS) || !at ||
        at > IO_MEMORY_LAST || (space != SPACE_MEMORY && space != SPACE_IO))
        return -TT_ENODEV;

    /* 0, as it is: so says the table, or it does not say what the divisor divides. */
    *baud = speed < ARRAY_SIZE(speeds) && (!clock || clock == CLOCK_HZ) ? speeds[speed] : 0;
    ksnprintf(name, bytes, "%s:0x%x",
              space == SPACE_IO                          ? "io"
              : acpi_field(t, SPCR_WIDTH, 1) == WIDTH_32 ? "mmio32"
                                                         : "mmio",
              (unsigned)at);
    return 0;
}

int arch_uart_find(char *name, size_t bytes, unsigned *baud)
{
    if (!strncmp(name, "pci", 3))
        return find_pci(name + 3, name, bytes);
    return strcmp(name, "spcr") ? 0 : find_spcr(name, bytes, baud);
}
