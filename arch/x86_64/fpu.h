/* Floating point and SSE as after reset. CR0 and CR4 allow it from the first instructions on. */
#ifndef X86_FPU_H
#define X86_FPU_H

#include <stdint.h>

static inline void fpu_init(void)
{
    uint32_t mxcsr = 0x1f80; /* all exceptions masked, round to nearest */

    __asm__ volatile("fninit\n\tldmxcsr %0" ::"m"(mxcsr));
}

#endif
