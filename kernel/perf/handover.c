/* Telling the cache model about hand-overs. Contract in handover.h. */
#include "core/handover.h"

#include "perf/model_abi.h"

#include <arch/model_cmd.h>

volatile uint64_t *handover_key[CPU_MAX];

void handover_tell_release(const void *key)
{
    volatile uint64_t *box = handover_key[cpu_id()];
    if (!box)
        return;
    *box = (uintptr_t)key;
    model_cmd(MODEL_CMD_RELEASE, MODEL_KEY_IN_BOX);
}

void handover_tell_acquire(const void *key)
{
    volatile uint64_t *box = handover_key[cpu_id()];
    if (!box)
        return;
    *box = (uintptr_t)key;
    model_cmd(MODEL_CMD_ACQUIRE, MODEL_KEY_IN_BOX);
}
