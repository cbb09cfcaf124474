/*
 * Where a secondary CPU leaves the console (CPU_restart of the HWRPB): in kernel mode, interrupts
 * held back, with the stack and the page tables of its slot's context block.
 */
    .text
    .globl  cpu_restart
    .ent    cpu_restart
cpu_restart:
    br      $27, 1f
1:  ldgp    $29, 0($27)
    mov     $31, $15
    ldq     $27, cpu_restarted($29) !literal
    jsr     $26, ($27)
2:  br      2b
    .end    cpu_restart
    .section .note.GNU-stack, "", @progbits
