/*
 * Floating point: the control register, and the completion of instructions that the FPU leaves to
 * software (arithmetic traps).
 */
#ifndef ALPHA_FP_ARITH_H
#define ALPHA_FP_ARITH_H

#include <stdbool.h>
#include <stdint.h>

struct trap_frame;

/* IEEE 754's defaults: round to nearest, no exception ends a program, denormals count. */
void fp_arith_init(void);

/*
 * An arithmetic trap: finishes the instruction and returns true when its /S qualifier asks for
 * that; false when it does not, which is an error of the program.
 */
bool fp_arith_complete(struct trap_frame *f);

/* Text for an exception summary. */
const char *fp_arith_name(uint64_t summary);

#endif
