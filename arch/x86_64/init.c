/* First steps of the port, and the last: arch_init and arch_halt; interrupts off and back. */
#include "arch.h"
#include "cpu_state.h"
#include "desc.h"
#include "fpu.h"
#include "percpu.h"

void arch_init(void)
{
    percpu_load(0);
    desc_init();
    fpu_init();
    cpu_state_init();
}

void arch_halt(void)
{
    for (;;)
        __asm__ volatile("cli\n\thlt" ::: "memory");
}

#define RFLAGS_IF (1ul << 9)

unsigned long arch_irq_save(void)
{
    unsigned long flags;

    __asm__ volatile("pushfq\n\tpopq %0\n\tcli" : "=r"(flags)::"memory");
    return flags & RFLAGS_IF;
}

void arch_irq_restore(unsigned long was)
{
    if (was)
        __asm__ volatile("sti" ::: "memory");
}
