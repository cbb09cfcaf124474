/*
 * newlib's locks, retargeted: short spin locks that know their owner.
 *
 * All nine objects and all ten functions of newlib's own lock file are defined here: leave one out
 * and the linker takes that file, with empty functions, beside this one.
 */
#include "core/cpu.h"
#include "core/panic.h"

#include <stdbool.h>
#include <sys/lock.h>

struct __lock {
    unsigned owner; /* CPU number + 1; 0: free */
    unsigned depth; /* how often the owner has it */
    bool made;      /* of made[]: in use */
};

/*
 * Nothing in newlib holds a lock for longer than some searching of the heap (milliseconds);
 * cpu_relax takes 10 to 140 cycles on the CPUs that we know. Seconds then: a bug, not a wait.
 */
#define LOCK_SPINS 100000000ul

/*
 * Locks that newlib makes and closes: one per FILE. Three FILEs exist; printing to an unbuffered
 * one (stderr) makes another for as long as the call lasts.
 */
#define LOCKS_MADE 16

struct __lock __lock___sinit_recursive_mutex, __lock___sfp_recursive_mutex,
    __lock___atexit_recursive_mutex, __lock___at_quick_exit_mutex, __lock___malloc_recursive_mutex,
    __lock___env_recursive_mutex, __lock___tz_mutex, __lock___dd_hash_mutex,
    __lock___arc4random_mutex;

static struct __lock made[LOCKS_MADE];

/* Never 0. No library call is interrupted by another one on its CPU: the CPU names the thread. */
static unsigned this_thread(void)
{
    return cpu_id() + 1;
}

static bool try_take(struct __lock *l)
{
    unsigned free = 0;
    if (!__atomic_compare_exchange_n(&l->owner, &free, this_thread(), false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    l->depth = 1;
    return true;
}

static bool owned(const struct __lock *l)
{
    return __atomic_load_n(&l->owner, __ATOMIC_RELAXED) == this_thread();
}

static void take(struct __lock *l)
{
    for (unsigned long i = 0; i < LOCK_SPINS; i++) {
        if (try_take(l))
            return;
        cpu_relax();
    }
    panic("newlib: a lock stays taken by CPU %u", l->owner - 1);
}

void __retarget_lock_init(_LOCK_T *lock)
{
    for (unsigned i = 0; i < LOCKS_MADE; i++)
        if (!__atomic_test_and_set(&made[i].made, __ATOMIC_ACQUIRE)) {
            *lock = &made[i];
            return;
        }
    panic("newlib: more than %d files have locks", LOCKS_MADE);
}

void __retarget_lock_init_recursive(_LOCK_T *lock)
{
    __retarget_lock_init(lock);
}

void __retarget_lock_close(_LOCK_T lock)
{
    __atomic_clear(&lock->made, __ATOMIC_RELEASE);
}

void __retarget_lock_close_recursive(_LOCK_T lock)
{
    __retarget_lock_close(lock);
}

void __retarget_lock_acquire(_LOCK_T lock)
{
    if (owned(lock))
        panic("newlib: a lock is taken twice by one CPU");
    take(lock);
}

void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
    if (owned(lock))
        lock->depth++;
    else
        take(lock);
}

int __retarget_lock_try_acquire(_LOCK_T lock)
{
    return try_take(lock);
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
    if (!owned(lock))
        return try_take(lock);
    lock->depth++;
    return 1;
}

void __retarget_lock_release(_LOCK_T lock)
{
    if (--lock->depth == 0)
        __atomic_store_n(&lock->owner, 0, __ATOMIC_RELEASE);
}

void __retarget_lock_release_recursive(_LOCK_T lock)
{
    __retarget_lock_release(lock);
}
