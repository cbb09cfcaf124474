/* Locks on the host: who holds one, and what CHECK catches. */
#include "host.h"

#include "core/lock.h"

#include <string.h>

static void test_try_and_held(void **state)
{
    struct lock l = LOCK_INIT("test");
    (void)state;
    host_cpu = 2;
    assert_false(lock_held(&l));
    assert_true(lock_try(&l));
    assert_true(lock_held(&l));
    assert_false(lock_try(&l));
    host_cpu = 3;
    assert_false(lock_held(&l));
    assert_false(lock_try(&l));
    host_cpu = 2;
    lock_drop(&l);
    assert_true(lock_try(&l));
    lock_drop(&l);
}

static void test_misuse_panics(void **state)
{
    struct lock l = LOCK_INIT("test");
    (void)state;
    host_cpu = 0;
    lock_take(&l);
    assert_panics(lock_take(&l), "taken twice by CPU 0");
    host_cpu = 1;
    assert_panics(lock_drop(&l), "dropped by CPU 1, owner 1");
    host_cpu = 0;
    lock_drop(&l);
    assert_panics(lock_drop(&l), "dropped by CPU 0, owner 0");
}

static void test_a_lock_that_stays_taken_panics(void **state)
{
    struct lock l = LOCK_INIT("stuck");
    (void)state;
    host_cpu = 5;
    lock_take(&l);
    host_cpu = 0;
    assert_panics(lock_take(&l), "lock stuck does not come free: CPU 5 has it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_try_and_held),
        cmocka_unit_test(test_misuse_panics),
        cmocka_unit_test(test_a_lock_that_stays_taken_panics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
