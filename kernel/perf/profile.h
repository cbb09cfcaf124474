/*
 * A profile by the cache model: where the modelled processor is, every so many of its cycles.
 *
 * The model samples the program counter by its serial clock into a histogram of ours, a bucket to
 * 16 bytes of code, so a stall of 90 cycles weighs 90 and not one instruction. (A timer tick under
 * -icount would weigh instructions.) The kernel's own code only; nothing without a model.
 */
#ifndef TT_PERF_PROFILE_H
#define TT_PERF_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_BUCKET_SHIFT 4 /* gcc aligns functions to 16 bytes: a bucket lies in one */

/* Buckets that cover the kernel's code. */
size_t profile_buckets(void);

/* First address of a bucket. */
uintptr_t profile_bucket_pc(size_t bucket);

/* Clears the histogram and samples every `cycles` from now on. False: no model, or it refused. */
bool profile_start(uint64_t cycles);

/* Ends sampling and adds the histogram to sums[0..profile_buckets()). */
void profile_stop(uint32_t *sums);

#endif
