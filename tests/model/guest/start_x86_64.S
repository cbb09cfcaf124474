/*
 * Start of the model's test guest on x86: a PVH entry, the first GiB mapped one to one, long mode,
 * then guest_main(command line). Nothing else is set up: any exception ends QEMU (-no-reboot).
 */
        .section .note.GNU-stack, "", @progbits
        .section .note.Xen, "a", @note
        .long 4, 4, 18                  /* name, description, XEN_ELFNOTE_PHYS32_ENTRY */
        .asciz "Xen"
        .long pvh_entry

        .text
        .code32
        .globl pvh_entry
pvh_entry:
        mov 24(%ebx), %esi              /* start_info: physical address of the command line */
        mov $guest_pml4, %edi
        mov $guest_pdpt + 3, %eax
        mov %eax, (%edi)
        mov $guest_pd + 3, %eax
        mov %eax, guest_pdpt
        mov $0x83, %eax                 /* present, writable, 2 MiB */
        xor %ecx, %ecx
1:      mov %eax, guest_pd(,%ecx,8)
        add $0x200000, %eax
        inc %ecx
        cmp $512, %ecx
        jne 1b
        mov %edi, %cr3
        mov %cr4, %eax
        or $0x620, %eax                 /* PAE, and OSFXSR, OSXMMEXCPT for SSE */
        mov %eax, %cr4
        mov $0xc0000080, %ecx           /* EFER.LME */
        rdmsr
        or $0x100, %eax
        wrmsr
        mov %cr0, %eax
        and $~4, %eax                   /* EM off, MP and PG on */
        or $0x80000002, %eax
        mov %eax, %cr0
        lgdt gdt_pointer
        ljmp $8, $2f
        .code64
2:      mov $16, %eax
        mov %eax, %ds
        mov %eax, %es
        mov %eax, %ss
        mov $stack_top, %rsp
        mov %rsi, %rdi
        xor %ebp, %ebp
        call guest_main
3:      hlt
        jmp 3b

        .balign 8
gdt:    .quad 0, 0x00af9a000000ffff, 0x00cf92000000ffff
gdt_pointer:
        .word 23
        .long gdt

        .bss
        .balign 4096
        .globl guest_pml4, guest_pdpt, guest_pd
guest_pml4:     .skip 4096
guest_pdpt:     .skip 4096
guest_pd:       .skip 4096
        .skip 16384
stack_top:
