/*
 * The cache model, seen from the guest: finding it, its machine, its counts.
 *
 * Under QEMU with the plugin of tools/model a few no-op instructions are commands and a page of
 * our memory holds the modelled machine and its counters (perf/model_abi.h). Without the plugin,
 * and on real hardware, the same instructions do nothing and model_present() is false. Neither
 * the commands nor reading the page is counted by the model.
 */
#ifndef TT_PERF_MODEL_H
#define TT_PERF_MODEL_H

#include "perf/model_abi.h"

#include <stdbool.h>
#include <stdint.h>

struct arch_cache;

/* Announces our page and reads what came back. Once, before the clocks. */
void model_init(void);
bool model_present(void);

/* NULL, or why a model that answered cannot be used ("layout 2, this kernel knows 1"). */
const char *model_refusal(void);

/* The modelled machine; only when present. */
const struct model_machine_info *model_machine(void);

/* What the model and we share; for perf/ only. */
struct model_area *model_area(void);

/* Fresh counts of this CPU since the last reset; all CPUs' are in snapshot 0 then. Valid until the
 * next call. Only when present. */
const volatile struct model_cpu_counts *model_counts(void);

/* The modelled caches as arch_caches() gives the machine's own; 0 without a model. */
unsigned model_caches(struct arch_cache *c, unsigned max);

/* Empties caches and TLB and forgets what was ever seen, so that a sample starts cold. No-op
 * without a model. */
void model_flush(void);

/*
 * Grows QEMU's own translation cache: it starts small, and is resized only when it is flushed
 * after heavy use. Without this a working set beyond it runs many times slower (not wrong).
 * memory[0..bytes): anything mapped. Its accesses are not counted. No-op without a model.
 */
void model_warm_qemu(const volatile void *memory, uint64_t bytes);

/* The machine record of what "model". */
void model_log(void);

#endif
