/*
 * What reference clocks (arch.h) of all ports share: lengthening a counter that wraps, seeing
 * whether it runs at all; and the PC's interval timer, which machines with an ISA bridge have.
 */
#ifndef TT_CORE_REF_CLOCK_H
#define TT_CORE_REF_CLOCK_H

#include "arch.h"

/* "pit": fills *r and returns true when the timer runs here. */
bool pit_probe(struct arch_ref_clock *r);

/*
 * Lengthens a counter of `bits` bits that wraps: raw is its newest value, *last the value at the
 * previous call. Right as long as it is called at least once per wrap.
 */
static inline uint64_t clock_extend(uint64_t *last, uint64_t raw, unsigned bits)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1;

    *last += (raw - *last) & mask;
    return *last;
}

/* Polls until the clock moves; an absent one does not. The clocks in use tick within 1 us. */
static inline bool clock_moves(uint64_t (*read)(void))
{
    uint64_t first = read();

    for (unsigned i = 0; i < 1000; i++) {
        if (read() != first)
            return true;
    }
    return false;
}

#endif
