/*
 * void fp_regs_save(uint64_t r[32]), void fp_regs_load(const uint64_t r[32]): the floating point
 * registers to memory and back, bit by bit. f31 is zero and stays out.
 */
    .text
    .globl  fp_regs_save
    .type   fp_regs_save, @function
fp_regs_save:
    .irp    reg, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
                 23, 24, 25, 26, 27, 28, 29, 30
    stt     $f\reg, 8 * \reg ($16)
    .endr
    stq     $31, 8 * 31 ($16)
    ret     $31, ($26), 1
    .size   fp_regs_save, . - fp_regs_save

    .globl  fp_regs_load
    .type   fp_regs_load, @function
fp_regs_load:
    .irp    reg, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
                 23, 24, 25, 26, 27, 28, 29, 30
    ldt     $f\reg, 8 * \reg ($16)
    .endr
    ret     $31, ($26), 1
    .size   fp_regs_load, . - fp_regs_load

    .section .note.GNU-stack, "", @progbits
