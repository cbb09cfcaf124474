/* The slow and the interrupt-safe parts of locks. Contract in lock.h. */
#include "core/lock.h"

#include "arch.h"
#include "core/interleave.h"

#include <arch/cpu.h>

/*
 * cpu_relax takes 10 to 140 cycles on the CPUs that we know, a section under a lock some thousands,
 * and at most 63 others come first many times over: seconds are a bug. Where CPUs take turns on one
 * host thread, a round is a turn.
 */
#define LOCK_SPINS 100000000ul

/* Reads until it looks free, so that waiting moves no line away from the holder. */
void lock_wait(struct lock *l)
{
    for (unsigned long i = 0; i < LOCK_SPINS; i++) {
        if (!load_once(&l->owner) && compare_exchange(&l->owner, 0, cpu_id() + 1))
            return;
        interleave_wait();
    }
    panic("lock %s does not come free: CPU %u has it", l->name, load_once(&l->owner) - 1);
}

unsigned long lock_take_irq(struct lock *l)
{
    unsigned long irq = arch_irq_save();
    lock_take(l);
    return irq;
}

void lock_drop_irq(struct lock *l, unsigned long irq)
{
    lock_drop(l);
    arch_irq_restore(irq);
}
