/* Sampling by the cache model. Contract in profile.h. */
#include "perf/profile.h"

#include "arch.h"
#include "perf/model.h"
#include "perf/profile_text.h"

#include <arch/model_cmd.h>

#include <string.h>

extern const char __text_start[], __text_end[]; /* linker.ld */

/* In .bss: physically contiguous, which the model needs. The last takes what lies elsewhere. */
static uint32_t histogram[(PROFILE_TEXT_BYTES >> PROFILE_BUCKET_SHIFT) + 1];

size_t profile_buckets(void)
{
    return ((size_t)(__text_end - __text_start) >> PROFILE_BUCKET_SHIFT) + 1;
}

uintptr_t profile_bucket_pc(size_t bucket)
{
    return (uintptr_t)__text_start + (bucket << PROFILE_BUCKET_SHIFT);
}

bool profile_start(uint64_t cycles)
{
    if (!model_present())
        return false;
    volatile struct model_box *box = &model_area()->box[0];
    memset(histogram, 0, sizeof histogram);
    box->args[MODEL_SAMPLE_PHYS] = arch_virt_to_phys(histogram).a;
    box->args[MODEL_SAMPLE_BUCKETS] = profile_buckets();
    box->args[MODEL_SAMPLE_PC_BASE] = (uintptr_t)__text_start;
    box->args[MODEL_SAMPLE_SHIFT] = PROFILE_BUCKET_SHIFT;
    box->args[MODEL_SAMPLE_INTERVAL] = cycles;
    model_cmd(MODEL_CMD_SAMPLE_START, 0);
    return box->status == MODEL_OK;
}

void profile_stop(uint32_t *sums)
{
    model_cmd(MODEL_CMD_SAMPLE_STOP, 0);
    for (size_t i = 0; i < profile_buckets(); i++)
        sums[i] += histogram[i];
}
