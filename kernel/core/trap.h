/*
 * Traps as the machine-independent kernel sees them: fault handlers and guarded calls.
 *
 * trap_handle (declared in arch.h, called by the port) asks, in this order: the fault hook of
 * the current address space, then the innermost trap_guard. Who is asked and says no: panic.
 * Hooks and guards are the CPU's own.
 */
#ifndef TT_CORE_TRAP_H
#define TT_CORE_TRAP_H

#include "arch.h"

/*
 * Called for a page fault at an address inside the window; true: it mapped the page, retry.
 * Runs on the interrupted stack with interrupts off; no newlib, no floating point.
 */
typedef bool (*fault_hook)(const struct trap_info *t, void *arg);
void trap_set_fault_hook(fault_hook hook, void *arg); /* NULL: none */

/*
 * Runs fn(arg); a trap inside ends it early. Returns true if fn returned by itself; else false
 * with the trap in *t. Not nestable beyond 4. Memory that fn had allocated stays allocated: use
 * it for experiments and self-tests whose instance is rebuilt afterwards.
 */
bool trap_guard(void (*fn)(void *arg), void *arg, struct trap_info *t);

/* Traps that this CPU handled since boot by kind: the trap path is counted, not guessed. */
uint64_t trap_count(enum trap_kind kind);

#endif
