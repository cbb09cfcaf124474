/*
 * ACPI's SRAT and SLIT: which memory and which CPUs belong to which proximity domain, and how far
 * these are apart (ACPI specification 6.4, sections 5.2.16 and 5.2.17). Pure functions of the
 * tables' bytes; what they say is judged by mm/numa.c.
 */
#ifndef X86_SRAT_H
#define X86_SRAT_H

#include "arch.h"

/*
 * Fills nodes, ranges and CPUs (by APIC number) of raw. Domains get node numbers in ascending
 * order. 0, or -TT_EINVAL with a reason: a table that is cut, too many domains or ranges.
 */
int srat_parse(const void *table, size_t bytes, struct arch_numa *raw, char *why, size_t why_bytes);

/* Fills the distances, after srat_parse. 0, or -TT_EINVAL with a reason: then raw has none. */
int slit_parse(const void *table, size_t bytes, struct arch_numa *raw, char *why, size_t why_bytes);

#endif
