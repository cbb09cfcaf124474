/* The IO-APICs' registers, as a controller for irq/irq.c. Contract in ioapic.h. */
#include "ioapic.h"

#include "arch.h"
#include "core/errno.h"
#include "core/lock.h"
#include "irq_chips.h"
#include "lapic.h"
#include "percpu.h"
#include "topology.h"

#include <arch/hw.h>
#include <arch/io.h>

/* Registers are reached by writing their number, then reading or writing the window. */
#define SELECT 0x00
#define WINDOW 0x10

#define REG_VERSION 0x01
#define REG_ENTRY   0x10 /* two per pin: low half, high half */

#define PINS_MAX 240

/* The two 8259s: everything masked, so that nothing comes past the IO-APICs. */
#define PIC1_MASK 0x21
#define PIC2_MASK 0xa1

struct ioapic {
    volatile char *reg;
    uint32_t gsi_base, pins;
};

static struct ioapic ioapics[MADT_IOAPICS];
static unsigned count;
static uint64_t entries[IRQ_DEVICES];                 /* what each pin is set to */
static struct lock select_lock = LOCK_INIT("ioapic"); /* one register is selected at a time */

static void put(const struct ioapic *io, unsigned reg, uint32_t v)
{
    mmio_write32(io->reg + SELECT, reg);
    mmio_write32(io->reg + WINDOW, v);
}

static void write_entry(const struct ioapic *io, unsigned pin, uint64_t entry)
{
    /* Masked while the halves do not belong together; a level stays one, or QEMU forgets that the
     * line is up. */
    put(io, REG_ENTRY + 2 * pin, (uint32_t)entry | ENTRY_MASKED);
    put(io, REG_ENTRY + 2 * pin + 1, (uint32_t)(entry >> 32));
    put(io, REG_ENTRY + 2 * pin, (uint32_t)entry);
}

/* The IO-APIC that has this global number; NULL: none. */
static const struct ioapic *owner(uint32_t gsi)
{
    for (unsigned i = 0; i < count; i++) {
        if (gsi - ioapics[i].gsi_base < ioapics[i].pins)
            return &ioapics[i];
    }
    return NULL;
}

static void set(unsigned irq, uint64_t entry)
{
    const struct ioapic *io = owner(irq);
    unsigned long was = lock_take_irq(&select_lock);

    entries[irq] = entry;
    if (io)
        write_entry(io, irq - io->gsi_base, entry);
    lock_drop_irq(&select_lock, was);
}

static void enable(unsigned irq)
{
    set(irq, entries[irq] & ~(uint64_t)ENTRY_MASKED);
}

static void disable(unsigned irq)
{
    set(irq, entries[irq] | ENTRY_MASKED);
}

/* A level stays up until its device is served: the pin is masked in between. */
static void ack(unsigned irq)
{
    if (entries[irq] & ENTRY_LEVEL)
        disable(irq);
    lapic_eoi();
}

static void end(unsigned irq)
{
    if (entries[irq] & ENTRY_LEVEL)
        enable(irq);
}

static const struct arch_irq_chip chip = {"ioapic", enable, disable, ack, end};

static void add(const struct madt *m, const struct madt_ioapic *from)
{
    struct ioapic *io = &ioapics[count];

    io->reg = arch_map_device(phys(from->address), 0x20);
    if (!io->reg)
        return;
    mmio_write32(io->reg + SELECT, REG_VERSION);
    io->gsi_base = from->gsi_base;
    io->pins = (mmio_read32(io->reg + WINDOW) >> 16 & 0xff) + 1;
    if (io->pins > PINS_MAX) /* reads as all ones: nothing is there */
        return;
    count++;
    for (unsigned pin = 0; pin < io->pins; pin++) {
        uint32_t gsi = io->gsi_base + pin;

        /* As an edge: forgets a level that firmware took and never ended. */
        write_entry(io, pin, ENTRY_MASKED);
        if (gsi >= IRQ_DEVICES)
            continue;
        set(gsi, ioapic_entry(gsi_line_of(m, gsi), VECTOR_IRQ_BASE + gsi, percpu_apic_id(0)));
    }
    if (io->gsi_base < IRQ_DEVICES && percpu_apic_id(0) <= XAPIC_ID_MAX)
        irq_add_chip(&chip, io->gsi_base, (unsigned)min_u64(io->pins, IRQ_DEVICES - io->gsi_base),
                     false);
}

void arch_irqs_init(void)
{
    const struct madt *m = topology_madt();
    const char *why;

    /* First, so that their request is down before the local APIC no longer listens to it: a CPU
     * may have taken note of it already. (QEMU then delivers vector -1.) */
    if (m && m->has_pic) {
        outb(PIC1_MASK, 0xff);
        outb(PIC2_MASK, 0xff);
    }
    if (!m || lapic_init(m, &why))
        return;
    percpu_set_apic_id(0, lapic_id());
    for (unsigned i = 0; i < m->ioapics; i++)
        add(m, &m->ioapic[i]);
    cpu_chips_init();
}

int arch_irq_of_isa(unsigned isa)
{
    const struct madt *m = topology_madt();

    if (!m || isa >= 16)
        return -TT_ENODEV;

    uint32_t gsi = isa_line_of(m, isa).gsi;

    return ioapic_has(gsi) ? (int)gsi : -TT_ENODEV;
}

bool ioapic_has(uint32_t gsi)
{
    return gsi < IRQ_DEVICES && owner(gsi) && percpu_apic_id(0) <= XAPIC_ID_MAX;
}

const char *arch_irq_route(unsigned irq, unsigned cpu)
{
    uint32_t to = percpu_apic_id(cpu);

    if (irq >= IRQ_DEVICES || !owner(irq))
        return "no IO-APIC has an input of this number";
    if (to > XAPIC_ID_MAX)
        return "an IO-APIC names CPUs by 8 bits: without interrupt remapping, which this kernel "
               "does not use, device interrupts reach no CPU with an APIC number above 254";
    set(irq, ioapic_entry_to(entries[irq], to));
    return NULL;
}

int ioapic_nmi(unsigned isa, uint32_t apic_id, bool on)
{
    int irq = arch_irq_of_isa(isa);

    if (irq < 0 || apic_id > XAPIC_ID_MAX)
        return -TT_ENODEV;

    struct isa_line line = {(uint32_t)irq, false, false}; /* an NMI is edge triggered */
    uint64_t entry = ioapic_entry(line, 0, apic_id) | ENTRY_NMI;

    set((unsigned)irq, on ? entry & ~(uint64_t)ENTRY_MASKED : entry);
    return 0;
}
