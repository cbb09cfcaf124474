/*
 * What a port answers that runs one CPU with interrupts off: weak definitions of the optional part
 * of arch.h. A port that has more defines the same names, and the linker takes those.
 */
#include "arch.h"
#include "core/errno.h"
#include "core/kprintf.h"

#define WEAK __attribute__((weak))

WEAK void arch_cpus_reserve(struct memmap *map)
{
    (void)map;
}

WEAK unsigned arch_cpus_find(uint32_t *hw_id, unsigned max, char *why, size_t why_bytes)
{
    if (max)
        hw_id[0] = 0;
    ksnprintf(why, why_bytes, "this port starts no further CPUs");
    return 1;
}

WEAK int arch_cpu_start(unsigned id, uint32_t hw_id)
{
    (void)id, (void)hw_id;
    return -TT_ENODEV;
}

WEAK void arch_cpus_started(void)
{
}

WEAK void arch_cpu_wake(unsigned id)
{
    (void)id;
}

WEAK void arch_cpu_wait(void)
{
}

WEAK void arch_cpus_stop(void)
{
}

WEAK unsigned long arch_irq_save(void)
{
    return 0;
}

WEAK void arch_irq_restore(unsigned long was)
{
    (void)was;
}

WEAK void arch_irqs_init(void)
{
}

WEAK int arch_irq_of_isa(unsigned isa)
{
    (void)isa;
    return -TT_ENODEV;
}

WEAK int arch_irq_of_ipi(unsigned i)
{
    (void)i;
    return -TT_ENODEV;
}

WEAK int arch_irq_of_timer(void)
{
    return -TT_ENODEV;
}

WEAK void arch_irq_send(unsigned irq, unsigned cpu)
{
    (void)irq, (void)cpu;
}

WEAK int arch_timer_every(uint64_t ns)
{
    (void)ns;
    return -TT_ENODEV;
}

WEAK int arch_level_start(const char **why)
{
    *why = "this port has no timer whose interrupt is a level";
    return -TT_ENODEV;
}

WEAK void arch_level_ask(void)
{
}

WEAK bool arch_level_take(bool *early)
{
    (void)early;
    return false;
}

WEAK void arch_level_stop(void)
{
}

WEAK const char *arch_irq_route(unsigned irq, unsigned cpu)
{
    (void)irq, (void)cpu;
    return "this port moves no interrupts";
}

WEAK void arch_irq_window(void)
{
}

WEAK unsigned arch_watchdog_start(void)
{
    return 0;
}

WEAK uint32_t arch_cpu_hw_id(unsigned id)
{
    return id;
}

WEAK bool arch_cpu_kind(char *name, size_t bytes)
{
    (void)name, (void)bytes;
    return false;
}

WEAK bool arch_numa_read(struct arch_numa *raw, char *why, size_t why_bytes)
{
    (void)raw, (void)why, (void)why_bytes;
    return false;
}

WEAK int arch_uart_find(char *name, size_t bytes, unsigned *baud)
{
    (void)name, (void)bytes, (void)baud;
    return 0;
}
