/*
 * Interrupts, from PALcode's entry to irq/irq.c and back. Contracts in interrupt.h and arch.h.
 *
 * "Off" is IPL_DEVICE. What comes at 5 (clock) and 6 (from a CPU) is taken even then, but only
 * noted, unless it is the order to stop: the same as a controller's latch, in memory. Interrupts
 * are let in by arch_irq_window and arch_cpu_wait; no code runs with them on.
 */
#include "interrupt.h"

#include "arch.h"
#include "clock.h"
#include "core/cpu.h"
#include "frame.h"
#include "pal.h"
#include "percpu.h"
#include "relax.h"
#include "smp.h"

/* entInt, a0. */
enum { INT_CPU, INT_CLOCK, INT_MACHINE_CHECK, INT_DEVICE };

/* entInt, a1 of a device: 0x800 and 16 for each ISA interrupt. */
#define VECTOR_ISA   0x800
#define VECTOR_BYTES 0x10

struct alpha_cpus_per_cpu alpha_cpus[CPU_MAX];

void interrupt_note(unsigned irq)
{
    fetch_or(&this_of(alpha_cpus).pending, 1ul << irq);
}

static void deliver(void)
{
    uint64_t *pending = &this_of(alpha_cpus).pending;

    while (load_once(pending)) {
        uint64_t set = exchange(pending, 0) & ~PENDING_WAKE;

        for (; set; set &= set - 1)
            irq_enter((unsigned)__builtin_ctzl(set));
    }
}

static void device(uint64_t vector)
{
    uint64_t irq = (vector - VECTOR_ISA) / VECTOR_BYTES;

    if (vector >= VECTOR_ISA && irq < 16)
        irq_enter((unsigned)irq);
}

bool interrupt_enter(struct trap_frame *f)
{
    switch (f->arg[0]) {
    case INT_CPU:
        if (cpu_stop_asked()) {
            cpu_stopped(f);
            arch_halt();
        }
        break;
    case INT_CLOCK:
        clock_interrupt(f);
        break;
    case INT_DEVICE:
        device(f->arg[1]);
        break;
    default:
        return false;
    }
    /* PALcode has raised the level to that of the interrupt: handlers run at ours. */
    if ((f->pal.ps & PS_IPL) < IPL_DEVICE) {
        pal_swpipl(IPL_DEVICE);
        deliver();
    }
    return true;
}

unsigned long arch_irq_save(void)
{
    if ((pal_rdps() & PS_IPL) >= IPL_DEVICE)
        return 0;
    pal_swpipl(IPL_DEVICE);
    return 1;
}

void arch_irq_restore(unsigned long was)
{
    if (!was)
        return;
    do {
        pal_swpipl(IPL_DEVICE);
        deliver();
        pal_swpipl(IPL_NONE);
        /* From here on a trap delivers by itself; one just before may only have noted. */
    } while (load_once(&this_of(alpha_cpus).pending));
}

void arch_irq_window(void)
{
    deliver();
    if (devices_here())
        devices_window();
}

/*
 * With everything masked nothing slips in between looking and halting: an interrupt that is
 * pending ends the wait, and is taken when the level goes down.
 */
void arch_cpu_wait(void)
{
    pal_swpipl(IPL_ALL);
    relax_idle(true);
    if (!load_acquire(&this_of(alpha_cpus).pending))
        pal_wtint();
    relax_idle(false);
    pal_swpipl(IPL_DEVICE);
    arch_irq_window();
}
