/* The caches whose colours matter: the modelled machine's when there is one, else the machine's. */
#ifndef TT_PERF_CACHES_H
#define TT_PERF_CACHES_H

#include "arch.h"

/* As arch_caches(). */
unsigned machine_caches(struct arch_cache *c, unsigned max);

#endif
