/*
 * Start of the model's test guest on Alpha: global pointer, a stack of our own, then
 * guest_main(command line). QEMU leaves the command line 0x6000 below the image.
 */
        .section .note.GNU-stack, "", @progbits
        .text
        .globl _start
        .ent _start
_start:
        br $27, 1f
1:      ldgp $29, 0($27)
        lda $30, stack_top
        lda $16, -1024                  /* 0xfffffc000030a000 */
        sll $16, 32, $16
        ldah $16, 0x31($16)
        lda $16, -0x6000($16)
        jsr $26, guest_main
2:      br 2b
        .end _start

        .bss
        .balign 8192
        .skip 16384
stack_top:
