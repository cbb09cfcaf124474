/*
 * Caches: Alpha has no instruction or table that describes them. (The 21264's own are known, its
 * board cache is not, and that is the one whose colours matter.) page_color= says what it is.
 */
#include "arch.h"

unsigned arch_caches(struct arch_cache *c, unsigned max)
{
    (void)c, (void)max;
    return 0;
}
