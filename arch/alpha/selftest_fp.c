/*
 * Self-tests of floating point as IEEE 754 wants it: `fp_ieee` (infinities, NaNs, overflow and
 * denormals, through the FPU and the traps that complete it) and `guard_fp` (a call that a trap
 * ends gives its caller's registers back).
 *
 * Compiled with floating point (arch.mk); every operand is volatile, so that nothing is folded.
 */
#include "core/cpu.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "core/trap.h"

#include <string.h>

enum op { ADD, SUB, MUL, DIV, ROOT, LESS, EQUAL, TO_SINGLE, TO_DOUBLE, TO_INTEGER };

/* Doubles as bits. */
#define ONE        0x3ff0000000000000
#define TWO        0x4000000000000000
#define ZERO       0x0000000000000000
#define MINUS_ZERO 0x8000000000000000
#define INF        0x7ff0000000000000
#define MINUS_INF  0xfff0000000000000
#define QNAN       0x7ff8000000000123
#define NEW_NAN    0xfff8000000000000 /* what invalid operations make */
#define HUGE_      0x7fefffffffffffff
#define NORMAL_MIN 0x0010000000000000
#define HALF_MIN   0x0008000000000000
#define TINY       0x0000000000000001
#define TWO_52     0x4330000000000000
#define TWO_M130   0x37d0000000000000 /* as a single: denormal */
#define TWO_M200   0x3370000000000000 /* as a single: 0 */

/* Singles as bits. */
#define S_TWO_M130 0x00080000
#define S_TWO_M131 0x00040000
#define S_TWO_M1   0x3f000000

static const struct fp_case {
    const char *what;
    enum op op;
    bool single;
    uint64_t a, b, result;
} cases[] = {
    {"1 / 0", DIV, false, ONE, ZERO, INF},
    {"1 / -0", DIV, false, ONE, MINUS_ZERO, MINUS_INF},
    {"0 / 0", DIV, false, ZERO, ZERO, NEW_NAN},
    {"inf - inf", SUB, false, INF, INF, NEW_NAN},
    {"inf * 0", MUL, false, INF, ZERO, NEW_NAN},
    {"inf + 1", ADD, false, INF, ONE, INF},
    {"NaN + 1", ADD, false, QNAN, ONE, QNAN},
    {"NaN == NaN", EQUAL, false, QNAN, QNAN, 0},
    {"huge * 2", MUL, false, HUGE_, TWO, INF},
    {"huge + huge", ADD, false, HUGE_, HUGE_, INF},
    {"sqrt(-1)", ROOT, false, ONE | MINUS_ZERO, 0, NEW_NAN},
    {"min / 2", DIV, false, NORMAL_MIN, TWO, HALF_MIN},
    {"min - tiny", SUB, false, NORMAL_MIN, TINY, NORMAL_MIN - 1},
    {"denormal + denormal", ADD, false, HALF_MIN, HALF_MIN, NORMAL_MIN},
    {"denormal * 2", MUL, false, TINY, TWO, 2 * TINY},
    {"denormal * 2^52", MUL, false, TINY, TWO_52, NORMAL_MIN},
    {"tiny / 2 to even", DIV, false, TINY, TWO, ZERO},
    {"denormal / denormal", DIV, false, HALF_MIN, TINY, 0x4320000000000000},
    {"sqrt(denormal)", ROOT, false, TINY, 0, 0x1e60000000000000},
    {"denormal < 1", LESS, false, TINY, ONE, 1},
    {"denormal == 0", EQUAL, false, TINY, ZERO, 0},
    {"denormal to integer", TO_INTEGER, false, TINY, 0, 0},
    {"double to denormal single", TO_SINGLE, false, TWO_M130, 0, S_TWO_M130},
    {"double to single 0", TO_SINGLE, false, TWO_M200, 0, 0},
    {"denormal single to double", TO_DOUBLE, true, S_TWO_M130, 0, TWO_M130},
    {"denormal single * 0.5", MUL, true, S_TWO_M130, S_TWO_M1, S_TWO_M131},
    {"denormal single + itself", ADD, true, S_TWO_M131, S_TWO_M131, S_TWO_M130},
};

static double from_bits(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof(d));
    return d;
}

