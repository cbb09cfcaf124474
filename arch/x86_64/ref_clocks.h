/* The reference clocks of a PC; each probe fills *r and returns true when the clock runs here. */
#ifndef X86_REF_CLOCKS_H
#define X86_REF_CLOCKS_H

#include "arch.h"

bool pit_probe(struct arch_ref_clock *r);
bool acpi_pm_probe(struct arch_ref_clock *r);
bool hpet_probe(struct arch_ref_clock *r);

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

/* Polls until the clock moves; an absent one does not. Both PC timers tick within 1 us. */
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
