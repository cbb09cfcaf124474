/*
 * What random placement does by theory: pages in conflict, exactly, without replacement.
 *
 * A pure unit, also on hosts.
 */
#ifndef TT_WORK_CONFLICT_THEORY_H
#define TT_WORK_CONFLICT_THEORY_H

#include <stdint.h>

/*
 * Of `pages` frames, drawn uniformly and without replacement from a population with
 * population[c] frames of colour c, the expected number whose colour holds more than `ways` of
 * the drawn ones. NaN when there are fewer frames than pages, or no memory for the computation.
 *
 * The frames of one colour among the drawn ones follow a hypergeometric law; expectations add up
 * over colours although these counts depend on each other. Sums of products of rationals, no
 * approximation: the result is right to about 10^-12 of its size.
 */
double conflict_expected(const uint32_t *population, uint32_t colors, unsigned ways,
                         uint64_t pages);

#endif
