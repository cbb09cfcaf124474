/*
 * Colour facts of a working set, as metrics that every workload with one can carry.
 *
 * A workload puts LAB_PLACEMENT_METRICS first in its metric array and calls lab_placement() after
 * lab_grow(); its own metrics start at index PLACE_METRICS.
 */
#ifndef TT_LAB_PLACEMENT_H
#define TT_LAB_PLACEMENT_H

#include "lab/workload.h"

enum { PLACE_CONFLICT, PLACE_COLORS, PLACE_DISTANCE, PLACE_METRICS };

/*
 * conflict: pages whose colour holds more pages of the working set than the cache has ways.
 * colors:   distinct colours among the pages.
 * distance: largest distance between a wanted and a delivered colour; missing for a policy that
 *           wants none.
 */
#define LAB_PLACEMENT_METRICS                                                                      \
    {"conflict", "pages", BETTER_LOWER, METRIC_COUNT},                                             \
        {"colors", "colors", BETTER_HIGHER, METRIC_COUNT},                                         \
    {                                                                                              \
        "distance", "colors", BETTER_LOWER, METRIC_COUNT                                           \
    }

#endif
