/*
 * A boot loader's last instructions, for tests: enters the kernel as a loader with these habits would.
 *
 * Started by QEMU as a PVH kernel (32-bit, paging off), at BASE. MODE is 32, or 48 or 57 for long mode
 * with four or five levels of page tables and the first 4 GiB mapped one to one. Then EAX and EBX are
 * loaded and TARGET is jumped to, without a stack, and with junk in all else.
 */
#define AT(label) (BASE + (label) - start)

#define CR4_PAE   0x20
#define CR4_LA57  0x1000
#define MSR_EFER  0xc0000080
#define JUNK      0xfeedface

    .text
    .code32
    .globl  start
start:
    cli
#if MODE == 32
    movl    $EAX, %eax
    movl    $EBX, %ebx
    movl    $JUNK, %ecx
    movl    %ecx, %edx
    movl    %ecx, %esi
    movl    %ecx, %edi
    movl    %ecx, %ebp
    movl    %ecx, %esp
    std                             /* no loader promises the direction flag */
    ljmp    *target - start + BASE
    .balign 4
target:
    .long   TARGET
    .short  0x8                     /* Xen's and QEMU's code segment */
#else
#if MODE == 57
    movl    $CR4_PAE | CR4_LA57, %eax
    movl    $AT(pml5), %ecx
#else
    movl    $CR4_PAE, %eax
    movl    $AT(pml4), %ecx
#endif
    movl    %eax, %cr4
    movl    %ecx, %cr3
    movl    $MSR_EFER, %ecx
    rdmsr
    orl     $0x100, %eax
    wrmsr
    movl    %cr0, %eax
    orl     $0x80000000, %eax
    movl    %eax, %cr0
    lgdt    gdt_pointer - start + BASE
    ljmp    $8, $AT(long_mode)

    .code64
long_mode:
    movl    $EAX, %eax
    movl    $EBX, %ebx
    movl    $JUNK, %ecx
    movq    %rcx, %rdx
    movq    %rcx, %rsi
    movq    %rcx, %rdi
    movq    %rcx, %rbp
    movq    %rcx, %rsp
    movl    $TARGET, %ecx
    std
    jmpq    *%rcx

    .balign 8
gdt:
    .quad   0, 0x00af9b000000ffff
gdt_pointer:
    .word   15
    .long   AT(gdt)

    .balign 4096
pml5:
    .quad   AT(pml4) + 3
    .balign 4096
pml4:
    .quad   AT(pdpt) + 3
    .balign 4096
pdpt:
    .quad   0x00000083, 0x40000083, 0x80000083, 0xc0000083 /* 1 GiB each */
    .balign 4096
#endif
