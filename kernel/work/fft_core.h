/*
 * An in-place Fourier transform of complex doubles, any power of two: a pure unit, also on hosts.
 *
 *   X[k] = sum over j of x[j] exp(-2 pi i j k / n)      forward; inverse: +, not divided by n
 *
 * Split radix, decimation in frequency (Duhamel and Hollmann 1984): of a transform of size s one
 * pass of butterflies makes one of s/2 (the even outputs) and two of s/4 (outputs 4j+1 and 4j+3),
 * done one after the other, depth first, so that each is finished while it is in a cache that
 * holds it. The outputs are then in bit-reversed order; a blocked permutation (after Carter and
 * Gatlin 1998) that reads and writes whole lines puts them right. About 4 n log2 n - 6 n + 8 real
 * additions and multiplications; what is reported is FFTW's convention, 5 n log2 n.
 *
 * Data are interleaved, re and im. Twiddle factors are the caller's memory, too, half as large as
 * the data: a butterfly needs w^k and w^3k, and the one at s/4 - k has the same numbers swapped, so
 * s/8 pairs serve a size s. They are stored for every size, contiguously: entry s/8 + k is
 * that of k in size s.
 *
 * The four inputs of a butterfly are a power of two apart and compete in a first-level cache of few
 * ways. Taking a line of each through a buffer was tried: on ds10's model 170 instead of 405
 * thousand misses at 64K points, but 84 instead of 100 Mflop/s, and a quarter slower on a host.
 *
 * Arithmetic is scalar, one element a step, as gcc makes it at the kernel's -O2 (SSE2 on x86_64);
 * only copies move 16 bytes. A system test disassembles it, lest a newer compiler use vectors.
 */
#ifndef TT_WORK_FFT_CORE_H
#define TT_WORK_FFT_CORE_H

#include <stddef.h>
#include <stdint.h>

#define FFT_POINTS_MAX (1u << 22)

/* exp(-i t) = c1 - i s1 and exp(-3 i t) = c3 - i s3, where t = 2 pi k / s. */
struct fft_twiddle {
    double c1, s1, c3, s3;
};

/* Number of entries for transforms of up to n points: n/4, at least 1. */
static inline size_t fft_twiddles_count(uint32_t n)
{
    return n < 8 ? 1 : n / 4;
}

/* Fills t[0..fft_twiddles_count(n)), each number correct to about one unit in the last place. */
void fft_twiddles(struct fft_twiddle *t, uint32_t n);

/*
 * Preconditions: n a power of two, 1 <= n <= FFT_POINTS_MAX; x[0..2n); t from fft_twiddles() for n
 * or for a larger size.
 */
void fft_forward(double *x, const struct fft_twiddle *t, uint32_t n);
void fft_inverse(double *x, const struct fft_twiddle *t, uint32_t n);

#endif
