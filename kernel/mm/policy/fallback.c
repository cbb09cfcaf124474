/*
 * Fallbacks: next (upwards, as Papadopoulos' patch: colour + 1), skip19 (19 further, then upwards,
 * as illumos: a neighbouring colour would collide with the page's neighbours in virtual memory),
 * nearest (either side, the lower distance first, upwards on a tie) and fail (the request fails:
 * strict partitioning).
 */
#include "mm/policy.h"

static bool step_next(uint32_t i, uint32_t classes, uint32_t *ahead)
{
    *ahead = i;
    return i < classes;
}

/* One try more than there are other positions: the wanted one lies on the way. */
static bool step_skip19(uint32_t i, uint32_t classes, uint32_t *ahead)
{
    *ahead = (18 + i) % classes;
    return i <= classes;
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
REGISTER(fallback, skip19) = {"skip19", "19 colours further, then upwards (illumos)", step_skip19};
REGISTER(fallback, nearest) = {"nearest", "nearest colour, upwards on a tie", step_nearest};
REGISTER(fallback, fail) = {"fail", "the allocation fails", step_fail};
