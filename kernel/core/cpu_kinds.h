/*
 * CPUs of different kinds: on a processor that mixes kinds of cores, the log says which CPU is
 * which. On others nothing is asked of any CPU but this one, and nothing is written.
 */
#ifndef TT_CORE_CPU_KINDS_H
#define TT_CORE_CPU_KINDS_H

/*
 * Asks all running CPUs, which must be idle; writes a machine record "kind" for each kind, and a
 * warning when there are several. On CPU 0.
 */
void cpu_kinds_log(void);

#endif
