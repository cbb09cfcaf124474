/* Split-radix butterflies and the recursion over sizes. Contract in fft_core.h. */
#include "work/fft_core.h"

#include "work/fft_order.h"

#include <math.h>

#define SQRT_HALF 0.70710678118654752440 /* cos and sin of pi/4 */

/*
 * Elements are x[2k] + i x[2k + 1]. The inverse is the forward transform with re and im
 * exchanged, so everything here takes two pointers.
 */
struct parts {
    double *re, *im;
};

static inline struct parts at(struct parts x, size_t k)
{
    return (struct parts){x.re + 2 * k, x.im + 2 * k};
}

/* ---- butterflies ------------------------------------------------------------------------------
 */

/* What the four inputs of a butterfly leave for the two transforms of a quarter. */
struct odd {
    double pr, pi; /* (x[k] - x[k+2q]) - i (x[k+q] - x[k+3q]), for 4j + 1 */
    double rr, ri; /* the same with + i, for 4j + 3 */
};

/* The common part of all butterflies: sums in place at k and k + q. */
static inline struct odd split(struct parts x, size_t q)
{
    double ar = x.re[0], ai = x.im[0], br = x.re[2 * q], bi = x.im[2 * q];
    double cr = x.re[4 * q], ci = x.im[4 * q], dr = x.re[6 * q], di = x.im[6 * q];
    x.re[0] = ar + cr;
    x.im[0] = ai + ci;
    x.re[2 * q] = br + dr;
    x.im[2 * q] = bi + di;
    double ur = ar - cr, ui = ai - ci, vr = br - dr, vi = bi - di;
    return (struct odd){ur + vi, ui - vr, ur - vi, ui + vr};
}

static inline void store_odd(struct parts x, size_t q, struct odd o)
{
    x.re[4 * q] = o.pr;
    x.im[4 * q] = o.pi;
    x.re[6 * q] = o.rr;
    x.im[6 * q] = o.ri;
}

/* k = 0, where both factors are 1. */
static inline void butterfly_0(struct parts x, size_t q)
{
    store_odd(x, q, split(x, q));
}

/* k = q/2: exp(-i pi/4) and exp(-3 i pi/4). x stands at k. */
static inline void butterfly_8th(struct parts x, size_t q)
{
    struct odd o = split(x, q);
    store_odd(x, q,
              (struct odd){SQRT_HALF * (o.pr + o.pi), SQRT_HALF * (o.pi - o.pr),
                           SQRT_HALF * (o.ri - o.rr), -SQRT_HALF * (o.rr + o.ri)});
}

static inline void butterfly(struct parts x, size_t q, double c1, double s1, double c3, double s3)
{
    struct odd o = split(x, q);
    store_odd(x, q,
              (struct odd){o.pr * c1 + o.pi * s1, o.pi * c1 - o.pr * s1, o.rr * c3 + o.ri * s3,
                           o.ri * c3 - o.rr * s3});
}

/* The pass of butterflies of size n = 4q, q >= 2. t: the entries of this size. */
static inline void butterflies(struct parts x, const struct fft_twiddle *t, size_t q)
{
    butterfly_0(x, q);
    for (size_t k = 1; k < q / 2; k++) {
        double c1 = t[k].c1, s1 = t[k].s1, c3 = t[k].c3, s3 = t[k].s3;
        butterfly(at(x, k), q, c1, s1, c3, s3);
        /* exp(-i (pi/2 - t)) = s1 - i c1, exp(-3 i (pi/2 - t)) = -s3 + i c3 */
        butterfly(at(x, q - k), q, s1, c1, -s3, -c3);
    }
    butterfly_8th(at(x, q / 2), q);
}

/* ---- sizes ------------------------------------------------------------------------------------
 */

static inline void fft_2(struct parts x)
{
    double ar = x.re[0], ai = x.im[0], br = x.re[2], bi = x.im[2];
    x.re[0] = ar + br;
    x.im[0] = ai + bi;
    x.re[2] = ar - br;
    x.im[2] = ai - bi;
}

static inline void fft_4(struct parts x)
{
    butterfly_0(x, 1);
    fft_2(x);
}

static inline void fft_8(struct parts x)
{
    butterfly_0(x, 2);
    butterfly_8th(at(x, 1), 2);
    fft_4(x);
    fft_2(at(x, 4));
    fft_2(at(x, 6));
}

static void fft_16(struct parts x, const struct fft_twiddle *t)
{
    butterflies(x, t, 4);
    fft_8(x);
    fft_4(at(x, 8));
    fft_4(at(x, 12));
}

/* Leaves the outputs in bit-reversed order. */
static void transform(struct parts x, const struct fft_twiddle *t, uint32_t n)
{
    if (n == 16) {
        fft_16(x, t + 2);
    } else if (n == 8) {
        fft_8(x);
    } else if (n == 4) {
        fft_4(x);
    } else if (n == 2) {
        fft_2(x);
    } else if (n > 16) {
        butterflies(x, t + n / 8, n / 4);
        transform(x, t, n / 2);
        transform(at(x, n / 2), t, n / 4);
        transform(at(x, n / 2 + n / 4), t, n / 4);
    }
}

void fft_forward(double *x, const struct fft_twiddle *t, uint32_t n)
{
    transform((struct parts){x, x + 1}, t, n);
    fft_bit_reverse(x, n);
}

void fft_inverse(double *x, const struct fft_twiddle *t, uint32_t n)
{
    transform((struct parts){x + 1, x}, t, n);
    fft_bit_reverse(x, n);
}

/* ---- twiddle factors --------------------------------------------------------------------------
 */

/* cos and sin of 2 pi k / n for k <= 3n/8, from angles of at most pi/4: these lose no digits. */
static void cos_sin(uint32_t k, uint32_t n, double *c, double *s)
{
    double unit = 2 * M_PI / n;
    if (8 * (uint64_t)k <= n) {
        *c = cos(unit * k);
        *s = sin(unit * k);
    } else {
        double a = unit * ((double)k - n / 4);
        *c = -sin(a);
        *s = cos(a);
    }
}

void fft_twiddles(struct fft_twiddle *t, uint32_t n)
{
    t[0] = (struct fft_twiddle){1, 0, 1, 0}; /* no size uses it */
    for (uint32_t k = 0; k < n / 8; k++) {
        cos_sin(k, n, &t[n / 8 + k].c1, &t[n / 8 + k].s1);
        cos_sin(3 * k, n, &t[n / 8 + k].c3, &t[n / 8 + k].s3);
    }
    /* k of size s is 2k of size 2s. */
    for (uint32_t e = n / 8; e-- > 1;)
        t[e] = t[2 * e];
}
