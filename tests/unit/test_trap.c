/*
 * Guarded calls and fault hooks, with traps that the test raises by calling the handler itself.
 */
#include "host.h"

#include "core/trap.h"

#include <string.h>

/* ---- a machine: a redirected "frame" continues where it was told to ------------------------- */

struct trap_frame {
    uintptr_t pc, sp;
};

static uintptr_t stack_high; /* the last redirected stack pointer */

void arch_trap_redirect(struct trap_frame *f, uintptr_t pc, uintptr_t sp)
{
    f->pc = pc;
    f->sp = sp;
}

/* An exception here. Returns if it was handled; continues elsewhere if redirected. */
static void raise_trap(const struct trap_info *t)
{
    struct trap_frame f = {0};
    if (!trap_handle(t, &f))
        fail_msg("nobody handled it");
    if (!f.pc)
        return;
    stack_high = f.sp;
    ((void (*)(void))f.pc)();
    fail_msg("the landing returned");
}

static const struct trap_info divide = {.kind = TRAP_ARITH, .name = "divide", .pc = 0x1234};
static const struct trap_info fault = {
    .kind = TRAP_PAGE_FAULT, .name = "fault", .address = ARCH_WINDOW + 0x5000};

/* ---- guards -------------------------------------------------------------------------------- */

static void add_one(void *arg)
{
    ++*(int *)arg;
}

static void divides(void *arg)
{
    ++*(int *)arg;
    raise_trap(&divide);
    *(int *)arg = 100;
}

static void guard_ends_the_call(void **state)
{
    (void)state;
    volatile int value = 0;
    struct trap_info t = {0};
    assert_true(trap_guard(add_one, (void *)&value, &t));
    assert_int_equal(value, 1);
    assert_null(t.name);
    uint64_t before = trap_count(TRAP_ARITH);
    assert_false(trap_guard(divides, (void *)&value, &t));
    assert_int_equal(value, 2);
    assert_string_equal(t.name, "divide");
    assert_int_equal(t.pc, 0x1234);
    assert_int_equal(trap_count(TRAP_ARITH), before + 1);
    assert_int_equal(stack_high % 16, 0);

    struct trap_frame f = {0}; /* no guard is left behind */
    assert_false(trap_handle(&divide, &f));
}

static void inner_then_outer(void *arg)
{
    struct trap_info t = {0};
    assert_false(trap_guard(divides, arg, &t));
    assert_true(trap_guard(add_one, arg, &t));
    raise_trap(&fault); /* now it is the outer one's turn */
}

static void guards_nest(void **state)
{
    (void)state;
    volatile int value = 0;
    struct trap_info t = {0};
    assert_false(trap_guard(inner_then_outer, (void *)&value, &t));
    assert_string_equal(t.name, "fault");
    assert_int_equal(value, 2);
}

static void deeper(void *arg)
{
    struct trap_info t;
    ++*(int *)arg;
    trap_guard(deeper, arg, &t);
}

static void four_deep_and_no_more(void **state)
{
    (void)state;
    int value = 0;
    struct trap_info t;
    assert_panics(trap_guard(deeper, &value, &t), "nested more than 4 deep");
    assert_int_equal(value, 4);
}

static void fatal_is_not_guarded_body(void *arg)
{
    struct trap_info t = divide;
    struct trap_frame f = {0};
    t.fatal = true;
    *(bool *)arg = trap_handle(&t, &f);
}

static void fatal_is_not_guarded(void **state)
{
    (void)state;
    bool handled = true;
    struct trap_info t;
    assert_true(trap_guard(fatal_is_not_guarded_body, &handled, &t));
    assert_false(handled);
}

/* ---- hooks --------------------------------------------------------------------------------- */

static unsigned asked;
static bool answer, nested;

static bool hook(const struct trap_info *t, void *arg)
{
    assert_ptr_equal(arg, &asked);
    assert_int_equal(t->kind, TRAP_PAGE_FAULT);
    asked++;
    if (nested) {
        struct trap_frame f = {0};
        answer = trap_handle(t, &f); /* a fault inside the hook: nobody's */
    }
    return answer;
}

static bool handled(const struct trap_info *t)
{
    struct trap_frame f = {0};
    bool result = trap_handle(t, &f);
    assert_int_equal(f.pc, 0);
    return result;
}

static void hook_is_asked_in_the_window_only(void **state)
{
    (void)state;
    struct trap_info t = fault;
    trap_set_fault_hook(hook, &asked);
    asked = 0;
    answer = true;
    assert_true(handled(&t));
    t.address = ARCH_WINDOW;
    assert_true(handled(&t));
    t.address = ARCH_WINDOW_END - 1;
    assert_true(handled(&t));
    assert_int_equal(asked, 3);
    t.address = ARCH_WINDOW_END;
    assert_false(handled(&t));
    t.address = ARCH_WINDOW - 1;
    assert_false(handled(&t));
    assert_false(handled(&divide));
    assert_int_equal(asked, 3);
    answer = false;
    assert_false(handled(&fault));
    assert_int_equal(asked, 4);
    trap_set_fault_hook(NULL, NULL);
    assert_false(handled(&fault));
    assert_int_equal(asked, 4);
}

static void faulting_hook_is_not_asked_again(void **state)
{
    (void)state;
    trap_set_fault_hook(hook, &asked);
    asked = 0;
    nested = true;
    assert_false(handled(&fault));
    assert_int_equal(asked, 1);
    nested = false;
    answer = true;
    assert_true(handled(&fault));
    trap_set_fault_hook(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guard_ends_the_call),
        cmocka_unit_test(guards_nest),
        cmocka_unit_test(fatal_is_not_guarded),
        cmocka_unit_test(hook_is_asked_in_the_window_only),
        cmocka_unit_test(faulting_hook_is_not_asked_again),
        cmocka_unit_test(four_deep_and_no_more), /* last: it leaves guards behind */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
