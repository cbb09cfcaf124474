/*
 * Traps: who is asked, and how a guarded call ends early. See trap.h.
 *
 * Compiled with general registers only: the interrupted code's floating point state is untouched.
 * One CPU, interrupts off.
 */
#include "core/trap.h"

#include "core/panic.h"

#include <arch/param.h>

#define GUARD_DEPTH 4

/*
 * A guarded call in progress. The trap handler cannot jump out of itself: it makes the
 * interrupted code continue in land(), on a small stack of the guard's own (the interrupted one
 * may be what is broken), and land() jumps back into trap_guard.
 */
struct guard {
    struct guard *outer;
    unsigned depth;
    struct trap_info *info;
    void *jump[5]; /* __builtin_setjmp's */
    unsigned char stack[512] __attribute__((aligned(16)));
};

static struct guard *innermost;
static struct guard *landing; /* whose call ends; set by the handler, read by land() */
static fault_hook hook;
static void *hook_arg;
static bool in_hook; /* a fault of the hook's own is not its to handle */
static uint64_t counts[TRAP_OTHER + 1];

void trap_set_fault_hook(fault_hook new_hook, void *arg)
{
    hook = new_hook;
    hook_arg = arg;
}

uint64_t trap_count(enum trap_kind kind)
{
    return counts[kind];
}

static bool ask_hook(const struct trap_info *t)
{
    if (t->kind != TRAP_PAGE_FAULT || !hook || in_hook)
        return false;
    if (t->address < ARCH_WINDOW || t->address >= ARCH_WINDOW_END)
        return false;
    in_hook = true;
    bool handled = hook(t, hook_arg);
    in_hook = false;
    return handled;
}

static void __attribute__((noreturn)) land(void)
{
    __builtin_longjmp(landing->jump, 1);
}

bool trap_handle(const struct trap_info *t, struct trap_frame *f)
{
    counts[t->kind]++;
    if (ask_hook(t))
        return true;
    if (!innermost || t->fatal)
        return false;
    landing = innermost;
    innermost = landing->outer;
    in_hook = false;
    *landing->info = *t;
    arch_trap_redirect(f, (uintptr_t)land, (uintptr_t)(landing->stack + sizeof(landing->stack)));
    return true;
}

/* Not inlined: a function that __builtin_setjmp returns to twice keeps to its own frame. */
__attribute__((noinline)) bool trap_guard(void (*fn)(void *arg), void *arg, struct trap_info *t)
{
    struct guard g = {.outer = innermost, .depth = innermost ? innermost->depth + 1 : 1, .info = t};

    if (g.depth > GUARD_DEPTH)
        panic("trap_guard: nested more than %d deep", GUARD_DEPTH);
    if (__builtin_setjmp(g.jump))
        return false;
    innermost = &g;
    fn(arg);
    innermost = g.outer;
    return true;
}
