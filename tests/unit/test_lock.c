/* Locks and barriers on the host: who holds one, what CHECK catches, and real threads at them. */
#include "host.h"

#include "core/barrier.h"
#include "core/lock.h"

#include <pthread.h>
#include <sched.h>
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

/* ---- threads ------------------------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS  2000

static struct lock shared = LOCK_INIT("shared");
static struct barrier barrier;
static unsigned sum;              /* under the lock */
static unsigned reached[THREADS]; /* the round each thread is in */

struct member {
    unsigned id;
    bool ahead; /* saw somebody who had not come to the barrier that it went through */
};

static void *work(void *arg)
{
    struct member *m = arg;
    host_cpu = m->id;
    for (unsigned round = 1; round <= ROUNDS; round++) {
        lock_take(&shared);
        sum++;
        lock_drop(&shared);
        store_once(&reached[m->id], round);
        barrier_wait(&barrier);
        for (unsigned i = 0; i < THREADS; i++)
            m->ahead |= load_once(&reached[i]) < round;
    }
    return NULL;
}

/* There may be more threads than the host has CPUs: whoever waits lets others run. */
static void yield(void)
{
    sched_yield();
}

static void test_threads(void **state)
{
    pthread_t thread[THREADS];
    struct member member[THREADS] = {{0}};
    (void)state;
    barrier_init(&barrier, THREADS);
    host_relax = yield;
    for (unsigned i = 0; i < THREADS; i++) {
        member[i].id = i;
        assert_int_equal(pthread_create(&thread[i], NULL, work, &member[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    host_relax = NULL;
    assert_int_equal(sum, THREADS * ROUNDS);
    for (unsigned i = 0; i < THREADS; i++)
        assert_false(member[i].ahead);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_try_and_held),
        cmocka_unit_test(test_misuse_panics),
        cmocka_unit_test(test_a_lock_that_stays_taken_panics),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
