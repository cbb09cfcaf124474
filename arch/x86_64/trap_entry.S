/*
 * Trap entry and return: one stub per vector, exceptions and interrupts alike, and the common part that builds the trap_frame
 * of frame.h and calls trap_enter (trap.c) on the same stack.
 *
 * Saves every general register and nothing of the FPU: all code that runs between entry and
 * return is compiled with general registers only.
 */
#include "desc.h"
#include "frame.h"

#include <arch/param.h>

    .text

/* The exceptions for which the processor pushes an error code: 8, 10-14, 17, 21, 29, 30. */
#define HAS_ERROR 0x60227d00 /* bit per exception */

    .balign TRAP_STUB_BYTES
    .globl  trap_stubs
trap_stubs:
    .set    vector, 0
    .rept   IDT_VECTORS
    .balign TRAP_STUB_BYTES
    .if     vector >= TRAP_VECTORS || ((HAS_ERROR >> (vector & 31)) & 1) == 0
    pushq   $0
    .endif
    pushq   $vector
    jmp     trap_common
    .set    vector, vector + 1
    .endr

    .type   trap_common, @function
trap_common:
    pushq   %rax
    pushq   %rbx
    pushq   %rcx
    pushq   %rdx
    pushq   %rsi
    pushq   %rdi
    pushq   %rbp
    pushq   %r8
    pushq   %r9
    pushq   %r10
    pushq   %r11
    pushq   %r12
    pushq   %r13
    pushq   %r14
    pushq   %r15
    cld                             /* C code expects it; iretq brings the old flags back */
    movq    %rsp, %rdi
    xorl    %ebp, %ebp              /* the handler's own backtrace ends here */
    call    trap_enter
    popq    %r15
    popq    %r14
    popq    %r13
    popq    %r12
    popq    %r11
    popq    %r10
    popq    %r9
    popq    %r8
    popq    %rbp
    popq    %rdi
    popq    %rsi
    popq    %rdx
    popq    %rcx
    popq    %rbx
    popq    %rax
    addq    $16, %rsp               /* vector, error code */
    iretq
    .size   trap_common, . - trap_common
