/*
 * From 32-bit protected mode without paging to C in the high half, for every 32-bit boot path.
 *
 * In:   edi = enum boot_way, ebx = physical address of the loader's information,
 *       ebp = arch_load_delta, interrupts off. No stack is needed; nothing is returned to.
 * Out:  boot_main(way, info) on the boot stack, with long mode, SSE, write protection and, where
 *       the CPU has it, no-execute on, and these mappings, all writable and executable until
 *       arch_vm_init replaces them:
 *         first 4 GiB at 0 (needed while paging is turned on) and at ARCH_DIRECT
 *         1 GiB from arch_load_delta at LINK_BASE
 * Position independent: the physical address of a symbol is sym - LINK_BASE + ebp.
 */
#include <arch/param.h>

#define PHYS(sym) ((sym) - LINK_BASE)(%ebp)

#define PTE_TABLE 0x003             /* present, writable */
#define PTE_LARGE 0x083             /* present, writable, 2M */

/* PG WP NE ET MP PE: FPU usable, and ring 0 obeys read-only pages. */
#define CR0_VALUE 0x80010033
/* OSXMMEXCPT OSFXSR PGE MCE PAE. All else off: CET, PKE, five levels, whatever firmware had on. */
#define CR4_VALUE 0x6e0

#define MSR_EFER  0xc0000080
#define EFER_LME  0x100
#define EFER_NXE  0x800

    .section .text.boot, "ax"
    .code32
    .globl  boot32_common
    .type   boot32_common, @function
boot32_common:
    leal    PHYS(boot_stack_top), %esp

    /* Without long mode: say so on COM1 and stop. */
    movl    %ebx, %esi              /* cpuid takes ebx */
    movl    $0x80000000, %eax
    cpuid
    cmpl    $0x80000001, %eax
    jb      no_long_mode
    movl    $0x80000001, %eax
    cpuid
    btl     $29, %edx
    jnc     no_long_mode
    pushl   %edx                    /* bit 20: no-execute */

    /* Four page directories of 2M pages: the first 4 GiB (ARCH_EARLY_MAP). */
    leal    PHYS(boot_pd), %ebx
    movl    $PTE_LARGE, %eax
    xorl    %ecx, %ecx
1:  movl    %eax, (%ebx,%ecx,8)
    addl    $LARGE_PAGE_SIZE, %eax
    incl    %ecx
    cmpl    $2048, %ecx
    jb      1b

    /* One for the image, from wherever it lies. */
    leal    PHYS(boot_pd_image), %ebx
    leal    PTE_LARGE(%ebp), %eax
    xorl    %ecx, %ecx
1:  movl    %eax, (%ebx,%ecx,8)
    addl    $LARGE_PAGE_SIZE, %eax
    incl    %ecx
    cmpl    $512, %ecx
    jb      1b

    /* Their parents: slots of the root are 39 bits wide, slots below it 30. */
    leal    (PTE_TABLE + boot_pd_image - LINK_BASE)(%ebp), %eax
    movl    %eax, PHYS(boot_pdpt_image + 8 * 510)
    leal    PHYS(boot_pdpt), %ebx
    leal    (PTE_TABLE + boot_pd - LINK_BASE)(%ebp), %eax
    xorl    %ecx, %ecx
1:  movl    %eax, (%ebx,%ecx,8)
    addl    $PAGE_SIZE, %eax
    incl    %ecx
    cmpl    $4, %ecx
    jb      1b
    leal    (PTE_TABLE + boot_pdpt - LINK_BASE)(%ebp), %eax
    movl    %eax, PHYS(boot_pml4)
    movl    %eax, PHYS(boot_pml4 + 8 * 256)
    leal    (PTE_TABLE + boot_pdpt_image - LINK_BASE)(%ebp), %eax
    movl    %eax, PHYS(boot_pml4 + 8 * 511)

    movl    $CR4_VALUE, %eax
    movl    %eax, %cr4
    leal    PHYS(boot_pml4), %eax
    movl    %eax, %cr3
    popl    %ebx
    movl    $MSR_EFER, %ecx
    rdmsr
    orl     $EFER_LME, %eax
    btl     $20, %ebx
    jnc     1f
    orl     $EFER_NXE, %eax
1:  wrmsr
    movl    $CR0_VALUE, %eax
    movl    %eax, %cr0

    /* Compatibility mode now; a far return through our own descriptor makes it 64-bit. */
    leal    PHYS(boot_gdt), %eax
    movl    %eax, PHYS(boot_gdt_pointer + 2)
    lgdt    PHYS(boot_gdt_pointer)
    pushl   $8
    leal    PHYS(boot64_low), %eax
    pushl   %eax
    lret

    .code64
boot64_low:
    movabsq $boot64_high, %rax
    jmpq    *%rax
boot64_high:
    movl    $16, %eax
    movl    %eax, %ds
    movl    %eax, %es
    movl    %eax, %ss
    xorl    %eax, %eax
    movl    %eax, %fs
    movl    %eax, %gs
    leaq    boot_stack_top(%rip), %rsp
    movl    %ebp, %ebp              /* zero-extends, as do edi and esi below */
    movq    %rbp, arch_load_delta(%rip)
    movl    %edi, %edi
    movl    %esi, %esi
    xorl    %ebp, %ebp              /* backtraces end here */
    call    boot_main
    ud2
    .size   boot32_common, . - boot32_common

    .code32
no_long_mode:
    leal    PHYS(no_long_mode_text), %esi
1:  lodsb
    testb   %al, %al
    jz      3f
    movb    %al, %bl
    movl    $100000, %ecx           /* polls: about 100 ms; a byte takes 0.1 ms at 115200 baud */
    movl    $0x3fd, %edx            /* COM1 line status */
2:  inb     %dx, %al
    testb   $0x20, %al
    loopz   2b
    movb    %bl, %al
    movl    $0x3f8, %edx
    outb    %al, %dx
    jmp     1b
3:  hlt
    jmp     3b

    .section .rodata.boot, "a"
no_long_mode_text:
    .asciz  "# tintype: this CPU has no 64-bit mode\r\n"

    .section .data.boot, "aw"
    .balign 8
boot_gdt:
    .quad   0
    .quad   0x00af9b000000ffff      /* 8: code, 64-bit, ring 0, accessed */
    .quad   0x00cf93000000ffff      /* 16: data */
boot_gdt_pointer:
    .word   . - boot_gdt - 1
    .long   0                       /* filled in before use */

    .globl  arch_load_delta
    .balign 8
arch_load_delta:
    .quad   0

    .section .bss.boot, "aw", @nobits
    .balign PAGE_SIZE
boot_pml4:
    .skip   PAGE_SIZE
boot_pdpt:
    .skip   PAGE_SIZE
boot_pdpt_image:
    .skip   PAGE_SIZE
boot_pd_image:
    .skip   PAGE_SIZE
boot_pd:
    .skip   4 * PAGE_SIZE
