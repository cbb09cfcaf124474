/*
 * Where a started CPU begins: real mode, at the page that the start-up message named. smp.c copies
 * this there and fills in the arguments; nothing here knows its own address but through %cs.
 *
 * First the CPU makes sure that it is the one that is waited for (a late one, whose turn is over,
 * stops here for good), then it goes straight to long mode on the tables in the arguments, which
 * map this page to itself, and to C on its own stack.
 *
 * Data to the linker, so that it is nowhere executable where it is linked.
 */
#include "desc.h"
#include "trampoline.h"

#define MSR_EFER 0xc0000080

#define ARG(offset) (TRAMPOLINE_ARGS + (offset))

    .section .rodata.trampoline, "a"
    .balign 16
    .globl  trampoline_start
trampoline_start:
    .code16
    cli
    cld
    movw    %cs, %ax
    movw    %ax, %ds
    movl    ARG(ARG_ID_LEAF), %eax
    xorl    %ecx, %ecx
    cpuid
    cmpl    $1, ARG(ARG_ID_LEAF)
    jne     1f
    movl    %ebx, %edx
    shrl    $24, %edx
1:  cmpl    %edx, ARG(ARG_APIC_ID)  /* this CPU's APIC number */
    jne     stop
    xorl    %eax, %eax
    xchgl   %eax, ARG(ARG_OFFER)    /* 1 for one CPU, once */
    testl   %eax, %eax
    jz      stop

    lgdtl   ARG(ARG_GDT_POINTER)
    movl    ARG(ARG_CR4), %eax
    movl    %eax, %cr4
    movl    ARG(ARG_CR3), %eax
    movl    %eax, %cr3
    movl    $MSR_EFER, %ecx
    movl    ARG(ARG_EFER), %eax
    xorl    %edx, %edx
    wrmsr
    movl    ARG(ARG_CR0), %eax      /* protection and paging at once: long mode */
    movl    %eax, %cr0
    ljmpl   *ARG(ARG_LONG_ENTRY)

stop:
    cli
    hlt
    jmp     stop

    .code64
    .globl  trampoline_long
trampoline_long:
    movl    $SELECTOR_DATA, %eax
    movl    %eax, %ds
    movl    %eax, %es
    movl    %eax, %ss
    leaq    trampoline_start(%rip), %rbx
    movq    ARG(ARG_STACK)(%rbx), %rsp
    movq    ARG(ARG_MAIN)(%rbx), %rax
    movl    ARG(ARG_ID)(%rbx), %edi
    xorl    %ebp, %ebp              /* backtraces end here */
    call    *%rax
    ud2
    .globl  trampoline_end
trampoline_end:
