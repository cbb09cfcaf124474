/* falseshare's metrics, and what its samples say about the machine. */
#ifndef TT_WORK_FALSESHARE_H
#define TT_WORK_FALSESHARE_H

#include "lab/results.h"

enum falseshare_metric { FALSESHARE_ADD, FALSESHARE_FETCH, FALSESHARE_TRANSFERS };

/*
 * Finds, for each level, the distance at which adding falls (the line that two CPUs share) and that
 * at which fetching rises (what comes along when one byte is fetched: the line, or a pair), says
 * what the machine says, and whether they agree. Finding records and lines for people.
 */
void falseshare_conclude(const struct results *r);

#endif
