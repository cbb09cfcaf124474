/* Reading the MADT. Contract in madt.h. */
#include "madt.h"

#include <string.h>

/* Offsets in the table: the common header has 36 bytes. */
#define AT_LAPIC   36
#define AT_FLAGS   40
#define AT_ENTRIES 44

#define FLAG_PCAT 1

enum entry {
    ENTRY_LAPIC = 0,
    ENTRY_IOAPIC = 1,
    ENTRY_OVERRIDE = 2,
    ENTRY_LAPIC_NMI = 4,
    ENTRY_LAPIC_ADDRESS = 5,
    ENTRY_X2APIC = 9,
    ENTRY_X2APIC_NMI = 10,
    ENTRY_KINDS
};

/* Their lengths; 0: a kind that is of no use here. */
static const uint8_t length_of[ENTRY_KINDS] = {
    [ENTRY_LAPIC] = 8,          [ENTRY_IOAPIC] = 12, [ENTRY_OVERRIDE] = 10,  [ENTRY_LAPIC_NMI] = 6,
    [ENTRY_LAPIC_ADDRESS] = 12, [ENTRY_X2APIC] = 16, [ENTRY_X2APIC_NMI] = 12};

#define CPU_ENABLED 1
#define ALL_CPUS    0xffffffff /* the broadcast number */

/* MPS INTI flags of an override: two bits each. 1 is high or edge, 3 is low or level. */
#define POLARITY(flags) ((flags)&3)
#define TRIGGER(flags)  ((flags) >> 2 & 3)

static uint64_t field(const uint8_t *at, size_t bytes)
{
    uint64_t v = 0;

    memcpy(&v, at, bytes); /* little-endian, unaligned */
    return v;
}

/*
 * Some firmware names a CPU twice, once by each kind of entry; twice by the same kind is an error
 * that is told.
 */
static void add_cpu(struct madt *m, enum entry kind, uint64_t id, uint32_t flags)
{
    if (!(flags & CPU_ENABLED)) {
        m->disabled++;
        return;
    }
    for (unsigned i = 0; i < m->cpus; i++) {
        if (m->apic_id[i] == id) {
            m->malformed += m->kind[i] == kind;
            return;
        }
    }
    if (m->cpus == MADT_CPUS || id == ALL_CPUS) {
        m->beyond++;
        return;
    }
    m->kind[m->cpus] = (uint8_t)kind;
    m->apic_id[m->cpus++] = (uint32_t)id;
    m->highest_id = m->highest_id > id ? m->highest_id : (uint32_t)id;
}

/*
 * The processors that an entry is for are not told apart: lines that are NMI lines on some of them
 * are taken as such on all, where nothing is connected to them.
 */
static void add_nmi(struct madt *m, uint32_t flags, uint8_t lint)
{
    if (lint > 1) {
        m->malformed++;
        return;
    }
    m->nmi_lints |= 1u << lint;
    if (POLARITY(flags) == 3)
        m->nmi_low |= 1u << lint;
}

static void add_ioapic(struct madt *m, const uint8_t *e)
{
    if (m->ioapics == MADT_IOAPICS) {
        m->malformed++;
        return;
    }
    m->ioapic[m->ioapics++] = (struct madt_ioapic){
        .id = e[2], .address = (uint32_t)field(e + 4, 4), .gsi_base = (uint32_t)field(e + 8, 4)};
}

static void add_override(struct madt *m, const uint8_t *e)
{
    uint32_t flags = (uint32_t)field(e + 8, 2);

    /* Bus 0 is ISA, and nothing else is defined. */
    if (e[2] != 0 || e[3] >= 16 || m->overrides == MADT_OVERRIDES) {
        m->malformed++;
        return;
    }
    m->override[m->overrides++] = (struct madt_override){.irq = e[3],
                                                         .gsi = (uint32_t)field(e + 4, 4),
                                                         .low = POLARITY(flags) == 3,
                                                         .level = TRIGGER(flags) == 3};
}

static void add_entry(struct madt *m, const uint8_t *e)
{
    switch (e[0]) {
    case ENTRY_LAPIC:
        /* 255 is the broadcast number here: placeholders carry it. */
        add_cpu(m, ENTRY_LAPIC, e[3] == 255 ? ALL_CPUS : e[3], (uint32_t)field(e + 4, 4));
        break;
    case ENTRY_IOAPIC:
        add_ioapic(m, e);
        break;
    case ENTRY_OVERRIDE:
        add_override(m, e);
        break;
    case ENTRY_LAPIC_ADDRESS:
        m->lapic_address = field(e + 4, 8);
        break;
    case ENTRY_X2APIC:
        add_cpu(m, ENTRY_X2APIC, field(e + 4, 4), (uint32_t)field(e + 8, 4));
        break;
    case ENTRY_LAPIC_NMI:
        add_nmi(m, (uint32_t)field(e + 3, 2), e[5]);
        break;
    case ENTRY_X2APIC_NMI:
        add_nmi(m, (uint32_t)field(e + 2, 2), e[8]);
        break;
    default:
        break;
    }
}

bool madt_parse(const void *table, size_t bytes, struct madt *m)
{
    const uint8_t *t = table;

    memset(m, 0, sizeof(*m));
    if (bytes < AT_ENTRIES)
        return false;
    m->lapic_address = field(t + AT_LAPIC, 4);
    m->has_pic = field(t + AT_FLAGS, 4) & FLAG_PCAT;

    for (size_t at = AT_ENTRIES; at < bytes;) {
        const uint8_t *e = t + at;
        size_t left = bytes - at;

        /* An entry that does not fit, or of no length: nothing behind it can be trusted. */
        if (left < 2 || e[1] < 2 || e[1] > left) {
            m->malformed++;
            break;
        }
        if (e[0] < ENTRY_KINDS && e[1] < length_of[e[0]])
            m->malformed++;
        else
            add_entry(m, e);
        at += e[1];
    }
    return true;
}
