/*
 * Traps in C: describes what happened to the machine-independent kernel, and does what it says.
 *
 * trap_enter is called by trap_entry.S only, on the interrupted stack. It must not touch the FPU
 * and must not use newlib.
 */
#include "trap.h"

#include "arch.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "fp_arith.h"
#include "frame.h"
#include "interrupt.h"
#include "pal.h"
#include "perfmon.h"

/* entMM, a1: what was wrong; a2: what was tried. */
#define MM_NOT_VALID 0
#define MM_FETCH     UINT64_MAX
#define MM_STORE     1

/* entIF, a0. */
enum { IF_BPT, IF_BUGCHECK, IF_GENTRAP, IF_FPU_OFF, IF_OPCODE };

/* entInt, a0. */
#define INT_MACHINE_CHECK 2
#define INT_PERFMON       4 /* a2: which counter */

/* gentrap codes (Alpha calling standard), in a0 of the code that trapped. */
#define GEN_INT_OVERFLOW UINT64_C(-1)
#define GEN_INT_DIVIDE   UINT64_C(-2)

static const char *const mm_names[] = {"translation not valid", "access violation", "fault on read",
                                       "fault on execute", "fault on write"};
static const char *const if_names[] = {"breakpoint", "bugcheck", "gentrap",
                                       "floating point disabled", "opcode not valid"};
static const char *const int_names[] = {"interrupt from a CPU", "clock interrupt", "machine check",
                                        "device interrupt", "performance counter interrupt"};

static const char *pick(const char *const *names, size_t n, uint64_t i)
{
    return i < n ? names[i] : "unknown trap";
}

static void describe_if(struct trap_info *t, const struct trap_frame *f)
{
    uint64_t type = f->arg[0];

    t->name = pick(if_names, ARRAY_SIZE(if_names), type);
    t->kind = type == IF_OPCODE ? TRAP_ILLEGAL : type == IF_FPU_OFF ? TRAP_OTHER : TRAP_BREAK;
    if (type != IF_GENTRAP)
        return;
    if (f->pal.r16 == GEN_INT_DIVIDE) {
        t->kind = TRAP_ARITH;
        t->name = "integer divide by zero";
    } else if (f->pal.r16 == GEN_INT_OVERFLOW) {
        t->kind = TRAP_ARITH;
        t->name = "integer overflow";
    }
}

static struct trap_info describe(const struct trap_frame *f)
{
    struct trap_info t = {.kind = TRAP_OTHER, .pc = f->pal.pc};
    uint64_t code = 0; /* kept in the vector's low digit */

    switch (f->entry) {
    case ENT_MM:
        code = f->arg[1];
        t.kind = TRAP_PAGE_FAULT;
        t.name = pick(mm_names, ARRAY_SIZE(mm_names), code);
        t.address = f->arg[0];
        t.present = code != MM_NOT_VALID;
        t.write = f->arg[2] == MM_STORE;
        t.exec = f->arg[2] == MM_FETCH;
        break;
    case ENT_IF:
        code = f->arg[0];
        describe_if(&t, f);
        break;
    case ENT_ARITH:
        t.kind = TRAP_ARITH;
        t.name = fp_arith_name(f->arg[0]);
        break;
    case ENT_UNA:
        t.kind = TRAP_ALIGN;
        t.name = "unaligned access";
        break;
    case ENT_INT:
        code = f->arg[0];
        t.name = pick(int_names, ARRAY_SIZE(int_names), code);
        t.fatal = code == INT_MACHINE_CHECK;
        break;
    default:
        t.name = "system call";
        break;
    }
    t.vector = TRAP_VECTOR(f->entry, code);
    return t;
}

void trap_enter(struct trap_frame *f)
{
    if (f->entry == ENT_ARITH && fp_arith_complete(f))
        return;
    if (f->entry == ENT_INT && f->arg[0] == INT_PERFMON) {
        perfmon_overflow(f->arg[2]);
        return;
    }
    if (f->entry == ENT_INT && interrupt_enter(f))
        return;

    struct trap_info t = describe(f);

    if (!trap_handle(&t, f))
        panic_trap(&t, f);
}

void arch_trap_redirect(struct trap_frame *f, uintptr_t pc, uintptr_t sp)
{
    struct pal_frame *to = (struct pal_frame *)(sp - sizeof(struct pal_frame));

    *to = f->pal;
    to->pc = pc;
    f->sp = sp;
    f->r19[27 - 19] = pc; /* a procedure finds its own address there */
}

static uint64_t reg(const struct trap_frame *f, unsigned n)
{
    switch (n) {
    case 16:
        return f->pal.r16;
    case 17:
        return f->pal.r17;
    case 18:
        return f->pal.r18;
    case 29:
        return f->pal.gp;
    case 30:
        return f->sp;
    default:
        return n < 16 ? f->r0[n] : f->r19[n - 19];
    }
}

void arch_trap_print(const struct trap_frame *f)
{
    static const char names[31][3] = {"v0", "t0", "t1", "t2", "t3", "t4", "t5", "t6",
                                      "t7", "s0", "s1", "s2", "s3", "s4", "s5", "s6",
                                      "a0", "a1", "a2", "a3", "a4", "a5", "t8", "t9",
                                      "ta", "tb", "ra", "pv", "at", "gp", "sp"};

    for (unsigned n = 0; n < ARRAY_SIZE(names); n++)
        kprintf("%s %s %016lx%s", n % 3 ? "" : "#", names[n], reg(f, n), n % 3 == 2 ? "\n" : "");
    kprintf(" pc %016lx ps %lx\n", f->pal.pc, f->pal.ps);
    kprintf("# entry %lu: %016lx %016lx %016lx\n", f->entry, f->arg[0], f->arg[1], f->arg[2]);
}

/* ---- at boot ------------------------------------------------------------------------------- */

void trap_init(void)
{
    trap_set_gp();
    pal_wrent((uintptr_t)trap_interrupt, ENT_INT);
    pal_wrent((uintptr_t)trap_arith, ENT_ARITH);
    pal_wrent((uintptr_t)trap_mm, ENT_MM);
    pal_wrent((uintptr_t)trap_if, ENT_IF);
    pal_wrent((uintptr_t)trap_una, ENT_UNA);
    pal_wrent((uintptr_t)trap_sys, ENT_SYS);
}
