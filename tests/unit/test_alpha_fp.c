/*
 * The Alpha port's arithmetic in integers (arch/alpha/fp_soft.c) against the host's FPU: results
 * and flags, both formats, all four rounding modes, mostly near denormals.
 */
#include "host.h"

#include "core/rng.h"
#include "core/types.h"
#include "fp_soft.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#define ROUNDS 1000000

static const int host_mode[] = {[FP_CHOP] = FE_TOWARDZERO,
                                [FP_DOWN] = FE_DOWNWARD,
                                [FP_NEAREST] = FE_TONEAREST,
                                [FP_UP] = FE_UPWARD};

enum op { ADD, SUB, MUL, DIV, ROOT, CONVERT, COMPARISONS, OPS };

static double as_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof(d));
    return d;
}

static uint64_t double_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

static float as_single(uint64_t bits)
{
    uint32_t b = (uint32_t)bits;
    float f;
    memcpy(&f, &b, sizeof(f));
    return f;
}

static uint64_t single_bits(float f)
{
    uint32_t b;
    memcpy(&b, &f, sizeof(b));
    return b;
}

static unsigned host_flags(void)
{
    int x = fetestexcept(FE_ALL_EXCEPT);
    return (x & FE_INVALID ? FP_INVALID : 0) | (x & FE_DIVBYZERO ? FP_DIVZERO : 0) |
           (x & FE_OVERFLOW ? FP_OVERFLOW : 0) | (x & FE_UNDERFLOW ? FP_UNDERFLOW : 0) |
           (x & FE_INEXACT ? FP_INEXACT : 0);
}

/* The host's answer, computed between clearing and reading its flags. */
static uint64_t host_double(enum op op, uint64_t a_bits, uint64_t b_bits)
{
    volatile double a = as_double(a_bits), b = as_double(b_bits), r = 0;
    volatile float single = 0;

    feclearexcept(FE_ALL_EXCEPT);
    switch (op) {
    case ADD:
        r = a + b;
        break;
    case SUB:
        r = a - b;
        break;
    case MUL:
        r = a * b;
        break;
    case DIV:
        r = a / b;
        break;
    case ROOT:
        r = __builtin_sqrt(a);
        break;
    case COMPARISONS:
        return (uint64_t)(__builtin_isunordered(a, b) | (a == b) << 1 | (a < b) << 2 |
                          (a <= b) << 3);
    default:
        single = (float)a;
        return single_bits(single);
    }
    return double_bits(r);
}

static uint64_t host_single(enum op op, uint64_t a_bits, uint64_t b_bits)
{
    volatile float a = as_single(a_bits), b = as_single(b_bits), r = 0;
    volatile double wide = 0;

    feclearexcept(FE_ALL_EXCEPT);
    switch (op) {
    case ADD:
        r = a + b;
        break;
    case SUB:
        r = a - b;
        break;
    case MUL:
        r = a * b;
        break;
    case DIV:
        r = a / b;
        break;
    case ROOT:
        r = __builtin_sqrtf(a);
        break;
    case COMPARISONS:
        return (uint64_t)(__builtin_isunordered(a, b) | (a == b) << 1 | (a < b) << 2 |
                          (a <= b) << 3);
    default:
        wide = a;
        return double_bits(wide);
    }
    return single_bits(r);
}

static uint64_t ours(const struct fp_format *f, enum op op, uint64_t a, uint64_t b,
                     struct fp_env *e)
{
    const struct fp_format *other = f == &fp_double ? &fp_single : &fp_double;
    uint64_t bits = 0;

    switch (op) {
    case ADD:
        return fp_add(f, a, b, e);
    case SUB:
        return fp_sub(f, a, b, e);
    case MUL:
        return fp_mul(f, a, b, e);
    case DIV:
        return fp_div(f, a, b, e);
    case ROOT:
        return fp_sqrt(f, a, e);
    case COMPARISONS:
        for (int want = FP_UNORDERED; want <= FP_LESS_EQUAL; want++)
            bits |= (uint64_t)fp_compare(f, (enum fp_relation)want, a, b, e) << want;
        return bits;
    default:
        return fp_convert(f, other, a, e);
    }
}

/* Exponents at the ends and in the middle of the range, fractions with few or with many bits. */
static uint64_t draw(struct rng *r, const struct fp_format *f)
{
    uint64_t max = (UINT64_C(1) << f->exponent_bits) - 1, biased;
    uint64_t fraction = rng_next(r) & ((UINT64_C(1) << f->fraction_bits) - 1);

    switch (rng_below(r, 6)) {
    case 0:
        biased = 0;
        break;
    case 1:
        biased = rng_below(r, 4);
        break;
    case 2:
        biased = max - rng_below(r, 3);
        break;
    case 3:
        biased = max / 2 + rng_below(r, 120) - 60;
        break;
    default:
        biased = rng_below(r, (uint32_t)max + 1);
        break;
    }
    switch (rng_below(r, 4)) {
    case 0:
        fraction = 0;
        break;
    case 1:
        fraction >>= rng_below(r, f->fraction_bits);
        break;
    case 2:
        fraction = ((UINT64_C(1) << f->fraction_bits) - 1) & ~(fraction >> rng_below(r, 50));
        break;
    default:
        break;
    }
    return (rng_next(r) & 1) << (f->exponent_bits + f->fraction_bits) | biased << f->fraction_bits |
           fraction;
}

