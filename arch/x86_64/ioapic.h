/*
 * IO-APICs: from a device's line to a vector on a CPU (Intel 82093AA datasheet).
 *
 * Interrupt numbers of the kernel are global interrupt numbers (ACPI's GSI), as long as they are
 * below IRQ_DEVICES; above come those that CPUs make themselves.
 */
#ifndef X86_IOAPIC_H
#define X86_IOAPIC_H

#include "madt.h"

#define IRQ_DEVICES 48
#define IRQ_IPI     48 /* the first of those that CPUs send each other */
#define IPIS        8  /* as many as CPUs in the machines of the seeds, and to spare */
#define IRQ_TIMER   56 /* each CPU's own */

/* How an ISA interrupt arrives, after the overrides. A pure function. */
struct isa_line {
    uint32_t gsi;
    bool low, level;
};
struct isa_line isa_line_of(const struct madt *m, unsigned isa);

/* How a global interrupt arrives that is no ISA interrupt's: as PCI's do, level and low. */
struct isa_line gsi_line_of(const struct madt *m, uint32_t gsi);

#define ENTRY_NMI    0x400 /* delivered as non-maskable interrupt; the vector does not matter */
#define ENTRY_LOW    0x2000
#define ENTRY_LEVEL  0x8000
#define ENTRY_MASKED 0x10000

/* A redirection entry, masked, to a CPU by its APIC number. A pure function. */
uint64_t ioapic_entry(struct isa_line line, unsigned vector, uint32_t apic_id);

/* The same entry to another CPU. A pure function; apic_id is at most XAPIC_ID_MAX. */
uint64_t ioapic_entry_to(uint64_t entry, uint32_t apic_id);

/* Is this global interrupt one that the kernel can have (as its interrupt number)? */
bool ioapic_has(uint32_t gsi);

/* Sets an ISA line to arrive as NMI at a CPU, or turns it off. 0, or -TT_ENODEV. */
int ioapic_nmi(unsigned isa, uint32_t apic_id, bool on);

#endif
