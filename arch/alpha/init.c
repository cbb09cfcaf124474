/* First steps of the port, and the last: arch_init and arch_halt. */
#include "arch.h"
#include "clock.h"
#include "fp_arith.h"
#include "pal.h"
#include "trap.h"

#include <arch/boot.h>

__attribute__((aligned(16))) char boot_stack[BOOT_STACK_BYTES];

void arch_init(void)
{
    trap_init();
    pal_wrfen(1);
    fp_arith_init();
    clock_start();
}

void arch_halt(void)
{
    pal_swpipl(IPL_ALL);
    for (;;)
        pal_wtint();
}
