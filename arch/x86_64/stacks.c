/* Storage of the stacks; boot32.S knows the end of the first one by its own name. */
#include "stacks.h"

__attribute__((aligned(PAGE_SIZE))) struct boot_stack boot_stack;
__attribute__((aligned(PAGE_SIZE))) struct ist_stack ist_stack[IST_END - 1];

__asm__(".globl boot_stack_top\n"
        ".set boot_stack_top, boot_stack + 0x11000");

_Static_assert(sizeof(struct boot_stack) == 0x11000, "boot_stack_top says the same");