static uint64_t to_bits(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

static uint64_t single_bits(float s)
{
    uint32_t bits;

    memcpy(&bits, &s, sizeof(bits));
    return bits;
}

static uint64_t compute_single(const struct fp_case *c)
{
    uint32_t a_bits = (uint32_t)c->a, b_bits = (uint32_t)c->b;
    volatile float a, b;

    memcpy((void *)&a, &a_bits, sizeof(a));
    memcpy((void *)&b, &b_bits, sizeof(b));
    switch (c->op) {
    case ADD:
        return single_bits(a + b);
    case MUL:
        return single_bits(a * b);
    case TO_DOUBLE:
        return to_bits((double)a);
    default:
        return ~c->result;
    }
}

static uint64_t compute(const struct fp_case *c)
{
    volatile double a = from_bits(c->a), b = from_bits(c->b);

    switch (c->op) {
    case ADD:
        return to_bits(a + b);
    case SUB:
        return to_bits(a - b);
    case MUL:
        return to_bits(a * b);
    case DIV:
        return to_bits(a / b);
    case ROOT: {
        double root;

        __asm__ volatile("sqrtt/su %1, %0\n\ttrapb" : "=&f"(root) : "f"(a));
        return to_bits(root);
    }
    case LESS:
        return a < b;
    case EQUAL:
        return a == b;
    case TO_SINGLE:
        return single_bits((float)a);
    case TO_INTEGER:
        return (uint64_t)(long)a;
    default:
        return ~c->result;
    }
}

static const char *volatile wrong; /* which case, on which CPU */
static volatile unsigned wrong_cpu;

static void ieee_here(void *arg)
{
    uint64_t before = trap_count(TRAP_ARITH);

    (void)arg;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct fp_case *c = &cases[i];

        if ((c->single ? compute_single(c) : compute(c)) != c->result) {
            wrong_cpu = cpu_id();
            wrong = c->what;
        }
    }
    if (trap_count(TRAP_ARITH) != before)
        wrong = "an operation was reported as an error";
}

/* On every CPU: each has a control register of its own, and traps on its own stack. */
static enum selftest_verdict ieee(char *msg, size_t msg_bytes)
{
    wrong = NULL;
    if (cpus_run(cpus_running(), ieee_here, NULL, msg, msg_bytes))
        return SELFTEST_FAIL;
    if (!wrong)
        return SELFTEST_OK;
    ksnprintf(msg, msg_bytes, "CPU %u: %s", wrong_cpu, wrong);
    return SELFTEST_FAIL;
}

REGISTER(selftest, fp_ieee) = {
    .name = "fp_ieee",
    .proves = "NaN, infinities, overflow and denormals follow IEEE 754, on every CPU",
    .run = ieee,
};

/* ---- guarded calls ------------------------------------------------------------------------- */

/* Of f2 to f9, which are the caller's: the first two and the last two. */
#define KEPT 4
static const unsigned kept[KEPT] = {2, 3, 8, 9};

/* Overwrites them and then traps. */
static void lose(void *arg)
{
    (void)arg;
    __asm__ volatile(
        ".irp n, 2, 3, 4, 5, 6, 7, 8, 9\n\tfmov $f31, $f\\n\n\t.endr\n\tcall_pal 0x81" ::
            : "$f2", "$f3", "$f4", "$f5", "$f6", "$f7", "$f8", "$f9");
}

static enum selftest_verdict guard_fp(char *msg, size_t msg_bytes)
{
    uint64_t in[KEPT], out[KEPT];
    struct trap_info t;

    for (unsigned i = 0; i < KEPT; i++)
        in[i] = to_bits(1.0 + i);

    register double f2 __asm__("$f2") = from_bits(in[0]);
    register double f3 __asm__("$f3") = from_bits(in[1]);
    register double f8 __asm__("$f8") = from_bits(in[2]);
    register double f9 __asm__("$f9") = from_bits(in[3]);

    __asm__ volatile("" : "+f"(f2), "+f"(f3), "+f"(f8), "+f"(f9));
    bool returned = trap_guard(lose, NULL, &t);
    __asm__ volatile("stt $f2, %0\n\tstt $f3, %1\n\tstt $f8, %2\n\tstt $f9, %3"
                     : "=m"(out[0]), "=m"(out[1]), "=m"(out[2]), "=m"(out[3])
                     : "f"(f2), "f"(f3), "f"(f8), "f"(f9));
    if (returned) {
        ksnprintf(msg, msg_bytes, "nothing stopped it");
        return SELFTEST_FAIL;
    }
    for (unsigned i = 0; i < KEPT; i++) {
        if (in[i] != out[i]) {
            ksnprintf(msg, msg_bytes, "f%u: %lx before, %lx after", kept[i], in[i], out[i]);
            return SELFTEST_FAIL;
        }
    }
    return SELFTEST_OK;
}

REGISTER(selftest, guard_fp) = {
    .name = "guard_fp",
    .proves = "a call that a trap ends leaves its caller's floating point registers alone",
    .run = guard_fp,
};
