/*
 * The local APIC as a controller: each CPU's timer, and the interrupt that CPUs send each other.
 * Contracts in irq_chips.h and arch.h.
 */
#include "irq_chips.h"

#include "arch.h"
#include "core/errno.h"
#include "ioapic.h"
#include "lapic.h"
#include "lapic_timer.h"
#include "percpu.h"
#include "regs.h"

static bool present;

static void nothing(unsigned irq)
{
    (void)irq;
}

static void ack(unsigned irq)
{
    (void)irq;
    lapic_eoi();
}

static void ack_timer(unsigned irq)
{
    (void)irq;
    timer_again();
    lapic_eoi();
}

static const struct arch_irq_chip ipi_chip = {"ipi", nothing, nothing, ack, nothing};

/* The timer is its CPU's: arch_timer_every turns it on and off. */
static const struct arch_irq_chip timer_chip = {"lapic timer", nothing, nothing, ack_timer,
                                                nothing};

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

int arch_timer_every(uint64_t ns)
{
    return present ? timer_every(ns, VECTOR_IRQ_BASE + IRQ_TIMER) : -TT_ENODEV;
}

void arch_irq_window(void)
{
    /* What is pending comes between the two: sti lets one instruction pass first. */
    __asm__ volatile("sti\n\tnop\n\tnop\n\tcli" ::: "memory");
}
