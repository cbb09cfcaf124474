/*
 * The page that CPUs start in: code from its beginning, arguments at TRAMPOLINE_ARGS, written by
 * smp.c for one CPU at a time.
 */
#ifndef X86_TRAMPOLINE_H
#define X86_TRAMPOLINE_H

#define TRAMPOLINE_ARGS 0x800

#define ARG_APIC_ID     0
#define ARG_OFFER       4
#define ARG_CR0         8
#define ARG_CR3         12
#define ARG_CR4         16
#define ARG_EFER        20
#define ARG_LONG_ENTRY  24 /* far pointer: offset, selector */
#define ARG_GDT_POINTER 32 /* limit, base */
#define ARG_ID          40
#define ARG_ID_LEAF     44
#define ARG_STACK       48
#define ARG_MAIN        56

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

struct trampoline_args {
    uint32_t apic_id; /* the CPU that is waited for */
    uint32_t offer;   /* 1 until it came, or until nobody waits any longer */
    uint32_t cr0, cr3, cr4, efer;
    uint32_t long_entry;
    uint16_t long_selector, pad;
    uint16_t gdt_limit;
    uint16_t gdt_base[2]; /* unaligned: low half, high half */
    uint16_t pad2;
    uint32_t id;
    uint32_t id_leaf; /* of cpuid, that states apic_id: 1 or 0xb */
    uint64_t stack;
    uint64_t main; /* void main(uint32_t id) */
    uint64_t gdt[3];
};

_Static_assert(offsetof(struct trampoline_args, offer) == ARG_OFFER &&
                   offsetof(struct trampoline_args, cr0) == ARG_CR0 &&
                   offsetof(struct trampoline_args, efer) == ARG_EFER &&
                   offsetof(struct trampoline_args, long_entry) == ARG_LONG_ENTRY &&
                   offsetof(struct trampoline_args, gdt_limit) == ARG_GDT_POINTER &&
                   offsetof(struct trampoline_args, id) == ARG_ID &&
                   offsetof(struct trampoline_args, id_leaf) == ARG_ID_LEAF &&
                   offsetof(struct trampoline_args, stack) == ARG_STACK &&
                   offsetof(struct trampoline_args, main) == ARG_MAIN,
               "trampoline.S reads them there");

extern const char trampoline_start[], trampoline_long[], trampoline_end[];

#endif
#endif
