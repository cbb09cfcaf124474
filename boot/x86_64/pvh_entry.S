/*
 * PVH entry: where QEMU's -kernel and Xen start us (32-bit, paging off, ebx = hvm_start_info).
 *
 * The ELF note tells the loader the physical address of pvh_entry. The code here only checks that
 * ebx points to a start info, and finds out where the image was loaded; boot32_common does the rest.
 */
#include <arch/param.h>

#define PVH_START_MAGIC 0x336ec578

    .section .note.Xen, "a", @note
    .balign 4
    .long   4                       /* name size, with its NUL */
    .long   8                       /* size of the address */
    .long   18                      /* XEN_ELFNOTE_PHYS32_ENTRY */
    .asciz  "Xen"
    .quad   pvh_entry - LINK_BASE

    .section .text.boot, "ax"
    .code32
    .globl  pvh_entry
    .type   pvh_entry, @function
pvh_entry:
    cli
    cld
    cmpl    $PVH_START_MAGIC, (%ebx)
    jne     1f

    /*
     * Where are we? A call tells, but there is no stack yet: borrow the start info's first word,
     * the magic just seen, and put it back.
     */
    leal    4(%ebx), %esp
    call    0f
0:  popl    %ebp
    movl    $PVH_START_MAGIC, (%ebx)
    subl    $(0b - LINK_BASE), %ebp /* ebp: arch_load_delta */
    xorl    %edi, %edi              /* BOOT_PVH */
    jmp     boot32_common

    /* Not a start info: nobody to tell, and no memory known to be ours. */
1:  hlt
    jmp     1b
    .size   pvh_entry, . - pvh_entry
