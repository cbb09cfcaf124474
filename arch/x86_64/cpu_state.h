/* What firmware may have left in a CPU's model-specific registers, and what it reports in them. */
#ifndef X86_CPU_STATE_H
#define X86_CPU_STATE_H

/*
 * Brings this CPU to the state that the kernel counts on: memory types of page table entries as
 * after reset, no limit on cpuid. Each CPU calls it once, before it maps or asks anything.
 */
void cpu_state_init(void);

/* Prints what this CPU's machine-check banks hold, for a panic. Ports and memory are not touched.
 */
void machine_check_print(void);

#endif
