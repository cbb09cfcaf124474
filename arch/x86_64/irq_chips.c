/*
 * The local APIC as a controller: each CPU's timer, and the interrupt that CPUs send each other.
 * Contracts in irq_chips.h and arch.h.
 */
#include "irq_chips.h"

#include "arch.h"
#include "core/errno.h"
#include "ioapic.h"
#include "lapic.h"
#include "percpu.h"
#include "regs.h"

/* Window in which the timer is counted against a reference clock, as for the cycle counter. */
#define CALIBRATE_NS 2500000
#define NS_PER_S     1000000000ull

static bool present;
static uint64_t timer_hz; /* 0: not measured yet; the same on all CPUs, which share one clock */

static void nothing(unsigned irq)
{
    (void)irq;
}

static void ack(unsigned irq)
{
    (void)irq;
    lapic_eoi();
}

static const struct arch_irq_chip ipi_chip = {"ipi", nothing, nothing, ack, nothing};

/* The timer is its CPU's: arch_timer_every turns it on and off. */
static const struct arch_irq_chip timer_chip = {"lapic timer", nothing, nothing, ack, nothing};

void cpu_chips_init(void)
{
    irq_add_chip(&ipi_chip, IRQ_IPI, IPIS, false);
    irq_add_chip(&timer_chip, IRQ_TIMER, 1, true);
    present = true;
}

int arch_irq_of_ipi(unsigned i)
{
    return present && i < IPIS ? IRQ_IPI + (int)i : -TT_ENODEV;
}

int arch_irq_of_timer(void)
{
    return present ? IRQ_TIMER : -TT_ENODEV;
}

void arch_irq_send(unsigned irq, unsigned cpu)
{
    lapic_send(percpu_apic_id(cpu), VECTOR_IRQ_BASE + irq);
}

/* Ticks per second of the timer, or 0 when there is nothing to compare it with. */
static uint64_t measure(void)
{
    struct arch_ref_clock clock;

    if (arch_ref_clocks(&clock, 1) != 1)
        return 0;

    uint64_t ticks = clock.hz * (CALIBRATE_NS / 1000) / 1000000, start = clock.read(), now;

    lapic_timer_start(UINT32_MAX, false, 0);
    for (unsigned i = 0; i < CALIBRATE_NS; i++) { /* a read takes more than 1 ns */
        now = clock.read();
        if (now - start >= ticks)
            break;
    }

    uint64_t passed = lapic_timer_passed();

    lapic_timer_start(0, false, 0);
    return now - start >= ticks ? passed * clock.hz / (now - start) : 0;
}

int arch_timer_every(uint64_t ns)
{
    if (!present)
        return -TT_ENODEV;
    if (!timer_hz)
        timer_hz = measure();
    if (!timer_hz)
        return -TT_ENODEV;

    uint64_t ticks = timer_hz / 1000 * ns / (NS_PER_S / 1000);

    if (ns && (!ticks || ticks > UINT32_MAX))
        return -TT_ENODEV;
    lapic_timer_start((uint32_t)ticks, true, VECTOR_IRQ_BASE + IRQ_TIMER);
    return 0;
}

void arch_irq_window(void)
{
    /* What is pending comes between the two: sti lets one instruction pass first. */
    __asm__ volatile("sti\n\tnop\n\tnop\n\tcli" ::: "memory");
}
