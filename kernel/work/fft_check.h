/*
 * Is that the transform? Checks by other means than an FFT, with bounds that have a proof.
 *
 * The input is a stream of random numbers that can be drawn again, so no copy of it is kept, in
 * memory whose placement is under test or elsewhere. Each check says NULL or what is wrong.
 */
#ifndef TT_WORK_FFT_CHECK_H
#define TT_WORK_FFT_CHECK_H

#include "core/rng.h"

#include <stddef.h>
#include <stdint.h>

/* x[0..2n) uniform in [-1, 1). */
void fft_fill(double *x, uint32_t n, struct rng rng);

/*
 * x is the forward transform of what fft_fill() made of n and rng: some outputs (all for small n)
 * against the defining sum, and the sum of squares of all of them (Parseval).
 */
const char *fft_check_forward(const double *x, uint32_t n, struct rng rng);

/* x is what fft_fill() made, after `trips` times forward, inverse and division by n. */
const char *fft_check_round_trip(const double *x, uint32_t n, struct rng rng, unsigned trips);

#endif
