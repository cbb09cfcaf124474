/* Storage of the stacks in the image, and the making of others. Contract in stacks.h. */
#include "stacks.h"

#include "arch.h"
#include "core/errno.h"
#include "desc.h"
#include "mm/own.h"

__attribute__((aligned(PAGE_SIZE))) struct boot_stack boot_stack;
__attribute__((aligned(PAGE_SIZE))) struct ist_stack ist_stack[IST_END - 1];

/* boot32.S knows the end of the first one by its own name. */
__asm__(".globl boot_stack_top\n"
        ".set boot_stack_top, boot_stack + 0x11000");

_Static_assert(sizeof(struct boot_stack) == 0x11000, "boot_stack_top says the same");

uint64_t stacks_make(unsigned id, size_t stack_bytes, size_t ist_bytes)
{
    char *main = own_stack(stack_bytes);

    for (unsigned i = IST_DOUBLE_FAULT; i < IST_END; i++) {
        char *ist = own_stack(ist_bytes);

        if (!ist)
            return 0;
        desc_set_ist(id, i, (uint64_t)(ist + ist_bytes));
    }
    return main ? (uint64_t)(main + stack_bytes) : 0;
}

int arch_leave_boot_stacks(void (*then)(void *arg), void *arg)
{
    uint64_t top = stacks_make(0, BOOT_STACK_BYTES, IST_STACK_BYTES);

    if (!top)
        return -TT_ENOMEM;
    /* A backtrace ends where the frame pointer is 0. */
    __asm__ volatile("movq %0, %%rsp\n\t"
                     "xorl %%ebp, %%ebp\n\t"
                     "callq *%1\n\t"
                     "ud2"
                     :
                     : "r"(top), "r"(then), "D"(arg)
                     : "memory");
    __builtin_unreachable();
}
