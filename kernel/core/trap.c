/*
 * Traps: who is asked, and how a guarded call ends early. See trap.h.
 *
 * Compiled with general registers only: the interrupted code's floating point state is untouched.
 * Everything here is the CPU's own: traps of different CPUs do not meet.
 */
#include "core/trap.h"

#include "core/cpu.h"
#include "core/panic.h"

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

struct trap_state {
    struct guard *innermost;
    struct guard *landing; /* whose call ends; set by the handler, read by land() */
    fault_hook hook;
    void *hook_arg;
    bool in_hook; /* a fault of the hook's own is not its to handle */
    uint64_t counts[TRAP_OTHER + 1];
};

static PER_CPU(struct trap_state, traps);

void trap_set_fault_hook(fault_hook new_hook, void *arg)
{
    this_of(traps).hook = new_hook;
    this_of(traps).hook_arg = arg;
}

uint64_t trap_count(enum trap_kind kind)
{
    return this_of(traps).counts[kind];
}

static bool ask_hook(struct trap_state *s, const struct trap_info *t)
{
    if (t->kind != TRAP_PAGE_FAULT || !s->hook || s->in_hook)
        return false;
    if (t->address < ARCH_WINDOW || t->address >= ARCH_WINDOW_END)
        return false;
    s->in_hook = true;
    bool handled = s->hook(t, s->hook_arg);
    s->in_hook = false;
    return handled;
}

static void __attribute__((noreturn)) land(void)
{
    __builtin_longjmp(this_of(traps).landing->jump, 1);
}

bool trap_handle(const struct trap_info *t, struct trap_frame *f)
{
    struct trap_state *s = &this_of(traps);

    s->counts[t->kind]++;
    if (ask_hook(s, t))
        return true;
    if (!s->innermost || t->fatal)
        return false;

    struct guard *landing = s->landing = s->innermost;

    s->innermost = landing->outer;
    s->in_hook = false;
    *landing->info = *t;
    arch_trap_redirect(f, (uintptr_t)land, (uintptr_t)(landing->stack + sizeof(landing->stack)));
    return true;
}

/* Not inlined: a function that __builtin_setjmp returns to twice keeps to its own frame. */
__attribute__((noinline)) bool trap_guard(void (*fn)(void *arg), void *arg, struct trap_info *t)
{
    struct trap_state *s = &this_of(traps);
    struct guard g = {.outer = s->innermost, .depth = 1, .info = t};

    if (g.outer)
        g.depth += g.outer->depth;
    if (g.depth > GUARD_DEPTH)
        panic("trap_guard: nested more than %d deep", GUARD_DEPTH);
    if (__builtin_setjmp(g.jump))
        return false;
    s->innermost = &g;
    fn(arg);
    s->innermost = g.outer;
    return true;
}
