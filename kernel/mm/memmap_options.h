/* mem= and hole=: what the command line takes away from the firmware's memory map. */
#ifndef TT_MM_MEMMAP_OPTIONS_H
#define TT_MM_MEMMAP_OPTIONS_H

#include "mm/memmap.h"

/* Applies the options to a built map; 0, or -TT_EINVAL with a message (no RAM is left). */
int memmap_apply_options(struct memmap *map, char *err, size_t err_bytes);

#endif
