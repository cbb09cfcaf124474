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

#define MADT_CPUS      255 /* numbers that an xAPIC can address; 255 means all */
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
    uint8_t apic_id[MADT_CPUS];
    unsigned disabled; /* listed but not usable */
    unsigned beyond;   /* usable, but with a number that only x2APIC can address */
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
