/* Chooses between the model's caches and the machine's. Contract in caches.h. */
#include "perf/caches.h"

#include "perf/model.h"

unsigned machine_caches(struct arch_cache *c, unsigned max)
{
    return model_present() ? model_caches(c, max) : arch_caches(c, max);
}
