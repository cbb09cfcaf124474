/*
 * From colours of frames to masks: if the index of a cache is a linear function of the address over
 * GF(2), frames of one colour differ by vectors of one space, and the masks whose parity tells
 * colours apart are those orthogonal to it. They say of all frames what was probed of some, of
 * larger blocks as well, and page_color=xor: takes them.
 */
#ifndef TT_LAB_LINEAR_H
#define TT_LAB_LINEAR_H

#include "core/rng.h"
#include "mm/color.h"

/*
 * Masks over frame numbers for colours found of frame[0..n), in bits in which those frames differ
 * (nothing is known of others); mask has room for COLOR_BITS_MAX. Some wrong colours do no harm, so
 * whether the masks are right is the caller's to check. Returns how many; 0: no linear function,
 * in particular when the number of colours is no power of two.
 */
unsigned linear_masks(const pfn_t *frame, const color_t *color, uint32_t n, uint32_t colors,
                      struct rng *rng, uint64_t mask[COLOR_BITS_MAX]);

#endif
