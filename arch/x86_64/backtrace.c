/*
 * Backtraces along the chain of frame pointers (everything is built with them).
 *
 * Called from panic, possibly with a damaged stack: every address is looked up in the page tables
 * before it is read, the chain must lead upwards, and what is no text address ends it.
 */
#include "arch.h"
#include "frame.h"

#include <arch/boot.h>

static bool in_text(uintptr_t pc)
{
    return pc >= (uintptr_t)__text_start && pc < (uintptr_t)__text_end;
}

/* The word at va, if there is one in the kernel's half. */
static bool read_word(uintptr_t va, uintptr_t *word)
{
    if (va % sizeof(uintptr_t) || va < ARCH_DIRECT ||
        arch_space_lookup(NULL, va, NULL).a == PHYS_NONE.a)
        return false;
    *word = *(const uintptr_t *)va;
    return true;
}

unsigned arch_backtrace(const struct trap_frame *f, uintptr_t *pc, unsigned max)
{
    uintptr_t fp = f ? f->rbp : (uintptr_t)__builtin_frame_address(0);
    uintptr_t up, ret;
    unsigned n = 0;

    if (f && n < max) {
        pc[n++] = f->rip;
        /* After a jump to nowhere the way back is still on top of the stack. */
        if (!in_text(f->rip) && n < max && read_word(f->rsp, &ret) && in_text(ret))
            pc[n++] = ret;
    }
    while (n < max && read_word(fp, &up) && read_word(fp + sizeof(uintptr_t), &ret) &&
           in_text(ret)) {
        pc[n++] = ret;
        if (up <= fp)
            break;
        fp = up;
    }
    return n;
}
