/* Working-set sizes around the coloured cache. Contract in sweep.h. */
#include "work/sweep.h"

#include "core/types.h"

/*
 * page_color=off names no cache; then the sweep is around 1 MiB, a common second level, and the
 * x axis of the log says so.
 */
#define CACHE_IF_NONE (1ul << 20)

static uint64_t cache_bytes(const struct lab_scale *scale)
{
    return scale->cache_bytes ? scale->cache_bytes : CACHE_IF_NONE;
}

unsigned sweep_points(const struct lab_scale *scale, uint64_t *x)
{
    unsigned n = 0;
    for (int shift = -4; shift <= 2; shift++) {
        uint64_t bytes = shift < 0 ? cache_bytes(scale) >> -shift : cache_bytes(scale) << shift;
        bytes = max_u64(align_down(bytes, PAGE_SIZE), PAGE_SIZE);
        if (n == 0 || x[n - 1] < bytes) /* a small cache's first points may all be one page */
            x[n++] = bytes;
    }
    return n;
}

uint64_t sweep_subject_bytes(const struct lab_scale *scale)
{
    return max_u64(64 * cache_bytes(scale), 32ul << 20);
}

uint64_t sweep_subject_for(const struct lab_scale *scale, uint64_t working_set_bytes)
{
    return max_u64(sweep_subject_bytes(scale), 4 * working_set_bytes);
}
