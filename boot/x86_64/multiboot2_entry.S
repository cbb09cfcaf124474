/*
 * Multiboot2: the header that GRUB looks for, and where it and other loaders enter (32-bit, paging
 * off, eax = magic, ebx = boot information).
 *
 * Tag 9 without tag 7: GRUB ignores it, leaves boot services itself and enters here even on UEFI,
 * with the firmware's map in tags 6 and 17. Our own EFI loader finds efi_entry by it. So one image
 * serves GRUB on BIOS and on UEFI, our loader, and PVH.
 */
#include <arch/param.h>

#include "multiboot2.h"

#define HEADER_BYTES (header_end - header)

    .section .multiboot2, "a"
    .balign 8
header:
    .long   MB2_HEADER_MAGIC
    .long   MB2_ARCH_I386
    .long   HEADER_BYTES
    .long   -(MB2_HEADER_MAGIC + MB2_ARCH_I386 + HEADER_BYTES)

    /* Any mode, or none: only a word to the person in front of the screen goes there. */
    .short  MB2_HEADER_FRAMEBUFFER, MB2_HEADER_OPTIONAL
    .long   20
    .long   0, 0, 0                 /* width, height, depth: no preference */
    .balign 8

    /* Modules on pages of their own. */
    .short  MB2_HEADER_ALIGN, 0
    .long   8

    .short  MB2_HEADER_ENTRY_EFI64, MB2_HEADER_OPTIONAL
    .long   12
    .long   efi_entry - LINK_BASE
    .balign 8

    /*
     * The firmware may own the place we are linked for (OVMF keeps ACPI NVS at 8 MiB). Up to 3 GiB:
     * no machine has RAM between there and its devices that GRUB could not find lower. The lowest
     * place is preferred, so that it is the same one from boot to boot.
     */
    .short  MB2_HEADER_RELOCATABLE, 0
    .long   24
    .long   LINK_PHYS               /* lowest */
    .long   0xc0000000              /* highest */
    .long   LARGE_PAGE_SIZE         /* alignment: the boot tables map it by 2M pages */
    .long   1                       /* preference: lowest */

    .short  MB2_HEADER_END, 0
    .long   8
header_end:

    .section .text.boot, "ax"
    .code32
    .globl  multiboot2_entry
    .type   multiboot2_entry, @function
multiboot2_entry:
    cli
    cld
    cmpl    $MB2_BOOT_MAGIC, %eax
    jne     1f

    /*
     * Where are we? A call tells, but there is no stack yet: borrow the information's reserved
     * word, which is zero, and put it back.
     */
    leal    8(%ebx), %esp
    call    0f
0:  popl    %ebp
    movl    $0, 4(%ebx)
    subl    $(0b - LINK_BASE), %ebp /* ebp: arch_load_delta */
    movl    $1, %edi                /* BOOT_MULTIBOOT2 */
    jmp     boot32_common

    /* Not Multiboot2: nobody to tell, and no memory known to be ours. */
1:  hlt
    jmp     1b
    .size   multiboot2_entry, . - multiboot2_entry
