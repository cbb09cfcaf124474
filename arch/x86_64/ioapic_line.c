/* Lines and redirection entries: the pure part of ioapic.h. */
#include "ioapic.h"

struct isa_line isa_line_of(const struct madt *m, unsigned isa)
{
    for (unsigned i = 0; i < m->overrides; i++) {
        const struct madt_override *o = &m->override[i];

        if (o->irq == isa)
            return (struct isa_line){o->gsi, o->low, o->level};
    }
    return (struct isa_line){isa, false, false};
}

struct isa_line gsi_line_of(const struct madt *m, uint32_t gsi)
{
    for (unsigned isa = 0; isa < 16; isa++) {
        struct isa_line l = isa_line_of(m, isa);

        if (l.gsi == gsi)
            return l;
    }
    return (struct isa_line){gsi, true, true};
}

uint64_t ioapic_entry(struct isa_line line, unsigned vector, uint32_t apic_id)
{
    return (uint64_t)apic_id << 56 | ENTRY_MASKED | (line.low ? ENTRY_LOW : 0) |
           (line.level ? ENTRY_LEVEL : 0) | vector;
}

uint64_t ioapic_entry_to(uint64_t entry, uint32_t apic_id)
{
    return (entry & 0x00ffffffffffffff) | (uint64_t)apic_id << 56;
}
