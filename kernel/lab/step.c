/* Where a metric steps. Contract in step.h. */
#include "lab/step.h"

#include "lab/student.h"

#include <math.h>

/* Two-sided p of a paired difference over n blocks; 0 where all blocks differ alike. */
static double p_of(const struct interval *i, size_t n)
{
    double df = (double)(n - 1), half = i->hi - i->diff;
    if (half <= 0)
        return i->diff == 0 ? 1 : 0;
    return student_two_tails(fabs(i->diff) * stats_t95(df) / half, df);
}

struct step step_find(const struct results *r, unsigned level, unsigned metric, enum step_way way,
                      double *scratch)
{
    struct step best = {.p = 1};
    unsigned compared = 0;
    double *a = scratch, *b = scratch + r->blocks;
    for (unsigned point = 1; point < r->points; point++) {
        size_t n = results_pairs(results_cell(r, level, point - 1, metric),
                                 results_cell(r, level, point, metric), r->blocks, a, b);
        struct interval step = way == STEP_UP ? stats_paired_t(a, b, n) : stats_paired_t(b, a, n);
        if (!step.known)
            continue;
        compared++;
        if (!best.known || step.diff > best.height)
            best = (struct step){.known = true,
                                 .above = r->x[point - 1],
                                 .at = r->x[point],
                                 .height = step.diff,
                                 .p = p_of(&step, n)};
    }
    best.p = fmin(1, best.p * compared);
    best.found = best.known && best.height > 0 && best.p < 0.05;
    return best;
}
