/*
 * Exceptions in C (interrupts are handed on to lapic.c): describes what happened to the
 * machine-independent kernel, and does what it says.
 *
 * trap_enter is called by trap_entry.S only, with interrupts off, on the interrupted stack (own
 * stacks for #DF, NMI and #MC). It must not touch the FPU and must not use newlib.
 */
#include "arch.h"
#include "core/cpu.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "core/watchdog.h"
#include "cpu_state.h"
#include "desc.h"
#include "frame.h"
#include "lapic.h"
#include "regs.h"
#include "smp.h"
#include "watchdog_nmi.h"

/* Error code of a page fault. */
#define FAULT_PRESENT 0x01
#define FAULT_WRITE   0x02
#define FAULT_FETCH   0x10

#define RFLAGS_DF (1u << 10)
#define RFLAGS_TF (1u << 8)

static const char *const names[TRAP_VECTORS] = {
    "#DE divide error",
    "#DB debug",
    "NMI",
    "#BP breakpoint",
    "#OF overflow",
    "#BR bound range",
    "#UD invalid opcode",
    "#NM no FPU",
    "#DF double fault",
    "coprocessor overrun",
    "#TS invalid TSS",
    "#NP segment not present",
    "#SS stack segment",
    "#GP general protection",
    "#PF page fault",
    "reserved 15",
    "#MF x87 error",
    "#AC alignment check",
    "#MC machine check",
    "#XM SIMD error",
    "#VE virtualization",
    "#CP control protection",
    [28] = "#HV hypervisor injection",
    [29] = "#VC VMM communication",
    [30] = "#SX security",
};

/* They strike anywhere, or leave nothing to go back to; the ones with stacks of their own. */
static bool is_fatal(uint64_t vector)
{
    return vector == VECTOR_NMI || vector == VECTOR_DOUBLE_FAULT || vector == VECTOR_MACHINE_CHECK;
}

static enum trap_kind kind_of(uint64_t vector)
{
    switch (vector) {
    case 0:
    case 16:
    case 19:
        return TRAP_ARITH;
    case 1:
    case 3:
        return TRAP_BREAK;
    case 6:
        return TRAP_ILLEGAL;
    case VECTOR_PAGE_FAULT:
        return TRAP_PAGE_FAULT;
    case 17:
        return TRAP_ALIGN;
    default:
        return TRAP_OTHER;
    }
}

void trap_enter(struct trap_frame *f);

void trap_enter(struct trap_frame *f)
{
    if (f->vector >= TRAP_VECTORS) {
        interrupt_enter(f);
        return;
    }
    if (f->vector == VECTOR_NMI && cpu_stop_asked()) {
        cpu_stopped(f);
        arch_halt();
    }
    if (f->vector == VECTOR_NMI && watchdog_owns_nmi()) {
        watchdog_tick(f);
        return;
    }

    struct trap_info t = {
        .kind = kind_of(f->vector),
        .vector = (unsigned)f->vector,
        .name = names[f->vector] ? names[f->vector] : "reserved exception",
        .pc = f->rip,
        .fatal = is_fatal(f->vector),
    };

    if (t.kind == TRAP_PAGE_FAULT) {
        t.address = read_cr2();
        t.present = f->error & FAULT_PRESENT;
        t.write = f->error & FAULT_WRITE;
        t.exec = f->error & FAULT_FETCH;
    }
    if (!trap_handle(&t, f))
        panic_trap(&t, f);
}

void arch_trap_redirect(struct trap_frame *f, uintptr_t pc, uintptr_t sp)
{
    f->rip = pc;
    f->rsp = sp;
    f->rflags &= ~(uint64_t)(RFLAGS_DF | RFLAGS_TF);
}

void arch_trap_print(const struct trap_frame *f)
{
    kprintf("# rax %016lx rbx %016lx rcx %016lx\n", f->rax, f->rbx, f->rcx);
    kprintf("# rdx %016lx rsi %016lx rdi %016lx\n", f->rdx, f->rsi, f->rdi);
    kprintf("# rbp %016lx rsp %016lx rip %016lx\n", f->rbp, f->rsp, f->rip);
    kprintf("# r8  %016lx r9  %016lx r10 %016lx\n", f->r8, f->r9, f->r10);
    kprintf("# r11 %016lx r12 %016lx r13 %016lx\n", f->r11, f->r12, f->r13);
    kprintf("# r14 %016lx r15 %016lx cr2 %016lx\n", f->r14, f->r15, read_cr2());
    kprintf("# cr0 %016lx cr3 %016lx efl %016lx\n", read_cr0(), read_cr3(), f->rflags);
    kprintf("# cs %04lx ss %04lx vector %lu error %lx\n", f->cs, f->ss, f->vector, f->error);
    if (f->vector == VECTOR_MACHINE_CHECK)
        machine_check_print();
}
