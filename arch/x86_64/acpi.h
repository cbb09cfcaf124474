/*
 * ACPI tables, as far as clocks, power off and (later) topology need them. No AML.
 *
 * Tables are mapped through the device window; before arch_vm_init only those below 4 GiB are found
 * and until then only. On machines without ACPI nothing is found. Nothing that firmware wrote is
 * believed: lengths and checksums are checked, counts bounded.
 */
#ifndef X86_ACPI_H
#define X86_ACPI_H

#include "core/types.h"

struct acpi_table {
    char signature[4];
    uint32_t length; /* header included */
    uint8_t revision;
    uint8_t checksum; /* makes all bytes sum up to 0 */
    char oem[6];
    char oem_table[8];
    uint32_t oem_revision;
    uint32_t creator;
    uint32_t creator_revision;
};
_Static_assert(sizeof(struct acpi_table) == 36, "no padding");

/* The first table with this signature, whole and checked, or NULL. */
const struct acpi_table *acpi_find(const char signature[4]);

/*
 * Fields of bytes 1, 2, 4 or 8 at an offset in a table; 0 where the table ends before it, as its
 * older versions do.
 */
uint64_t acpi_field(const struct acpi_table *t, size_t offset, size_t bytes);

/* Forgets where tables were found: for who looks before arch_vm_init. */
void acpi_forget(void);

/* Port of the first power management control register, 0 if unknown. */
uint16_t acpi_pm_control(void);

#endif
