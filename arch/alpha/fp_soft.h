/*
 * IEEE 754 arithmetic on single and double precision in integer registers: the instructions that
 * the FPU hands over when an operand or the result is denormal.
 *
 * Values are in memory format (32 or 64 bits), never in the form that singles have in a register.
 * Correctly rounded in all four modes. Pure functions, without floating point of their own, so
 * that traps can use them and the host can test them.
 */
#ifndef ALPHA_FP_SOFT_H
#define ALPHA_FP_SOFT_H

#include <stdbool.h>
#include <stdint.h>

struct fp_format {
    unsigned fraction_bits; /* without the leading one */
    unsigned exponent_bits;
};
extern const struct fp_format fp_single, fp_double;

/* The two bits of an instruction or of FPCR. */
enum fp_round { FP_CHOP, FP_DOWN, FP_NEAREST, FP_UP };

/* Flags, at FPCR's places less 52. */
enum {
    FP_INVALID = 1,
    FP_DIVZERO = 2,
    FP_OVERFLOW = 4,
    FP_UNDERFLOW = 8,
    FP_INEXACT = 16,
    FP_INT_OVERFLOW = 32,
};

/* A computation's surroundings: flags are added to, never cleared. */
struct fp_env {
    enum fp_round round;
    unsigned flags;
};

uint64_t fp_add(const struct fp_format *f, uint64_t a, uint64_t b, struct fp_env *e);
uint64_t fp_sub(const struct fp_format *f, uint64_t a, uint64_t b, struct fp_env *e);
uint64_t fp_mul(const struct fp_format *f, uint64_t a, uint64_t b, struct fp_env *e);
uint64_t fp_div(const struct fp_format *f, uint64_t a, uint64_t b, struct fp_env *e);
uint64_t fp_sqrt(const struct fp_format *f, uint64_t a, struct fp_env *e);

/* From one format to the other. */
uint64_t fp_convert(const struct fp_format *from, const struct fp_format *to, uint64_t a,
                    struct fp_env *e);

/* To a 64-bit integer; NaN and infinities give 0, what is too large its low bits. */
int64_t fp_to_integer(const struct fp_format *f, uint64_t a, struct fp_env *e);

/* Invalid: equal and unordered for a signalling NaN, the other two for any NaN. */
enum fp_relation { FP_UNORDERED, FP_EQUAL, FP_LESS, FP_LESS_EQUAL };
bool fp_compare(const struct fp_format *f, enum fp_relation want, uint64_t a, uint64_t b,
                struct fp_env *e);

#endif
