/* A kernel file of any content, copied out where the loader takes it for good. */
#include "fuzz.h"

#include "elf.h"

#define COPY_MAX (16u << 20) /* larger ones take longer, and no other path */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct elf_plan plan;

    if (elf_read(&plan, data, bytes))
        return 0;
    must(plan.segments > 0 && plan.segments <= ELF_SEGMENTS_MAX);
    must(plan.start < plan.end && plan.end <= 1ull << 32 && !((plan.start | plan.end) & 4095));
    must(plan.entry >= plan.start && plan.entry < plan.end);
    must(plan.align >= 4096 && !(plan.align & (plan.align - 1)));
    if (plan.end - plan.start <= COPY_MAX) {
        void *to = malloc(plan.end - plan.start);

        elf_copy(&plan, data, to);
        free(to);
    }
    return 0;
}
