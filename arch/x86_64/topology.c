/* Reading the MADT once. Contract in topology.h. */
#include "topology.h"

#include "acpi.h"

const struct madt *topology_madt(void)
{
    static struct madt madt;
    static enum { NOT_READ, NONE, READ } state;

    if (state == NOT_READ) {
        const struct acpi_table *t = acpi_find("APIC");

        state = t && madt_parse(t, t->length, &madt) ? READ : NONE;
    }
    return state == READ ? &madt : NULL;
}
