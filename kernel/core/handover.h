/*
 * Hand-overs between CPUs, told to the cache model: whoever waits for another CPU's store cannot
 * be earlier than that store, so at each hand-over the waiter's modelled clocks move up to the
 * releaser's (MODEL_CMD_RELEASE and _ACQUIRE of perf/model_abi.h; the key is the address).
 *
 * Called by locks and barriers, and by workloads where they hand data over by a flag: release
 * before the store, acquire behind the load. Without a model one load and a branch not taken.
 */
#ifndef TT_CORE_HANDOVER_H
#define TT_CORE_HANDOVER_H

#include "core/cpu.h"

#include <stdint.h>

/* Where each CPU leaves the key for the model; all NULL without one. perf/handover.c has them. */
extern volatile uint64_t *handover_key[CPU_MAX];

void handover_tell_release(const void *key);
void handover_tell_acquire(const void *key);

static inline void handover_release(const void *key)
{
    if (__builtin_expect(handover_key[0] != 0, 0))
        handover_tell_release(key);
}

static inline void handover_acquire(const void *key)
{
    if (__builtin_expect(handover_key[0] != 0, 0))
        handover_tell_acquire(key);
}

#endif
