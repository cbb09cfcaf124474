/*
 * The emptiest kernel that QEMU's Alpha firmware enters: one byte to COM1, then halt.
 *
 * What empty_x86_64.S is there: the time that QEMU and its firmware take, for `make bench`.
 */
        .text
        .globl  start
        .ent    start
start:  .frame  $30, 0, $26
        unop                            /* aligns the word behind the branch */
        br      $2, 1f
        .quad   0xfffffd01fc0003f8      /* COM1 behind the Tsunami chipset (<arch/io.h>) */
1:      ldq     $1, 0($2)
        lda     $3, 'E'
        stb     $3, 0($1)
        mb
        lda     $3, '\n'
        stb     $3, 0($1)
        mb
        call_pal 0                      /* halt: QEMU ends with status 0 */
2:      br      2b
        .end    start
