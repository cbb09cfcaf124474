/* First steps of the port, and the last: arch_init and arch_halt. */
#include "arch.h"
#include "desc.h"

void arch_init(void)
{
    uint32_t mxcsr = 0x1f80; /* all exceptions masked, round to nearest, as after reset */

    desc_init();
    __asm__ volatile("fninit\n\tldmxcsr %0" ::"m"(mxcsr));
}

void arch_halt(void)
{
    for (;;)
        __asm__ volatile("cli\n\thlt" ::: "memory");
}
