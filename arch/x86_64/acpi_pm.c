/*
 * Reference clock "acpi_pm": the power management timer of ACPI, a port that counts up.
 *
 * 24 bits wide on many machines: it wraps every 4.69 s and must be read more often than that.
 */
#include "acpi.h"
#include "ref_clocks.h"
#include "regs.h"

#define PM_HZ 3579545 /* fixed by ACPI: 14.31818 MHz / 4 */

/* Offsets in the FADT. */
#define FADT_PM_TIMER   76 /* port */
#define FADT_PM_LENGTH  91 /* 4 if there is a timer */
#define FADT_FLAGS      112
#define FADT_X_PM_TIMER 208 /* generic address: space, width, offset, access size, address */

#define FLAG_32_BITS (1u << 8)
#define SPACE_IO     1

/* Some old chips (PIIX4) let a read see half a carry: three reads in order are believed. */
#define READ_TRIES 8

static uint16_t port;
static unsigned bits;
static uint64_t last;

static uint64_t pm_read(void)
{
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    uint32_t a = 0, b = 0, c = 0;

    for (unsigned i = 0; i < READ_TRIES; i++) {
        a = inl(port) & mask;
        b = inl(port) & mask;
        c = inl(port) & mask;
        if (a <= b && b <= c)
            break;
    }
    return clock_extend(&last, b, bits);
}

bool acpi_pm_probe(struct arch_ref_clock *r)
{
    const struct acpi_table *fadt = acpi_find("FACP");

    if (!fadt || acpi_field(fadt, FADT_PM_LENGTH, 1) != 4)
        return false;
    port = (uint16_t)acpi_field(fadt, FADT_PM_TIMER, 4);
    if (!port && acpi_field(fadt, FADT_X_PM_TIMER, 1) == SPACE_IO)
        port = (uint16_t)acpi_field(fadt, FADT_X_PM_TIMER + 4, 8);
    if (!port)
        return false;
    bits = acpi_field(fadt, FADT_FLAGS, 4) & FLAG_32_BITS ? 32 : 24;
    last = 0;
    if (!clock_moves(pm_read))
        return false;
    *r = (struct arch_ref_clock){"acpi_pm", PM_HZ, pm_read};
    return true;
}
