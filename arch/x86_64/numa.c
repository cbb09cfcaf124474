/* The optional part of arch.h about nodes: SRAT and SLIT, where ACPI has them. */
#include "acpi.h"
#include "arch.h"
#include "percpu.h"
#include "srat.h"

bool arch_numa_read(struct arch_numa *raw, char *why, size_t why_bytes)
{
    const struct acpi_table *srat = acpi_find("SRAT"), *slit = acpi_find("SLIT");

    if (!srat || srat_parse(srat, srat->length, raw, why, why_bytes))
        return false;
    if (slit)
        slit_parse(slit, slit->length, raw, why, why_bytes); /* without it all are equally far */
    return true;
}

uint32_t arch_cpu_hw_id(unsigned id)
{
    return percpu_apic_id(id);
}
