/*
 * The frame that trap_entry.S builds on the interrupted (or an IST) stack, lowest address first.
 *
 * The last five words are the processor's. Changing a field changes what iretq loads.
 */
#ifndef X86_FRAME_H
#define X86_FRAME_H

#define FRAME_VECTOR 120 /* offset of vector, for trap_entry.S */

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

struct trap_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
    uint64_t rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector;
    uint64_t error; /* 0 where the processor pushes none */
    uint64_t rip, cs, rflags, rsp, ss;
};

_Static_assert(offsetof(struct trap_frame, vector) == FRAME_VECTOR, "trap_entry.S pushes it so");
_Static_assert(sizeof(struct trap_frame) % 16 == 0, "C is entered with an aligned stack");

#endif
#endif
