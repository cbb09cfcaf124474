/* Taking turns. Contract in interleave.h. */
#include "core/interleave.h"

struct interleave_per_cpu interleaves[CPU_MAX];

void interleave_every(uint32_t n)
{
    for (unsigned cpu = 0; cpu < CPU_MAX; cpu++)
        cpu_of(interleaves, cpu) = (struct interleave){.every = n, .left = n};
}
