/*
 * trap_regs_probe(area): fills every register from area->in, stores v0 through a0 (which faults
 * once, see selftest_regs.c), and keeps what the registers hold afterwards in area->out.
 *
 * sp is a register too: it points to area while the trap is taken, so the handler works on the
 * stack that lies below area. Offsets: struct probe_area.
 */
#define IN_GPR   0
#define IN_FPR   256
#define OUT_GPR  512
#define OUT_FPR  768
#define KEPT_SP  1024
#define SAVE_BYTES 160

    .set    noat
    .set    noreorder
    .text
    .globl  trap_regs_probe
    .type   trap_regs_probe, @function
trap_regs_probe:
    lda     $30, -SAVE_BYTES($30)
    .irp    n, 9, 10, 11, 12, 13, 14, 15
    stq     $\n, 8 * (\n - 9) ($30)
    .endr
    stq     $26, 56($30)
    stq     $29, 64($30)
    .irp    n, 2, 3, 4, 5, 6, 7, 8, 9
    stt     $f\n, 72 + 8 * (\n - 2) ($30)
    .endr
    stq     $30, KEPT_SP($16)
    mov     $16, $30
    stq     $30, IN_GPR + 8 * 30 ($30)
    stq     $29, IN_GPR + 8 * 29 ($30) /* PALcode's own: it loads the kernel's at a trap */

    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
               23, 24, 25, 26, 27, 28, 29, 30
    ldt     $f\n, IN_FPR + 8 * \n ($30)
    .endr
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
               23, 24, 25, 26, 27, 28
    ldq     $\n, IN_GPR + 8 * \n ($30)
    .endr

    stq     $0, 0($16)

    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
               23, 24, 25, 26, 27, 28, 29, 30
    stq     $\n, OUT_GPR + 8 * \n ($30)
    .endr
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
               23, 24, 25, 26, 27, 28, 29, 30
    stt     $f\n, OUT_FPR + 8 * \n ($30)
    .endr

    ldq     $30, KEPT_SP($30)
    .irp    n, 9, 10, 11, 12, 13, 14, 15
    ldq     $\n, 8 * (\n - 9) ($30)
    .endr
    ldq     $26, 56($30)
    ldq     $29, 64($30)
    .irp    n, 2, 3, 4, 5, 6, 7, 8, 9
    ldt     $f\n, 72 + 8 * (\n - 2) ($30)
    .endr
    lda     $30, SAVE_BYTES($30)
    ret     $31, ($26), 1
    .size   trap_regs_probe, . - trap_regs_probe

    .section .note.GNU-stack, "", @progbits
