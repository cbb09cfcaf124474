/* Reference clock "hpet": the main counter of the High Precision Event Timer (IA-PC HPET 1.0a). */
#include "hpet.h"

#include "acpi.h"
#include "ref_clocks.h"

#define HPET_ADDRESS  44 /* offset in the ACPI table; 40 holds its address space: 0, memory */
#define HPET_SPACE    40
#define HPET_REGISTER 1024

#define CAP_64_BITS   (1ul << 13)
#define CONFIG_ENABLE 1ul
#define CONFIG_LEGACY 2ul /* takes the lines of the interval timer and of the clock for itself */
#define PERIOD_MAX_FS 100000000 /* 10 MHz is the slowest that the specification allows */
#define FS_PER_SECOND 1000000000000000ul

static volatile uint64_t *reg;
static uint64_t last;

volatile uint64_t *hpet_registers(void)
{
    return reg;
}

static uint64_t read64(void)
{
    return reg[HPET_COUNTER];
}

/* At 10 MHz and more a 32-bit counter wraps after 43 s at 100 MHz, 429 s at 10 MHz. */
static uint64_t read32(void)
{
    return clock_extend(&last, reg[HPET_COUNTER] & UINT32_MAX, 32);
}

bool hpet_probe(struct arch_ref_clock *r)
{
    const struct acpi_table *t = acpi_find("HPET");

    if (!t || acpi_field(t, HPET_SPACE, 1) != 0)
        return false;

    uint64_t at = acpi_field(t, HPET_ADDRESS, 8);

    if (!at || at % sizeof(*reg))
        return false;
    if (!reg)
        reg = arch_map_device(phys(at), HPET_REGISTER);
    if (!reg)
        return false;

    uint64_t capabilities = reg[HPET_CAPABILITIES];
    uint64_t period_fs = capabilities >> 32;

    if (!period_fs || period_fs > PERIOD_MAX_FS)
        return false;
    reg[HPET_CONFIG] = (reg[HPET_CONFIG] | CONFIG_ENABLE) & ~CONFIG_LEGACY;
    last = 0;

    uint64_t (*read)(void) = capabilities & CAP_64_BITS ? read64 : read32;

    if (!clock_moves(read))
        return false;
    *r = (struct arch_ref_clock){"hpet", FS_PER_SECOND / period_fs, read};
    return true;
}
