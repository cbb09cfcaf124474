/*
 * panic: says everything that is known, and ends the boot. See panic.h.
 *
 * Uses kprintf and records only: no allocation, no newlib, no locks that could be held.
 */
#include "core/panic.h"

#include "arch.h"
#include "core/console.h"
#include "core/cpu.h"
#include "core/exit.h"
#include "core/kprintf.h"
#include "core/ktap.h"
#include "core/record.h"
#include "core/symbols.h"

#include <stdarg.h>

#define BACKTRACE_MAX 512 /* a recursion that fills a stack is longer: its end is cut */

static char context[128];
static uint32_t reporter; /* CPU number + 1 of the first panic's; 0: none */
static unsigned panics;   /* of that CPU: 2 and more while the first one is being reported */

void panic_context(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    kvsnprintf(context, sizeof(context), fmt, ap);
    va_end(ap);
}

/*
 * A panic while reporting one leaves at once; one while leaving stops the CPU. Of several CPUs the
 * first one reports and stops the others, wherever they are.
 */
static void count_panic(const char *reason)
{
    if (!compare_exchange(&reporter, 0, cpu_id() + 1) && load_once(&reporter) != cpu_id() + 1)
        arch_halt();
    panics++;
    if (panics == 1) {
        arch_cpus_stop();
        console_seize();
        return;
    }
    if (panics == 2) {
        kprintf("\n# panic inside panic: %s\n", reason);
        exit_machine(false);
    }
    arch_halt();
}

/* Calls of a function by itself, through one call, are one line. */
static void print_backtrace(const struct trap_frame *f)
{
    static uintptr_t pc[BACKTRACE_MAX]; /* not on the stack, which may be nearly full */
    unsigned n = arch_backtrace(f, pc, BACKTRACE_MAX);

    kprintf("# backtrace:\n");
    for (unsigned i = 0, same; i < n; i += same) {
        char name[96];
        for (same = 1; i + same < n && pc[i + same] == pc[i]; same++)
            ;
        /* A return address belongs to the call before it, which may be a function's last. */
        bool interrupted = f && i == 0;
        symbol_format(name, sizeof(name), interrupted ? pc[i] : pc[i] - 1);
        kprintf("#   %016lx %s", (unsigned long)pc[i], name);
        if (same > 1)
            kprintf(" (%u times)", same);
        kprintf("\n");
    }
    if (n == BACKTRACE_MAX)
        kprintf("#   ...\n");
}

/* What a record can hold of the reason: 120 bytes, nothing in them that needs an escape. */
static void record_reason(struct record *r, const char *reason)
{
    char text[121];
    ksnprintf(text, sizeof(text), "%s", reason);
    for (char *p = text; *p; p++)
        if (*p == '"' || *p == '\\' || (unsigned char)*p < ' ')
            *p = '\'';
    record_str(r, "reason", text);
}

/* Where the other CPUs were when they were stopped: the innermost functions, one line each. */
static void print_others(void)
{
    for (unsigned id = 0; id < cpus_running(); id++) {
        uintptr_t pc[CPU_PLACE_MAX];
        if (id == cpu_id())
            continue;
        unsigned n = cpu_place(id, pc);
        kprintf("# CPU %u:%s", id, n ? "" : " does not answer");
        for (unsigned i = 0; i < n; i++) {
            char name[64];
            symbol_format(name, sizeof(name), i ? pc[i] - 1 : pc[i]);
            kprintf(" %s", name);
        }
        kprintf("\n");
    }
}

static void __attribute__((noreturn)) finish(const char *reason, struct trap_frame *f)
{
    print_backtrace(f);
    print_others();
    struct ktap_totals totals = ktap_totals();
    struct record r;
    record_begin(&r, "end");
    record_str(&r, "verdict", "panic");
    record_u64(&r, "passed", totals.passed);
    record_u64(&r, "failed", totals.failed);
    record_u64(&r, "skipped", totals.skipped);
    record_reason(&r, reason);
    record_end(&r);
    exit_machine(false);
}

static void print_reason(const char *reason)
{
    kprintf("%s# panic: %s\n", console_at_line_start() ? "" : "\n", reason);
    if (cpus_running() > 1)
        kprintf("# on CPU %u of %u\n", cpu_id(), cpus_running());
    if (context[0])
        kprintf("# running: %s\n", context);
}

void panic(const char *fmt, ...)
{
    char reason[256];
    va_list ap;
    va_start(ap, fmt);
    kvsnprintf(reason, sizeof(reason), fmt, ap);
    va_end(ap);

    count_panic(reason);
    print_reason(reason);
    finish(reason, NULL);
}

void panic_frame(struct trap_frame *f, const char *fmt, ...)
{
    char reason[160];
    va_list ap;
    va_start(ap, fmt);
    kvsnprintf(reason, sizeof(reason), fmt, ap);
    va_end(ap);

    count_panic(reason);
    print_reason(reason);
    arch_trap_print(f);
    finish(reason, f);
}

void panic_trap(const struct trap_info *t, struct trap_frame *f)
{
    char reason[160], where[96];
    symbol_format(where, sizeof(where), t->pc);
    if (t->kind == TRAP_PAGE_FAULT)
        ksnprintf(reason, sizeof(reason), "%.40s: %s 0x%lx%s at %.70s", t->name,
                  t->exec    ? "execute"
                  : t->write ? "write"
                             : "read",
                  (unsigned long)t->address, t->present ? " (protected)" : "", where);
    else
        ksnprintf(reason, sizeof(reason), "%.40s at %.70s", t->name, where);

    count_panic(reason);
    print_reason(reason);
    arch_trap_print(f);
    finish(reason, f);
}
