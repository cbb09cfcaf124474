/*
 * Start barriers: nobody goes on before all have come. For experiments on several CPUs.
 *
 * Reusable at once. Waiting is bounded: whoever misses the others for BARRIER_SPINS panics, because
 * a CPU that lost its partners can neither measure nor end.
 */
#ifndef TT_CORE_BARRIER_H
#define TT_CORE_BARRIER_H

#include <stdint.h>

struct barrier {
    uint32_t members; /* constant */
    uint32_t arrived; /* atomic: in this round */
    uint32_t round;   /* atomic */
};

void barrier_init(struct barrier *b, unsigned members);

/* Also a hand-over from everybody to everybody (core/handover.h). */
void barrier_wait(struct barrier *b);

#endif
