/*
 * The stacks in the image, each above a guard page that arch_vm_init leaves unmapped; and those of
 * own memory: further CPUs', and with own_colors= also CPU 0's.
 *
 * The boot stack becomes the kernel's; the other three belong to the only exceptions that may
 * strike when the current stack is unusable (#DF) or anywhere at all (NMI, #MC).
 */
#ifndef X86_STACKS_H
#define X86_STACKS_H

#include <arch/param.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* newlib's printf of a double takes about 2 KiB, the deepest lab call chain is far below this. */
#define BOOT_STACK_BYTES 0x10000
/* A panic formats one line of 512 bytes at a time. */
#define IST_STACK_BYTES 0x4000

enum ist { IST_DOUBLE_FAULT = 1, IST_NMI, IST_MACHINE_CHECK, IST_END };

struct boot_stack {
    char guard[PAGE_SIZE];
    char stack[BOOT_STACK_BYTES];
};

struct ist_stack {
    char guard[PAGE_SIZE];
    char stack[IST_STACK_BYTES];
};

extern struct boot_stack boot_stack;
extern struct ist_stack ist_stack[IST_END - 1];

/* The first guard page of the image in [va, end); end if there is none. */
static inline uintptr_t stack_next_guard(uintptr_t va, uintptr_t end)
{
    uintptr_t first = (uintptr_t)boot_stack.guard;

    if (first < va || first > end)
        first = end;
    for (int i = 0; i < IST_END - 1; i++) {
        uintptr_t guard = (uintptr_t)ist_stack[i].guard;

        if (guard >= va && guard < first)
            first = guard;
    }
    return first;
}

/* Is the image page at va a guard page? */
static inline bool stack_is_guard(uintptr_t va)
{
    return stack_next_guard(va, va + 1) == va;
}

/*
 * Own stacks for CPU id: sets those of exceptions, which take effect at once, and returns the top
 * of its main one; 0 when own memory is full.
 */
uint64_t stacks_make(unsigned id, size_t stack_bytes, size_t ist_bytes);

#endif
