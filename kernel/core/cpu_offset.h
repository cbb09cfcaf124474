/*
 * Offsets of the CPUs' cycle counters: how far another CPU's counter is ahead of CPU 0's.
 *
 * Measured by exchanging stamps, as NTP does it: CPU 0 reads its counter, the other answers with
 * its own, CPU 0 reads again. The answer lies between the two readings, so the offset is known to
 * half their distance; the exchange with the smallest distance of many counts.
 */
#ifndef TT_CORE_CPU_OFFSET_H
#define TT_CORE_CPU_OFFSET_H

#include <stdint.h>

struct cpu_offset {
    int64_t cycles; /* other's counter minus CPU 0's at the same moment */
    uint64_t error; /* +-, half of the shortest exchange */
};

/* Measures CPU id (not 0), which must be idle. 0, or -TT_ETIMEDOUT, -TT_EBUSY. */
int cpu_offset_measure(unsigned id, struct cpu_offset *out);

/* Measures all running CPUs and writes a machine record "offset" for each. */
void cpu_offset_log(void);

#endif
