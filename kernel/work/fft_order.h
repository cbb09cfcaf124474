/* Bit-reversed order to natural order and back, in place, whole cache lines at a time. */
#ifndef TT_WORK_FFT_ORDER_H
#define TT_WORK_FFT_ORDER_H

#include <stdint.h>

/* Exchanges elements j and bit-reversed(j) of x[0..n) (re, im pairs), n a power of two. */
void fft_bit_reverse(double *x, uint32_t n);

#endif
