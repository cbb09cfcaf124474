/* The kernel inside the loader: EMBED names its file; without it there is none, an empty range. */
    .section .rodata, "a"
    .balign 16
    .globl  embedded_kernel
    .hidden embedded_kernel
embedded_kernel:
#ifdef EMBED
    .incbin EMBED
#endif
    .globl  embedded_kernel_end
    .hidden embedded_kernel_end
embedded_kernel_end:
    .byte   0

    .section .note.GNU-stack, "", @progbits