static bool nan_bits(const struct fp_format *f, uint64_t bits)
{
    uint64_t max = (UINT64_C(1) << f->exponent_bits) - 1;

    return (bits >> f->fraction_bits & max) == max &&
           bits & ((UINT64_C(1) << f->fraction_bits) - 1);
}

static bool quiet(const struct fp_format *f, uint64_t bits)
{
    return nan_bits(f, bits) && bits >> (f->fraction_bits - 1) & 1;
}

/* Of two NaNs Alpha propagates the second and x86 the first: any quiet one is right. */
static bool same(const struct fp_format *f, enum op op, uint64_t got, uint64_t want)
{
    const struct fp_format *result = f;

    if (op == CONVERT)
        result = f == &fp_double ? &fp_single : &fp_double;
    return got == want || (op != COMPARISONS && quiet(result, got) && quiet(result, want));
}

static void against_the_host(const struct fp_format *f)
{
    struct rng r = rng_stream(1, f->fraction_bits);

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct fp_env e = {.round = (enum fp_round)rng_below(&r, 4)};
        enum op op = (enum op)rng_below(&r, OPS);
        uint64_t a = draw(&r, f), b = draw(&r, f);

        fesetround(host_mode[e.round]);
        uint64_t want = f == &fp_double ? host_double(op, a, b) : host_single(op, a, b);
        unsigned flags = host_flags();
        fesetround(FE_TONEAREST);
        uint64_t got = ours(f, op, a, b, &e);

        if (!same(f, op, got, want) || e.flags != flags)
            fail_msg("op %d, mode %d: %lx, %lx: %lx with flags %x, should be %lx with %x", op,
                     e.round, a, b, got, e.flags, want, flags);
    }
}

static void doubles_are_the_hosts(void **state)
{
    (void)state;
    against_the_host(&fp_double);
}

static void singles_are_the_hosts(void **state)
{
    (void)state;
    against_the_host(&fp_single);
}

static void the_second_nan_is_propagated(void **state)
{
    (void)state;
    struct fp_env e = {.round = FP_NEAREST};
    uint64_t first = 0x7ff8000000000001, second = 0xfff8000000000002;

    assert_int_equal(fp_add(&fp_double, first, second, &e), second);
    assert_int_equal(fp_add(&fp_double, first, 0, &e), first);
    assert_int_equal(e.flags, 0);
    assert_int_equal(fp_mul(&fp_double, 0x7ff0000000000001, 0, &e), 0x7ff8000000000001);
    assert_int_equal(e.flags, FP_INVALID);
}

static void integers_are_the_hosts(void **state)
{
    (void)state;
    struct rng r = rng_stream(2, 1);

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct fp_env e = {.round = (enum fp_round)rng_below(&r, 4)};
        uint64_t a = draw(&r, &fp_double);
        volatile double d = as_double(a);

        if (!(fabs(d) < 0x1p63)) /* a NaN too */
            continue;
        fesetround(host_mode[e.round]);
        feclearexcept(FE_ALL_EXCEPT);
        int64_t want = llrint(d);
        unsigned flags = host_flags();
        fesetround(FE_TONEAREST);
        int64_t got = fp_to_integer(&fp_double, a, &e);

        if (got != want || e.flags != flags)
            fail_msg("mode %d: %a: %ld with flags %x, should be %ld with %x", e.round, d, (long)got,
                     e.flags, (long)want, flags);
    }
}

/* What x86 answers with one value, Alpha answers with the low 64 bits. */
static void integers_that_do_not_fit(void **state)
{
    (void)state;
    static const struct {
        double value;
        int64_t low;
        unsigned flags;
    } cases[] = {
        {0x1p63, INT64_MIN, FP_INT_OVERFLOW},
        {-0x1p63, INT64_MIN, 0},
        {0x1p64, 0, FP_INT_OVERFLOW},
        {0x1.8p64, INT64_MIN, FP_INT_OVERFLOW},
        {-0x1.0000000000001p64, -4096, FP_INT_OVERFLOW},
        {0x1p200, 0, FP_INT_OVERFLOW},
        {INFINITY, 0, FP_INVALID},
        {NAN, 0, FP_INVALID},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fp_env e = {.round = FP_NEAREST};
        assert_int_equal(fp_to_integer(&fp_double, double_bits(cases[i].value), &e), cases[i].low);
        assert_int_equal(e.flags, cases[i].flags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_are_the_hosts),        cmocka_unit_test(singles_are_the_hosts),
        cmocka_unit_test(the_second_nan_is_propagated), cmocka_unit_test(integers_are_the_hosts),
        cmocka_unit_test(integers_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
