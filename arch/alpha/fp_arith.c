/*
 * Arithmetic traps: instructions with /S that the FPU did not finish are done again in integers
 * (fp_soft.c) and their result is put where it belongs. See fp_arith.h.
 *
 * Traps are precise on the 21264 and on QEMU: the instruction stands right before pc. An older CPU
 * would report one of several; such an image does not run there (BWX, CIX).
 */
#include "fp_arith.h"

#include "fp_soft.h"
#include "frame.h"

#include <arch/boot.h>

/* Exception summary, as entArith gets it. */
#define SUM_SOFTWARE  0x01 /* what trapped has /S */
#define SUM_INVALID   0x02
#define SUM_DIVZERO   0x04
#define SUM_OVERFLOW  0x08
#define SUM_UNDERFLOW 0x10
#define SUM_INEXACT   0x20
#define SUM_INTEGER   0x40

/* Floating point control register. */
#define FPCR_ROUND_SHIFT   58
#define FPCR_ROUND_NEAREST (2ul << FPCR_ROUND_SHIFT)
#define FPCR_NO_INVALID    (1ul << 49) /* this and the next: no trap, but the IEEE result */
#define FPCR_NO_DIVZERO    (1ul << 50)
#define FPCR_NO_OVERFLOW   (1ul << 51)
#define FPCR_NO_INEXACT    (1ul << 62)
#define FPCR_FLAGS_SHIFT   52
#define FPCR_SUMMARY       (1ul << 63)

/* Opcodes with floating point arithmetic: IEEE, and square roots. */
#define OP_IEEE 0x16
#define OP_ROOT 0x14

/* Function field: operation, source type, rounding; above them trap qualifiers. */
#define FN_ROUND_SHIFT 6
#define FN_ROUND_FPCR  3
#define FN_CVTST       0x2ac /* differs from CVTTS in two trap qualifier bits */
#define FN_CVTST_MASK  0x3ff

enum { FN_ADD, FN_SUB, FN_MUL, FN_DIV, FN_CMPUN, FN_CMPEQ, FN_CMPLT, FN_CMPLE };
enum { FN_TO_S = 12, FN_TO_T = 14, FN_TO_Q = 15, FN_ROOT = 11 };
enum { TYPE_S, TYPE_T = 2 };

/* Comparisons answer 2.0 or 0. */
#define FP_TRUE 0x4000000000000000

void fp_regs_save(uint64_t r[32]);
void fp_regs_load(const uint64_t r[32]);

static uint64_t read_fpcr(void)
{
    uint64_t kept, fpcr;

    __asm__ volatile("stt $f0, %0\n\texcb\n\tmf_fpcr $f0\n\tstt $f0, %1\n\tldt $f0, %0"
                     : "=m"(kept), "=m"(fpcr));
    return fpcr;
}

static void write_fpcr(uint64_t fpcr)
{
    uint64_t kept;

    __asm__ volatile("stt $f0, %0\n\tldt $f0, %1\n\tmt_fpcr $f0\n\texcb\n\tldt $f0, %0"
                     : "=m"(kept)
                     : "m"(fpcr));
}

/*
 * Denormal operands and results still trap: no FPU here computes with them. That they do is
 * what completes them, so DNZ, UNDZ and UNFD stay clear.
 */
void fp_arith_init(void)
{
    write_fpcr(FPCR_ROUND_NEAREST | FPCR_NO_INVALID | FPCR_NO_DIVZERO | FPCR_NO_OVERFLOW |
               FPCR_NO_INEXACT);
}

/* A single in a register has the exponent of a double (Alpha ARM, S_floating, MAP_S). */
static uint64_t single_from_register(uint64_t r)
{
    return r >> 62 << 30 | (r >> 29 & 0x3fffffff);
}

static uint64_t single_to_register(uint64_t s)
{
    uint64_t exponent = s >> 23 & 0xff, wide = exponent;

    if (exponent == 0xff)
        wide = 0x7ff;
    else if (exponent)
        wide = (exponent & 0x80) << 3 | (exponent & 0x80 ? 0 : 0x380) | (exponent & 0x7f);
    return s >> 31 << 63 | wide << 52 | (s & 0x7fffff) << 29;
}

/* Two operands of one format, one result of the same. */
static bool binary(unsigned op, const struct fp_format *f, uint64_t a, uint64_t b,
                   struct fp_env *env, uint64_t *result)
{
    switch (op) {
    case FN_ADD:
        *result = fp_add(f, a, b, env);
        return true;
    case FN_SUB:
        *result = fp_sub(f, a, b, env);
        return true;
    case FN_MUL:
        *result = fp_mul(f, a, b, env);
        return true;
    case FN_DIV:
        *result = fp_div(f, a, b, env);
        return true;
    default:
        return false;
    }
}

/* Computes what the instruction says into *c, in register form; false: not one that is known. */
static bool compute(uint32_t code, const uint64_t *fpr, struct fp_env *env, uint64_t *c)
{
    unsigned function = code >> 5 & 0x7ff, op = function & 15, type = function >> 4 & 3;
    unsigned opcode = code >> 26;
    uint64_t a = fpr[code >> 21 & 31], b = fpr[code >> 16 & 31];
    const struct fp_format *f = type == TYPE_S ? &fp_single : &fp_double;

    if (opcode == OP_IEEE && (function & FN_CVTST_MASK) == FN_CVTST) {
        *c = fp_convert(&fp_single, &fp_double, single_from_register(b), env);
        return true;
    }
    if (type != TYPE_S && type != TYPE_T)
        return false; /* from an integer: never denormal */
    if (type == TYPE_S) {
        a = single_from_register(a);
        b = single_from_register(b);
    }
    if (opcode == OP_ROOT && op == FN_ROOT) {
        *c = fp_sqrt(f, b, env);
    } else if (opcode != OP_IEEE) {
        return false;
    } else if (type == TYPE_T && op >= FN_CMPUN && op <= FN_CMPLE) {
        *c = fp_compare(f, op - FN_CMPUN + FP_UNORDERED, a, b, env) ? FP_TRUE : 0;
        return true;
    } else if (type == TYPE_T && op == FN_TO_S) {
        *c = single_to_register(fp_convert(&fp_double, &fp_single, b, env));
        return true;
    } else if (type == TYPE_T && op == FN_TO_Q) {
        *c = (uint64_t)fp_to_integer(f, b, env);
        return true;
    } else if (!binary(op, f, a, b, env, c)) {
        return false;
    }
    if (type == TYPE_S)
        *c = single_to_register(*c);
    return true;
}

bool fp_arith_complete(struct trap_frame *f)
{
    uintptr_t at = f->pal.pc - sizeof(uint32_t);
    uint64_t fpr[32], fpcr, result;

    if (!(f->arg[0] & SUM_SOFTWARE) || at < (uintptr_t)__text_start || at >= (uintptr_t)__text_end)
        return false;

    uint32_t code = *(const uint32_t *)at;
    unsigned round = code >> (5 + FN_ROUND_SHIFT) & 3;
    struct fp_env env = {0};

    fp_regs_save(fpr);
    fpcr = read_fpcr();
    env.round = round == FN_ROUND_FPCR ? fpcr >> FPCR_ROUND_SHIFT & 3 : round;
    if (!compute(code, fpr, &env, &result))
        return false;
    fpr[code & 31] = result;
    fp_regs_load(fpr);
    if (env.flags)
        write_fpcr(fpcr | FPCR_SUMMARY | (uint64_t)env.flags << FPCR_FLAGS_SHIFT);
    return true;
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
