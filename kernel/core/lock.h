/*
 * Locks: spin locks that anybody may win, as the kernels of the seeds had them.
 *
 * Not first come first served: where CPUs are threads of a host that has fewer of them, a queue
 * stands still whenever its first is not running. The word holds the owner, so that a lock taken
 * twice or dropped by somebody else is a panic with CHECK >= 1; one that does not come free within
 * LOCK_SPINS is a bug and panics in every build.
 *
 * Short sections only. A holder never waits for anything but another lock, and whoever may be
 * interrupted by a handler that takes the same lock takes it with interrupts off (lock_take_irq).
 * Under the cache model taking and dropping also carries the CPUs' modelled clocks from one holder
 * to the next (core/handover.h).
 */
#ifndef TT_CORE_LOCK_H
#define TT_CORE_LOCK_H

#include "core/atomic.h"
#include "core/cpu.h"
#include "core/handover.h"
#include "core/panic.h"

#include <stdbool.h>
#include <stdint.h>

struct lock {
    uint32_t owner; /* CPU number + 1; 0: free */
    uint32_t last;  /* whose it was before; written by the owner, and only under a model */
    const char *name;
};

#define LOCK_INIT(name_) ((struct lock){.name = (name_)})

/* Waits until it is free, and takes it. Panics after LOCK_SPINS. */
void lock_wait(struct lock *l);

/* The model's clocks move only when the lock does: a CPU that takes it again waits for nobody. */
static inline void lock_tell_taken(struct lock *l)
{
    if (__builtin_expect(handover_key[0] != 0, 0) && l->last != cpu_id() + 1)
        handover_tell_acquire(l);
}

static inline void lock_tell_dropped(struct lock *l)
{
    if (__builtin_expect(handover_key[0] != 0, 0)) {
        l->last = cpu_id() + 1;
        handover_tell_release(l);
    }
}

/* Does this CPU hold it? */
static inline bool lock_held(const struct lock *l)
{
    return load_once(&l->owner) == cpu_id() + 1;
}

/* Takes it if nobody has it; false if somebody has. */
static inline bool lock_try(struct lock *l)
{
    if (!compare_exchange(&l->owner, 0, cpu_id() + 1))
        return false;
    lock_tell_taken(l);
    return true;
}

static inline void lock_take(struct lock *l)
{
    if (CHECK >= 1 && lock_held(l))
        panic("lock %s is taken twice by CPU %u", l->name, cpu_id());
    if (!compare_exchange(&l->owner, 0, cpu_id() + 1))
        lock_wait(l);
    lock_tell_taken(l);
}

static inline void lock_drop(struct lock *l)
{
    if (CHECK >= 1 && !lock_held(l))
        panic("lock %s is dropped by CPU %u, owner %u", l->name, cpu_id(), load_once(&l->owner));
    lock_tell_dropped(l);
    store_release(&l->owner, 0);
}

/* The same with interrupts off in between; hand what take returned to drop. */
unsigned long lock_take_irq(struct lock *l);
void lock_drop_irq(struct lock *l, unsigned long irq);

#endif
