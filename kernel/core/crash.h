/*
 * Deliberate crashes, for the tests of panic (crash=).
 */
#ifndef TT_CORE_CRASH_H
#define TT_CORE_CRASH_H

/* Crashes the way that crash= says; returns when it was not given. After the boot records. */
void crash_now(void);

/*
 * For crash=work: faults at its first call, which the runner makes inside a workload's run, so that
 * what an exception there does can be seen. Otherwise returns.
 */
void crash_in_workload(void);

#endif
