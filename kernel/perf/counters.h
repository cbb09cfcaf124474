/*
 * Hardware performance counters: source "pmu", cycles and instructions where the CPU has them.
 *
 * Under QEMU's TCG and on CPUs without an architectural PMU there are none; then the reason is
 * known, goes into the machine record, and nothing is printed in their place. Read them with
 * arch_pmu_read.
 */
#ifndef TT_PERF_COUNTERS_H
#define TT_PERF_COUNTERS_H

/* Starts the counters if there are any. Once, at boot. */
void counters_init(void);

/* NULL when they run, else why there are none. */
const char *counters_missing(void);

/* The machine record of what "pmu": how many counters, and why none. */
void counters_log(void);

#endif
