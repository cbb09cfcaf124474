/*
 * What the spaces of the workload `faults` do: a seeded list of touches, the same for all levels.
 *
 * Spaces 0 and 1 are programs, 2 and 3 are forked from them. Each touches its pages in an order of
 * its own, and they take turns in bursts, as programs do between two switches.
 */
#ifndef TT_WORK_FAULTS_PROGRAM_H
#define TT_WORK_FAULTS_PROGRAM_H

#include "core/rng.h"

#include <stdbool.h>
#include <stdint.h>

#define FAULTS_SPACES 4
#define FAULTS_BURST  8 /* touches of one space in a row, at most */

struct touch {
    uint32_t page;
    uint8_t space;
    bool write;
};

/* Which pages a space touches in a phase: `share` percent of [first, end), and what it does. */
struct touch_plan {
    uint32_t first, end;
    unsigned share;
    unsigned writes; /* percent */
};

/*
 * Fills out with the touches of a phase: each chosen page of each space once. order: scratch for as
 * many numbers as out has room for, which is the sum of end - first. Returns how many.
 */
uint32_t faults_interleave(const struct touch_plan plan[FAULTS_SPACES], struct rng *rng,
                           struct touch *out, uint32_t *order);

#endif
