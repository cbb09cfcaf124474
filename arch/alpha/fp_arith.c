/*
 * Arithmetic traps. See fp_arith.h.
 */
#include "fp_arith.h"

#include "frame.h"

/* Exception summary, as entArith gets it. */
#define SUM_SOFTWARE  0x01 /* every instruction that trapped has /S */
#define SUM_INVALID   0x02
#define SUM_DIVZERO   0x04
#define SUM_OVERFLOW  0x08
#define SUM_UNDERFLOW 0x10
#define SUM_INEXACT   0x20
#define SUM_INTEGER   0x40

/* Floating point control register. */
#define FPCR_ROUND_NEAREST (2ul << 58)
#define FPCR_NO_INVALID    (1ul << 49) /* these and the next: no trap, the IEEE result */
#define FPCR_NO_DIVZERO    (1ul << 50)
#define FPCR_NO_OVERFLOW   (1ul << 51)
#define FPCR_NO_INEXACT    (1ul << 62)

void fp_arith_init(void)
{
    uint64_t fpcr =
        FPCR_ROUND_NEAREST | FPCR_NO_INVALID | FPCR_NO_DIVZERO | FPCR_NO_OVERFLOW | FPCR_NO_INEXACT;

    __asm__ volatile("ldt $f0, %0\n\tmt_fpcr $f0" ::"m"(fpcr));
}

/* QEMU traps with the IEEE result in place, unless an operand was denormal. */
bool fp_arith_complete(struct trap_frame *f)
{
    return f->arg[0] & SUM_SOFTWARE;
}

const char *fp_arith_name(uint64_t summary)
{
    if (summary & SUM_DIVZERO)
        return "floating point divide by zero";
    if (summary & SUM_OVERFLOW)
        return "floating point overflow";
    if (summary & SUM_UNDERFLOW)
        return "floating point underflow";
    if (summary & SUM_INTEGER)
        return "integer overflow";
    if (summary & SUM_INEXACT)
        return "floating point inexact";
    return summary & SUM_INVALID ? "floating point invalid operation" : "arithmetic trap";
}
