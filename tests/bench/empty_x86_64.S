/*
 * The emptiest kernel that QEMU boots by PVH: one byte to COM1, then leave by isa-debug-exit.
 *
 * What it costs to start QEMU and its firmware at all; `make bench` prints Tintype's time to its
 * first experiment record beside it.
 */
        .section .note.pvh, "a", @note
        .long 4, 4, 18          /* namesz, descsz, XEN_ELFNOTE_PHYS32_ENTRY */
        .asciz "Xen"
        .long start

        .code32
        .text
        .globl start
start:  mov $0x3f8, %dx
        mov $'E', %al
        out %al, %dx
        mov $'\n', %al
        out %al, %dx
        mov $0xf4, %dx
        mov $0x10, %al          /* status 33 */
        out %al, %dx
1:      hlt
        jmp 1b
