/* Taking turns. Contract in interleave.h. */
#include "core/interleave.h"

struct interleave_per_cpu interleaves[CPU_MAX];

void interleave_every(uint32_t n)
{
    for (unsigned cpu = 0; cpu < CPU_MAX; cpu++)
        cpu_of(interleaves, cpu) = (struct interleave){.every = n, .steps = n};
}

struct interleave_count interleave_count(void)
{
    const struct interleave *i = &this_of(interleaves);
    uint64_t turns = i->steps >> 32;
    return (struct interleave_count){turns * i->every + i->every - (uint32_t)i->steps,
                                     turns + i->waits};
}
