/*
 * Steps: between which two values of the axis a metric falls (or rises) most, and whether that is
 * more than chance.
 *
 * The rule, named in records as STEP_RULE: of the differences between neighbouring points, paired
 * by block, the largest fall counts (or rise); it is found when its two-sided p (Student's t),
 * multiplied by the number of neighbours compared (Bonferroni), is below 0.05. No threshold is
 * fitted to anything.
 */
#ifndef TT_LAB_STEP_H
#define TT_LAB_STEP_H

#include "lab/results.h"

#define STEP_RULE "largest step between neighbours, paired t by block, Bonferroni p < 0.05"

struct step {
    bool known;         /* at least two blocks of two neighbours; else nothing can be said */
    bool found;         /* p < 0.05; the largest step stands here also when it is not */
    uint64_t above, at; /* the step lies above the first value of the axis, up to the second */
    double height;      /* mean, in the metric's unit; negative when all go the other way */
    double p;           /* corrected, at most 1 */
};

enum step_way { STEP_DOWN, STEP_UP };

/* Of a level's metric over all points. scratch: 2 * blocks values. */
struct step step_find(const struct results *r, unsigned level, unsigned metric, enum step_way way,
                      double *scratch);

#endif
