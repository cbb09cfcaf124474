/*
 * Integer division, which Alpha's instruction set does not have: what the compiler calls for / and
 * %, with its special convention. Arguments in $24 and $25, result in $27, return through $23;
 * only $23, $27 and $28 may change.
 *
 * One step per bit of the quotient: the divisor is first shifted up as far as it is no more than
 * the dividend, by bytes, then by bits (ctlz would be quicker, and the 21264 has none). Division by zero raises gentrap with the calling standard's code, from
 * the caller's own frame, so that the report shows the caller.
 */
#include "pal.h"

#define GEN_INT_DIVIDE -2

#define SAVE_BYTES 48

    .set    noat
    .set    noreorder
    .text

/* Doubles $1 by so many bits while it is at most $0; counts the bits in $2. Uses $27, $28. */
.macro SHIFT_UP bits
    srl     $0, \bits, $28
1:  cmpule  $1, $28, $27            /* compared before the shift, which so loses no bit */
    beq     $27, 2f
    sll     $1, \bits, $1
    addq    $2, \bits, $2
    br      $31, 1b
2:
.endm

/* $0 dividend, $1 divisor, not 0; leaves the remainder in $0, the quotient in $27. Uses $2, $28. */
.macro UNSIGNED_STEPS
    mov     $31, $27
    cmpult  $0, $1, $28
    bne     $28, 4f
    mov     $31, $2
    SHIFT_UP 8
    SHIFT_UP 1
    mov     $31, $27
3:  addq    $27, $27, $27
    cmpule  $1, $0, $28
    bis     $27, $28, $27
    negq    $28, $28
    and     $1, $28, $28            /* the divisor, or 0 */
    subq    $0, $28, $0
    srl     $1, 1, $1
    subq    $2, 1, $2
    bge     $2, 3b
4:
.endm

/* bits 32 or 64; signed 0 or 1; want: quotient or remainder */
.macro DIVISION name, bits, signed, want
    .globl  \name
    .type   \name, @function
\name:
    .if     \bits == 32
    zapnot  $25, 15, $28
    bne     $28, 5f
    .else
    bne     $25, 5f
    .endif
    lda     $30, -16($30)           /* a0 carries the code */
    stq     $16, 0($30)
    lda     $16, GEN_INT_DIVIDE($31)
    call_pal PAL_GENTRAP
    ldq     $16, 0($30)
    lda     $30, 16($30)
    mov     $31, $27
    ret     $31, ($23), 1
5:  lda     $30, -SAVE_BYTES($30)
    stq     $0, 0($30)
    stq     $1, 8($30)
    stq     $2, 16($30)
    .if     \signed
    .if     \bits == 32
    addl    $24, 0, $0              /* the upper halves are not the caller's promise */
    addl    $25, 0, $1
    .else
    mov     $24, $0
    mov     $25, $1
    .endif
    /* Sign of the result: of the dividend for a remainder, of both for a quotient. */
    .ifc    \want, quotient
    xor     $0, $1, $28
    .else
    mov     $0, $28
    .endif
    stq     $28, 24($30)
    subq    $31, $0, $28
    cmovlt  $0, $28, $0
    subq    $31, $1, $28
    cmovlt  $1, $28, $1
    .else
    .if     \bits == 32
    zapnot  $24, 15, $0
    zapnot  $25, 15, $1
    .else
    mov     $24, $0
    mov     $25, $1
    .endif
    .endif
    UNSIGNED_STEPS
    .ifc    \want, remainder
    mov     $0, $27
    .endif
    .if     \signed
    ldq     $0, 24($30)
    subq    $31, $27, $28
    cmovlt  $0, $28, $27
    .endif
    .if     \bits == 32
    addl    $27, 0, $27             /* a longword in a register is always sign-extended */
    .endif
    ldq     $0, 0($30)
    ldq     $1, 8($30)
    ldq     $2, 16($30)
    lda     $30, SAVE_BYTES($30)
    ret     $31, ($23), 1
    .size   \name, . - \name
.endm

    DIVISION __divqu, 64, 0, quotient
    DIVISION __remqu, 64, 0, remainder
    DIVISION __divq, 64, 1, quotient
    DIVISION __remq, 64, 1, remainder
    DIVISION __divlu, 32, 0, quotient
    DIVISION __remlu, 32, 0, remainder
    DIVISION __divl, 32, 1, quotient
    DIVISION __reml, 32, 1, remainder

    .section .note.GNU-stack, "", @progbits
