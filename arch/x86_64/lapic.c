/* The local APIC. Contract in lapic.h. */
#include "lapic.h"

#include "arch.h"
#include "core/errno.h"
#include "desc.h"
#include "frame.h"
#include "regs.h"

#include <arch/cpu.h>

#define CPUID_APIC (1u << 9) /* leaf 1 edx */

#define MSR_APIC_BASE     0x1b
#define APIC_BASE_X2      (1ul << 10)
#define APIC_BASE_ENABLE  (1ul << 11)
#define APIC_BASE_ADDRESS 0x000ffffffffff000ul

/* Registers, as indices of 32-bit words (each has 16 bytes to itself). */
enum {
    REG_ID = 0x20 / 4,
    REG_TPR = 0x80 / 4,
    REG_EOI = 0xb0 / 4,
    REG_SVR = 0xf0 / 4,
    REG_ICR_LOW = 0x300 / 4,
    REG_ICR_HIGH = 0x310 / 4,
    REG_LVT_TIMER = 0x320 / 4,
    REG_LVT_LINT0 = 0x350 / 4,
    REG_LVT_LINT1 = 0x360 / 4,
    REG_LVT_ERROR = 0x370 / 4,
    REG_TIMER_INITIAL = 0x380 / 4,
    REG_TIMER_CURRENT = 0x390 / 4,
    REG_TIMER_DIVIDE = 0x3e0 / 4,
};

#define SVR_ENABLE    0x100
#define LVT_MASKED    0x10000
#define LVT_PERIODIC  0x20000
#define DIVIDE_BY_16  3
#define LVT_NMI       0x400
#define ICR_PENDING   0x1000
#define ICR_INIT      0x4500 /* assert */
#define ICR_STARTUP   0x4600
#define ICR_FIXED     0x4000
#define ICR_NMI       0x4400
#define ICR_OTHERS    0xc0000
#define APIC_ID_SHIFT 24

/* A message leaves within microseconds; a read of the register takes some 20 ns. */
#define SEND_POLLS 1000000

static volatile uint32_t *lapic;

int lapic_init(const char **why)
{
    uint64_t base = rdmsr(MSR_APIC_BASE);

    if (lapic)
        return 0;
    if (!(cpuid(1, 0).edx & CPUID_APIC)) {
        *why = "this CPU has no local APIC";
        return -TT_ENODEV;
    }
    if (base & APIC_BASE_X2) {
        *why = "firmware left the local APIC in x2APIC mode, which this kernel does not use";
        return -TT_ENODEV;
    }
    wrmsr(MSR_APIC_BASE, base | APIC_BASE_ENABLE);
    lapic = arch_map_device(phys(base & APIC_BASE_ADDRESS), PAGE_SIZE);
    if (!lapic) {
        *why = "no room to map the local APIC";
        return -TT_ENODEV;
    }
    lapic_enable();
    return 0;
}

void lapic_enable(void)
{
    lapic[REG_TPR] = 0;
    lapic[REG_LVT_TIMER] = LVT_MASKED;
    lapic[REG_LVT_LINT0] = LVT_MASKED; /* the old controllers' line */
    lapic[REG_LVT_LINT1] = LVT_NMI;    /* wired so on every PC */
    lapic[REG_LVT_ERROR] = LVT_MASKED;
    lapic[REG_SVR] = SVR_ENABLE | VECTOR_SPURIOUS;
    lapic[REG_EOI] = 0; /* whatever firmware left open */
}

uint32_t lapic_id(void)
{
    return lapic[REG_ID] >> APIC_ID_SHIFT;
}

void lapic_eoi(void)
{
    lapic[REG_EOI] = 0;
}

static void send(uint32_t apic_id, uint32_t command)
{
    for (unsigned i = 0; i < SEND_POLLS && (lapic[REG_ICR_LOW] & ICR_PENDING); i++)
        cpu_relax();
    lapic[REG_ICR_HIGH] = apic_id << APIC_ID_SHIFT;
    lapic[REG_ICR_LOW] = command;
}

/* What the receiver is to see is stored before: an x86 store to a device waits for older ones. */
void lapic_send(uint32_t apic_id, unsigned vector)
{
    unsigned long irq = arch_irq_save(); /* a handler that sends must not come between the halves */

    send(apic_id, ICR_FIXED | vector);
    arch_irq_restore(irq);
}

void lapic_send_init(uint32_t apic_id)
{
    send(apic_id, ICR_INIT);
}

void lapic_send_startup(uint32_t apic_id, unsigned page)
{
    send(apic_id, ICR_STARTUP | page);
}

void lapic_nmi_others(void)
{
    if (lapic)
        send(0, ICR_NMI | ICR_OTHERS);
}

void lapic_timer_start(uint32_t ticks, bool periodic, unsigned vector)
{
    lapic[REG_TIMER_DIVIDE] = DIVIDE_BY_16;
    lapic[REG_LVT_TIMER] = (vector && ticks ? vector : LVT_MASKED) | (periodic ? LVT_PERIODIC : 0);
    lapic[REG_TIMER_INITIAL] = ticks;
}

uint32_t lapic_timer_passed(void)
{
    return lapic[REG_TIMER_INITIAL] - lapic[REG_TIMER_CURRENT];
}

void interrupt_enter(struct trap_frame *f)
{
    if (f->vector == VECTOR_SPURIOUS) /* not acknowledged: nothing was in service */
        return;

    unsigned irq = (unsigned)f->vector - VECTOR_IRQ_BASE;

    if (irq >= IRQ_MAX || !irq_enter(irq))
        lapic_eoi();
}
