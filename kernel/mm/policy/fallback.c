/*
 * Fallbacks: next (upwards, as Papadopoulos' patch: colour + 1), nearest (either side, the lower
 * distance first, upwards on a tie) and fail (the request fails: strict partitioning).
 */
#include "mm/policy.h"

static bool step_next(uint32_t i, uint32_t classes, uint32_t *ahead)
{
    *ahead = i;
    return i < classes;
}

/* +1, -1, +2, -2, ... round a circle of `classes` positions. */
static bool step_nearest(uint32_t i, uint32_t classes, uint32_t *ahead)
{
    uint32_t away = (i + 1) / 2;
    *ahead = i % 2 ? away : classes - away;
    return i < classes;
}

static bool step_fail(uint32_t i, uint32_t classes, uint32_t *ahead)
{
    (void)i, (void)classes, (void)ahead;
    return false;
}

REGISTER(fallback, next) = {"next", "next colour upwards, round the circle", step_next};
REGISTER(fallback, nearest) = {"nearest", "nearest colour, upwards on a tie", step_nearest};
REGISTER(fallback, fail) = {"fail", "the allocation fails", step_fail};
