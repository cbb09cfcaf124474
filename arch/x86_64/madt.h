/*
 * ACPI's MADT: processors, interrupt controllers, and how ISA interrupts are wired (ACPI
 * specification 6.4, section 5.2.12). A pure function of the table's bytes, for smp.c and ioapic.c;
 * it believes no length and no count in it, and says what it had to leave out.
 */
#ifndef X86_MADT_H
#define X86_MADT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MADT_CPUS      512 /* more than CPU_MAX, so that all of them can be told to keep still */
#define MADT_IOAPICS   16  /* machines have one to four */
#define MADT_OVERRIDES 16  /* there are 16 ISA interrupts */

struct madt_ioapic {
    uint8_t id;
    uint32_t address;
    uint32_t gsi_base; /* global interrupt number of its first pin */
};

/* An ISA interrupt that is not what it was on the PC/AT: pin of its number, edge, active high. */
struct madt_override {
    uint8_t irq;
    uint32_t gsi;
    bool low;   /* active low */
    bool level; /* level triggered */
};

struct madt {
    uint64_t lapic_address; /* physical */
    bool has_pic;           /* two 8259s are there, to be masked */
    unsigned cpus;          /* usable processors, in the table's order, none twice */
    uint32_t apic_id[MADT_CPUS];
    uint8_t kind[MADT_CPUS]; /* of the entry that named it: 0 local APIC, 9 local x2APIC */
    uint32_t highest_id;
    unsigned disabled; /* listed but not usable */
    unsigned beyond;   /* usable, but more than fit in here, or with the number that means all */
    uint8_t nmi_lints; /* bits 0 and 1: NMIs come in by LINT0, LINT1 ... */
    uint8_t nmi_low;   /* ... which is active low. No bit in nmi_lints: not told */
    unsigned ioapics;
    struct madt_ioapic ioapic[MADT_IOAPICS];
    unsigned overrides;
    struct madt_override override[MADT_OVERRIDES];
    unsigned malformed; /* entries of wrong length, or too many of a kind; an end cut off */
};

/* Reads the table of `bytes` bytes (header included). False when not even the fixed part is there.
 */
bool madt_parse(const void *table, size_t bytes, struct madt *out);

#endif
