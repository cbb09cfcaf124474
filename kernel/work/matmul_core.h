/*
 * C = A x B for n x n doubles stored by rows, or its first rows, in three loop orders, and a check.
 *
 * A pure unit, also on hosts. Inner loops are scalar as gcc makes them at the kernel's -O2 (SSE2 on
 * x86_64, no -ffast-math): it may not reorder the sums, and knows neither n nor whether rows
 * overlap. A system test disassembles them, lest a newer compiler use vectors. Each order adds up
 * in ascending k; where a partial sum lives differs, and that is all.
 */
#ifndef TT_WORK_MATMUL_CORE_H
#define TT_WORK_MATMUL_CORE_H

#include <stddef.h>

/* The first `rows` rows of C, at most n: all three orders go through C row by row, or by blocks. */
typedef void (*matmul_fn)(double *c, const double *a, const double *b, size_t n, size_t rows);

/* Textbook: a row of A times a column of B, whose elements are n doubles apart. */
void matmul_ijk(double *c, const double *a, const double *b, size_t n, size_t rows);

/* Rows of B, each scaled, are added to a row of C: every access is to the next double. */
void matmul_ikj(double *c, const double *a, const double *b, size_t n, size_t rows);

/* ikj in blocks of MATMUL_BLOCK x MATMUL_BLOCK. */
void matmul_blocked(double *c, const double *a, const double *b, size_t n, size_t rows);

/* Three blocks, 24 KiB, fit into 32 KiB, the smallest first-level cache since 2006 or so; the
 * 16 KiB of a Pentium III hold the two that the inner loops go over. */
#define MATMUL_BLOCK 32

/*
 * Freivalds' check: with a random vector v, C v must be A (B v). v[0..n) with all |v[i]| >= 1/2, so
 * that no single wrong element can hide; scratch[0..2n). Returns the first of `rows` rows
 * that differs by more than rounding explains, or rows. O(n^2).
 */
size_t matmul_wrong_row(const double *c, const double *a, const double *b, size_t n, size_t rows,
                        const double *v, double *scratch);

#endif
