/*
 * trap_regs_probe: fills every register from trap_regs_in, stores rax through rbx (which faults
 * once, see selftest_regs.c), and keeps what the registers hold afterwards in trap_regs_out.
 *
 * Both have the layout of struct probe_regs. mov leaves the flags alone, so that they can be
 * caught last. rsp is a register too: its value before goes into the input.
 */
#define GPR(n)   8 * (n)
#define IN(off)  trap_regs_in + (off)(%rip)
#define OUT(off) trap_regs_out + (off)(%rip)
#define RSP      GPR(15)
#define FLAGS    GPR(16)
#define XMM(n)   (GPR(18) + 16 * (n))

    .text
    .globl  trap_regs_probe
    .type   trap_regs_probe, @function
trap_regs_probe:
    pushq   %rbp
    movq    %rsp, %rbp
    pushq   %rbx
    pushq   %r12
    pushq   %r13
    pushq   %r14
    pushq   %r15
    pushfq
    movq    %rsp, IN(RSP)

    .set    i, 0
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movdqu  IN(XMM(\n)), %xmm\n
    .endr
    .irp    reg, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
    movq    IN(GPR(i)), %\reg
    .set    i, i + 1
    .endr
    pushq   IN(FLAGS)
    popfq

    movq    %rax, (%rbx)

    .set    i, 0
    .irp    reg, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15, rsp
    movq    %\reg, OUT(GPR(i))
    .set    i, i + 1
    .endr
    pushfq
    popq    OUT(FLAGS)
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movdqu  %xmm\n, OUT(XMM(\n))
    .endr

    movq    IN(RSP), %rsp           /* should the trap have lost it */
    popfq
    popq    %r15
    popq    %r14
    popq    %r13
    popq    %r12
    popq    %rbx
    popq    %rbp
    ret
    .size   trap_regs_probe, . - trap_regs_probe
