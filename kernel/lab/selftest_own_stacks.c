/*
 * Self-test `own_stacks`: stacks that are own memory (further CPUs', and with own_colors= also
 * CPU 0's) are where they should be: in the own window, in allowed frames, above a guard page.
 */
#include "arch.h"
#include "core/cpu.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "core/trap.h"
#include "mm/own.h"

static const char *volatile broken;

static phys_t behind(uintptr_t va)
{
    return arch_space_lookup(NULL, va, NULL);
}

static void touch(void *arg)
{
    (void)*(volatile char *)arg;
}

/* Every page of the stack that this runs on, from the present one down to the guard. */
static void examine(void *arg)
{
    char local;
    struct trap_info t;
    uintptr_t va = align_down((uintptr_t)&local, PAGE_SIZE);
    (void)arg;
    if (cpu_id() == 0 && !own_colors().given)
        return;
    if (va < ARCH_OWN || va >= ARCH_OWN_END) {
        broken = "a CPU's stack does not lie in the own window";
        return;
    }
    for (; behind(va).a != PHYS_NONE.a; va -= PAGE_SIZE)
        if (!own_color_allowed_naive(behind(va)))
            broken = "a page of a stack has a colour that own_colors= does not name";
    if (trap_guard(touch, (void *)(va + PAGE_SIZE - 1), &t) || t.kind != TRAP_PAGE_FAULT)
        broken = "the page below a stack can be touched";
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    if (cpus_running() == 1 && !own_colors().given) {
        ksnprintf(msg, msg_bytes, "one CPU runs, on the stack in the image");
        return SELFTEST_SKIP;
    }
    broken = NULL;
    if (cpus_run(cpus_running(), examine, NULL, msg, msg_bytes))
        return SELFTEST_FAIL;
    ksnprintf(msg, msg_bytes, "%s", broken ? broken : "");
    return broken ? SELFTEST_FAIL : SELFTEST_OK;
}

REGISTER(selftest, own_stacks) = {
    .name = "own_stacks",
    .proves = "stacks of own memory have its colours, and a guard page",
    .run = run,
};
