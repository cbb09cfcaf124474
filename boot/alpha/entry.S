/*
 * _start: where the firmware (QEMU's, or a boot loader on SRM) enters the image, in kernel mode at
 * IPL 7, with .bss cleared by the loader.
 *
 * Sets the global pointer, leaves the firmware's small stack for ours, and calls boot_main with
 * the image's lowest address, below which the loader put the command line.
 */
    .section .text.boot, "ax", @progbits
    .globl  _start
    .ent    _start
    .type   _start, @function
_start:
    br      $27, 1f
1:  ldgp    $29, 0($27)
    lda     $30, boot_stack
    ldah    $30, 1($30)             /* BOOT_STACK_BYTES */
    mov     $31, $15
    lda     $16, __image_start
    jsr     $26, boot_main
2:  br      2b
    .end    _start
    .section .note.GNU-stack, "", @progbits
