/* Start barriers. Contract in barrier.h. */
#include "core/barrier.h"

#include "core/atomic.h"
#include "core/cpu.h"
#include "core/handover.h"
#include "core/panic.h"

/* Of some 50 ns and up: minutes. Partners may have a long part of an experiment left. */
#define BARRIER_SPINS 4000000000ul

void barrier_init(struct barrier *b, unsigned members)
{
    *b = (struct barrier){.members = members};
}

void barrier_wait(struct barrier *b)
{
    uint32_t round = load_once(&b->round);
    handover_release(b);
    if (fetch_add(&b->arrived, 1) + 1 == b->members) {
        store_once(&b->arrived, 0);
        store_release(&b->round, round + 1);
    } else {
        for (unsigned long i = 0; load_acquire(&b->round) == round; i++) {
            if (i == BARRIER_SPINS)
                panic("barrier: CPU %u waits for %u others in vain", cpu_id(),
                      b->members - load_once(&b->arrived));
            cpu_relax();
        }
    }
    handover_acquire(b);
}
