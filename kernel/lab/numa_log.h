/* The nodes of this machine, read and checked once, and their records. */
#ifndef TT_LAB_NUMA_LOG_H
#define TT_LAB_NUMA_LOG_H

#include "mm/nodes.h"

/*
 * Reads what firmware says, writes a memory record "node" each, and a note on what was refused.
 * After the CPUs have started.
 */
const struct topology *numa_log(const struct memmap *map);

#endif
