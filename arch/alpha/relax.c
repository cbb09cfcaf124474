/* Contract in relax.h. */
#include "relax.h"

#include "arch.h"
#include "i8259.h"
#include "interrupt.h"
#include "percpu.h"

#include <arch/cpu.h>
#include <arch/io.h>

#define PIT_CHANNEL0 0x40
#define PIT_COMMAND  0x43
#define PIT_ONCE     0x30 /* channel 0, low then high byte, mode 0: counts once, then stays up */

uint32_t arch_relax_yields;

void relax_start(void)
{
    struct arch_machine m;

    arch_machine_info(&m);
    if (!m.hypervisor[0] || arch_relax_yields)
        return;
    outb(PIT_COMMAND, PIT_ONCE);
    outb(PIT_CHANNEL0, 1);
    outb(PIT_CHANNEL0, 0);
    pic_unmask(IRQ_RELAX);
    store_once(&arch_relax_yields, 1);
    relax_idle(false);
}

void relax_stop(void)
{
    if (!arch_relax_yields)
        return;
    store_once(&arch_relax_yields, 0);
    lines_update(cpu_id());
    pic_mask(IRQ_RELAX);
}

void relax_idle(bool idle)
{
    if (!arch_relax_yields)
        return;
    store_once(&this_of(alpha_cpus).idle, idle);
    lines_update(cpu_id());
}
