/*
 * setjmp and longjmp for newlib's users: the registers that the calling standard preserves.
 *
 * jmp_buf (20 words, tools/newlib.sh): s0 to s6, ra, sp, f2 to f9. The rounding mode and other
 * contents of FPCR are not part of it.
 */
    .set    noat
    .text

    .globl  setjmp
    .type   setjmp, @function
setjmp:
    .irp    n, 9, 10, 11, 12, 13, 14, 15
    stq     $\n, 8 * (\n - 9) ($16)
    .endr
    stq     $26, 56($16)
    stq     $30, 64($16)
    .irp    n, 2, 3, 4, 5, 6, 7, 8, 9
    stt     $f\n, 72 + 8 * (\n - 2) ($16)
    .endr
    mov     $31, $0
    ret     $31, ($26), 1
    .size   setjmp, . - setjmp

    .globl  longjmp
    .type   longjmp, @function
longjmp:
    .irp    n, 9, 10, 11, 12, 13, 14, 15
    ldq     $\n, 8 * (\n - 9) ($16)
    .endr
    ldq     $26, 56($16)
    ldq     $30, 64($16)
    .irp    n, 2, 3, 4, 5, 6, 7, 8, 9
    ldt     $f\n, 72 + 8 * (\n - 2) ($16)
    .endr
    addl    $17, 0, $0
    cmoveq  $0, 1, $0               /* longjmp(b, 0) makes setjmp return 1 */
    ret     $31, ($26), 1           /* setjmp's caller reloads gp from ra */
    .size   longjmp, . - longjmp

    .section .note.GNU-stack, "", @progbits
