/*
 * The controllers: other CPUs, each CPU's timer, the ISA bridge, and the clock's own line.
 * Contracts in interrupt.h and arch.h; the clock's are in clock.c.
 */
#include "arch.h"
#include "clock.h"
#include "core/cpu.h"
#include "core/errno.h"
#include "core/lock.h"
#include "i8259.h"
#include "interrupt.h"
#include "pal.h"
#include "percpu.h"
#include "relax.h"
#include "smp.h"
#include "tsunami.h"

#define AMASK_CIX 4 /* of what amask leaves when the CPU has it not */

static bool present;
static uint32_t devices_on; /* ISA lines turned on */

/* Held while a CPU lets devices in, and while another is named for them. */
static struct lock device_lock = LOCK_INIT("devices");
static unsigned device_cpu; /* changed under it */

static void nothing(unsigned irq)
{
    (void)irq;
}

/* ---- the ISA bridge ------------------------------------------------------------------------ */

bool devices_here(void)
{
    return load_once(&devices_on) && load_once(&device_cpu) == cpu_id();
}

/* A CPU has the bridge's line for devices, or at work for cpu_relax (relax.h). */
static uint64_t lines_of(unsigned id)
{
    bool devices = load_once(&devices_on) && load_once(&device_cpu) == id;
    bool relax = load_once(&arch_relax_yields) && !load_once(&cpu_of(alpha_cpus, id).idle);

    return devices || relax ? DIM_ISA : 0;
}

/* Whoever writes last has seen the last change, of this or another CPU. */
void lines_update(unsigned id)
{
    uint64_t lines, reg = cchip_of(CCHIP_DIM0, cpu_of(alpha_cpus, id).hw_id);

    do {
        cpu_mb();
        lines = lines_of(id);
        cchip_write(reg, lines);
    } while (lines != lines_of(id));
}

/* Without the lock: a route that comes in between has seen what is on, or is seen here. */
static void device_lines_update(void)
{
    cpu_mb();
    lines_update(load_once(&device_cpu));
}

static void isa_enable(unsigned irq)
{
    fetch_or(&devices_on, 1u << irq);
    device_lines_update();
    pic_unmask(irq);
}

static void isa_disable(unsigned irq)
{
    pic_mask(irq);
    fetch_and(&devices_on, ~(1u << irq));
    device_lines_update();
}

/* As 2.2 does it for this controller: masked while it is handled, so a level does not come again.
 */
static const struct arch_irq_chip isa_chip = {"8259", isa_enable, isa_disable, pic_mask_ack,
                                              pic_unmask};

/* One CPU at a time: another would unmask line 0 while this one lets everything in. */
void devices_window(void)
{
    lock_take(&device_lock);
    if (devices_here()) {
        if (arch_relax_yields)
            pic_mask(IRQ_RELAX);
        pal_swpipl(IPL_NONE);
        pal_swpipl(IPL_DEVICE);
        if (arch_relax_yields)
            pic_unmask(IRQ_RELAX);
    }
    lock_drop(&device_lock);
}

/*
 * All lines are one wire of the chipset: they move together. A CPU at work keeps the wire for
 * cpu_relax: what keeps devices from the one before is only that it does not let them in any more.
 * The lock waits until it is through with those that it is letting in. Not in a handler.
 */
const char *arch_irq_route(unsigned irq, unsigned cpu)
{
    if (!present || irq >= ISA_IRQS || irq == IRQ_RELAX || cpu >= cpus_running())
        return "no such interrupt or CPU";
    if (irq == IRQ_RTC)
        return cpu ? "this machine's clock interrupts CPU 0" : NULL;

    lock_take(&device_lock);

    unsigned before = device_cpu;

    store_once(&device_cpu, cpu);
    lines_update(before);
    lines_update(cpu);
    lock_drop(&device_lock);
    return NULL;
}

/* QEMU's PALcode finds the device by an instruction (cttz, of CIX) that its EV6 does not have. */
static bool devices_come(void)
{
    struct arch_machine m;

    arch_machine_info(&m);
    return !m.hypervisor[0] || !__builtin_alpha_amask(AMASK_CIX);
}

int arch_irq_of_isa(unsigned isa)
{
    if (!present || isa >= ISA_IRQS || isa == IRQ_RELAX || (isa != IRQ_RTC && !devices_come()))
        return -TT_ENODEV;
    return (int)(IRQ_ISA + isa);
}

/* ---- CPUs ---------------------------------------------------------------------------------- */

static const struct arch_irq_chip ipi_chip = {"ipi", nothing, nothing, nothing, nothing};

/* The timer is its CPU's: arch_timer_every turns it on and off. */
static const struct arch_irq_chip timer_chip = {"clock", nothing, nothing, nothing, nothing};

int arch_irq_of_ipi(unsigned i)
{
    return present && i < IPIS ? IRQ_IPI + (int)i : -TT_ENODEV;
}

int arch_irq_of_timer(void)
{
    return present ? IRQ_TIMER : -TT_ENODEV;
}

/* fetch_or releases what the sender has stored before; the receiver's exchange acquires it. */
void arch_irq_send(unsigned irq, unsigned cpu)
{
    struct alpha_cpu *to = &cpu_of(alpha_cpus, cpu);

    fetch_or(&to->pending, 1ul << irq);
    cpu_mb();
    pal_wripir(to->hw_id);
}

void arch_irqs_init(void)
{
    if (!chipset_known())
        return;
    present = true;
    pic_init();
    lines_update(cpu_id());
    irq_add_chip(&isa_chip, IRQ_ISA, IRQ_RTC, false);
    irq_add_chip(&rtc_chip, IRQ_RTC, 1, false);
    irq_add_chip(&isa_chip, IRQ_RTC + 1, ISA_IRQS - IRQ_RTC - 1, false);
    irq_add_chip(&ipi_chip, IRQ_IPI, IPIS, false);
    irq_add_chip(&timer_chip, IRQ_TIMER, 1, true);
}
