/* Matrix products. Contract in matmul_core.h. */
#include "work/matmul_core.h"

#include <math.h>
#include <string.h>

void matmul_ijk(double *c, const double *a, const double *b, size_t n, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    }
}

/* c[0..n) += scale * b[0..n) */
static inline void add_scaled(double *c, double scale, const double *b, size_t n)
{
    for (size_t j = 0; j < n; j++)
        c[j] += scale * b[j];
}

void matmul_ikj(double *c, const double *a, const double *b, size_t n, size_t rows)
{
    memset(c, 0, rows * n * sizeof *c);
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < n; k++)
            add_scaled(c + i * n, a[i * n + k], b + k * n, n);
    }
}

static size_t block_end(size_t start, size_t n)
{
    return start + MATMUL_BLOCK < n ? start + MATMUL_BLOCK : n;
}

/* Adds the product of A's block at (i0, k0) and B's at (k0, j0) to C's at (i0, j0), rows to i1. */
static void add_block(double *c, const double *a, const double *b, size_t n, size_t i0, size_t i1,
                      size_t k0, size_t j0)
{
    size_t width = block_end(j0, n) - j0;
    for (size_t i = i0; i < i1; i++) {
        for (size_t k = k0; k < block_end(k0, n); k++)
            add_scaled(c + i * n + j0, a[i * n + k], b + k * n + j0, width);
    }
}

void matmul_blocked(double *c, const double *a, const double *b, size_t n, size_t rows)
{
    memset(c, 0, rows * n * sizeof *c);
    for (size_t i = 0; i < rows; i += MATMUL_BLOCK) {
        for (size_t k = 0; k < n; k += MATMUL_BLOCK) {
            for (size_t j = 0; j < n; j += MATMUL_BLOCK)
                add_block(c, a, b, n, i, block_end(i, rows), k, j);
        }
    }
}

/* ---- check ------------------------------------------------------------------------------------
 */

static double dot(const double *row, const double *v, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += row[k] * v[k];
    return sum;
}

static double dot_abs(const double *row, const double *v, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += fabs(row[k]) * fabs(v[k]);
    return sum;
}

/*
 * With gamma = n u / (1 - n u), u = 2^-53: C is off by gamma |A||B|, C v by as much again, and so
 * is A (B v) by 2 gamma |A||B||v|: together 4 gamma |A||B||v|. The last factor, a computed sum
 * of positive numbers, is short by less than 3 gamma of itself; 5 covers it for n < 10^12.
 */
size_t matmul_wrong_row(const double *c, const double *a, const double *b, size_t n, size_t rows,
                        const double *v, double *scratch)
{
    double *bv = scratch, *bv_abs = scratch + n;
    double gamma = (double)n * 0x1p-53 / (1 - (double)n * 0x1p-53);
    for (size_t i = 0; i < n; i++) {
        bv[i] = dot(b + i * n, v, n);
        bv_abs[i] = dot_abs(b + i * n, v, n);
    }
    for (size_t i = 0; i < rows; i++) {
        double left = dot(c + i * n, v, n), right = dot(a + i * n, bv, n);
        double bound = 5 * gamma * dot_abs(a + i * n, bv_abs, n);
        if (!(fabs(left - right) <= bound))
            return i;
    }
    return rows;
}
