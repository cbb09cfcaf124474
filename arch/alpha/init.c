/* First steps of the port, and the last: arch_init, arch_leave_boot_stacks and arch_halt. */
#include "arch.h"
#include "clock.h"
#include "core/errno.h"
#include "fp_arith.h"
#include "mm/own.h"
#include "pal.h"
#include "percpu.h"
#include "trap.h"

#include <arch/boot.h>

__attribute__((aligned(16))) char boot_stack[BOOT_STACK_BYTES];

void arch_init(void)
{
    pal_wrval(0);
    this_of(alpha_cpus).hw_id = pal_whami();
    trap_init();
    pal_wrfen(1);
    fp_arith_init();
    clock_start();
}

int arch_leave_boot_stacks(void (*then)(void *arg), void *arg)
{
    char *stack = own_stack(BOOT_STACK_BYTES);

    if (!stack)
        return -TT_ENOMEM;

    register void (*pv)(void *) __asm__("$27") = then;
    register void *a0 __asm__("$16") = arg;

    /* A backtrace ends at an address that is no code's. */
    __asm__ volatile("mov %0, $30\n\t"
                     "mov $31, $26\n\t"
                     "jmp $31, ($27), 0"
                     :
                     : "r"(stack + BOOT_STACK_BYTES), "r"(pv), "r"(a0)
                     : "memory");
    __builtin_unreachable();
}

void arch_halt(void)
{
    pal_swpipl(IPL_ALL);
    for (;;)
        pal_wtint();
}
