/*
 * Trap entry and return: one stub per entry of PALcode, and the common part that builds the
 * trap_frame of frame.h and calls trap_enter (trap.c) on the same stack.
 *
 * Saves every general register and nothing of the FPU: all code that runs between entry and
 * return is compiled with general registers only. (fp_arith.c, which completes floating point
 * instructions, brings the whole register file to memory and back by itself.)
 */
#include "frame.h"
#include "pal.h"

    .set    noat
    .set    noreorder
    .text

/* PALcode saved a0 to a2 and gp, and loaded gp with ours. */
#define STUB(name, number)                                                                         \
    .globl  name;                                                                                  \
    .type   name, @function;                                                                       \
name:                                                                                              \
    lda     $30, -FRAME_BYTES($30);                                                                \
    stq     $0, FRAME_R0($30);                                                                     \
    lda     $0, number($31);                                                                       \
    br      $31, trap_common;                                                                      \
    .size   name, . - name

    STUB(trap_arith, ENT_ARITH)
    STUB(trap_mm, ENT_MM)
    STUB(trap_if, ENT_IF)
    STUB(trap_una, ENT_UNA)
    STUB(trap_sys, ENT_SYS)
    STUB(trap_int, ENT_INT)

    .type   trap_common, @function
trap_common:
    stq     $0, FRAME_ENTRY($30)
    .irp    n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    stq     $\n, FRAME_R0 + 8 * \n ($30)
    .endr
    .irp    n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
    stq     $\n, FRAME_R19 + 8 * (\n - 19) ($30)
    .endr
    lda     $1, FRAME_BYTES + PAL_BYTES ($30)
    stq     $1, FRAME_SP($30)
    stq     $16, FRAME_ARG($30)
    stq     $17, FRAME_ARG + 8 ($30)
    stq     $18, FRAME_ARG + 16 ($30)
    mov     $30, $16
    ldq     $27, trap_enter($29)    !literal
    jsr     $26, ($27), 0
    mov     $30, $16
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    ldq     $\n, FRAME_R0 + 8 * \n ($16)
    .endr
    .irp    n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
    ldq     $\n, FRAME_R19 + 8 * (\n - 19) ($16)
    .endr
    ldq     $30, FRAME_SP($16)
    lda     $30, -PAL_BYTES($30)
    call_pal PAL_RTI                /* brings a0 to a2 and gp back */
    .size   trap_common, . - trap_common

/*
 * Interrupts. The clock's, when nobody wants more of it, only moves the base of the cycle counter
 * on (clock.c): in the three registers that PALcode has saved anyway, so that it costs what is
 * measured almost nothing. Then it comes to CPU 0 alone.
 */
    .globl  trap_interrupt
    .type   trap_interrupt, @function
trap_interrupt:
    subq    $16, 1, $16             /* type 1: clock */
    bne     $16, 1f
    ldq     $17, clock_wanted($29)  !literal
    ldl     $18, 0($17)
    bne     $18, 1f
    ldq     $17, arch_cycles_base($29) !literal
    ldq     $18, 0($17)
    rpcc    $16
    subq    $16, $18, $16
    zapnot  $16, 15, $16            /* 32 bits of it */
    addq    $18, $16, $18
    stq     $18, 0($17)
    call_pal PAL_RTI
1:  addq    $16, 1, $16
    br      $31, trap_int
    .size   trap_interrupt, . - trap_interrupt

/* void trap_set_gp(void): tells PALcode the global pointer that the stubs start with. */
    .globl  trap_set_gp
    .ent    trap_set_gp
trap_set_gp:
    ldgp    $29, 0($27)
    mov     $29, $16
    call_pal PAL_WRKGP
    ret     $31, ($26), 1
    .end    trap_set_gp

    .section .note.GNU-stack, "", @progbits
