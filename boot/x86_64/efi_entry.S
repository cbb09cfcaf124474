/*
 * Where our EFI loader (boot/efi) enters: 64-bit, on the firmware's page tables, boot services left.
 *
 * In:   eax = MB2_BOOT_MAGIC, rbx = Multiboot2 information; it and the image below 4 GiB.
 * Out:  boot32_common, in 32-bit mode with paging off. The way down is the point: only without
 *       paging can five-level tables be given up, which firmware may have on, and the rest
 *       of the way is then the one of every other loader.
 */
#include <arch/param.h>

#include "multiboot2.h"

#define CR0_PG    0x80000000
#define CR4_KEEP  0x1020            /* LA57, PAE: cannot change in 64-bit mode */

#define MSR_EFER  0xc0000080
#define EFER_LME  0x100

    .section .text.boot, "ax"
    .code64
    .globl  efi_entry
    .type   efi_entry, @function
efi_entry:
    cli
    cld
    cmpl    $MB2_BOOT_MAGIC, %eax
    jne     1f
    leaq    efi_entry(%rip), %rbp
    subq    $(efi_entry - LINK_BASE), %rbp /* rbp: arch_load_delta */
    leaq    boot_stack_top(%rip), %rsp

    /* Off with what would forbid to turn paging off (PCIDE) or need it (CET, PKE). */
    movq    %cr4, %rax
    andl    $CR4_KEEP, %eax
    movq    %rax, %cr4

    leaq    efi_gdt(%rip), %rax
    movq    %rax, efi_gdt_pointer + 2(%rip)
    lgdt    efi_gdt_pointer(%rip)
    pushq   $8
    leaq    efi_compatible(%rip), %rax
    pushq   %rax
    lretq

    .code32
efi_compatible:
    movl    $16, %eax
    movl    %eax, %ds
    movl    %eax, %es
    movl    %eax, %ss
    movl    %cr0, %eax
    andl    $~CR0_PG, %eax
    movl    %eax, %cr0
    movl    $MSR_EFER, %ecx
    rdmsr
    andl    $~EFER_LME, %eax
    wrmsr
    movl    $2, %edi                /* BOOT_EFI */
    jmp     boot32_common

    /* Not our loader: nobody to tell. */
1:  hlt
    jmp     1b
    .size   efi_entry, . - efi_entry

    .section .data.boot, "aw"
    .balign 8
efi_gdt:
    .quad   0
    .quad   0x00cf9b000000ffff      /* 8: code, 32-bit, ring 0, accessed */
    .quad   0x00cf93000000ffff      /* 16: data */
efi_gdt_pointer:
    .word   . - efi_gdt - 1
    .quad   0                       /* filled in before use */
