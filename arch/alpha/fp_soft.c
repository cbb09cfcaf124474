/*
 * IEEE 754 in integers (fp_soft.h): unpack, compute with more bits than needed, round once.
 *
 * An unpacked number has its leading one in bit 63 of sig, so it is sig / 2^63 * 2^exp. What a
 * step cuts off is kept as one sticky bit: rounding needs no more, whatever the mode.
 */
#include "fp_soft.h"

const struct fp_format fp_single = {.fraction_bits = 23, .exponent_bits = 8};
const struct fp_format fp_double = {.fraction_bits = 52, .exponent_bits = 11};

typedef unsigned __int128 u128;

#define TOP (UINT64_C(1) << 63)

enum fp_class { ZERO, FINITE, INFINITE, NAN };

struct number {
    enum fp_class class;
    bool sign;
    int exp;
    uint64_t sig;
};

static uint64_t fraction_mask(const struct fp_format *f)
{
    return (UINT64_C(1) << f->fraction_bits) - 1;
}

static int exponent_max(const struct fp_format *f)
{
    return (1 << f->exponent_bits) - 1; /* of infinities and NaNs */
}

static int bias(const struct fp_format *f)
{
    return (1 << (f->exponent_bits - 1)) - 1;
}

static uint64_t pack(const struct fp_format *f, bool sign, int biased, uint64_t fraction)
{
    return (uint64_t)sign << (f->fraction_bits + f->exponent_bits) |
           (uint64_t)biased << f->fraction_bits | (fraction & fraction_mask(f));
}

static uint64_t infinity(const struct fp_format *f, bool sign)
{
    return pack(f, sign, exponent_max(f), 0);
}

static uint64_t quiet_bit(const struct fp_format *f)
{
    return UINT64_C(1) << (f->fraction_bits - 1);
}

/* What invalid operations give on Alpha: the quiet NaN with the sign set. */
static uint64_t invalid(const struct fp_format *f, struct fp_env *e)
{
    e->flags |= FP_INVALID;
    return pack(f, true, exponent_max(f), quiet_bit(f));
}

static struct number unpack(const struct fp_format *f, uint64_t a)
{
    uint64_t fraction = a & fraction_mask(f);
    int biased = (int)(a >> f->fraction_bits) & exponent_max(f);
    struct number n = {.sign = a >> (f->fraction_bits + f->exponent_bits) & 1};

    if (biased == exponent_max(f)) {
        n.class = fraction ? NAN : INFINITE;
    } else if (!biased && !fraction) {
        n.class = ZERO;
    } else {
        int up;

        n.class = FINITE;
        n.sig = fraction | (biased ? UINT64_C(1) << f->fraction_bits : 0);
        up = __builtin_clzl(n.sig);
        n.sig <<= up;
        n.exp = (biased ? biased : 1) - bias(f) + 63 - (int)f->fraction_bits - up;
    }
    return n;
}

static bool is_nan(const struct fp_format *f, uint64_t a)
{
    return unpack(f, a).class == NAN;
}

static bool is_signalling(const struct fp_format *f, uint64_t a)
{
    return is_nan(f, a) && !(a & quiet_bit(f));
}

/* The NaN operand that the result is, made quiet: b before a, as Alpha has it. */
static uint64_t propagate(const struct fp_format *f, uint64_t a, uint64_t b, struct fp_env *e)
{
    if (is_signalling(f, a) || is_signalling(f, b))
        e->flags |= FP_INVALID;
    return (is_nan(f, b) ? b : a) | quiet_bit(f);
}

/* v / 2^n, the bits cut off kept as a sticky lowest bit. */
static u128 shift_sticky(u128 v, int n)
{
    if (n <= 0)
        return v;
    if (n > 127)
        return v != 0;
    return v >> n | ((v << (128 - n)) != 0);
}

/* Is a magnitude to be rounded up, given its lowest kept bit and the first bit cut and the rest? */
static bool rounds_up(enum fp_round round, bool sign, bool odd, bool half, bool rest)
{
    switch (round) {
    case FP_CHOP:
        return false;
    case FP_DOWN:
        return sign && (half || rest);
    case FP_UP:
        return !sign && (half || rest);
    default:
        return half && (rest || odd);
    }
}

static uint64_t overflow(const struct fp_format *f, bool sign, struct fp_env *e)
{
    bool to_infinity =
        e->round == FP_NEAREST || (e->round == FP_UP && !sign) || (e->round == FP_DOWN && sign);

    e->flags |= FP_OVERFLOW | FP_INEXACT;
    return to_infinity ? infinity(f, sign) : pack(f, sign, exponent_max(f) - 1, fraction_mask(f));
}

/* v without its `cut` lowest bits, rounded; *inexact: whether they were not all 0. */
static uint64_t round_off(u128 v, int cut, enum fp_round round, bool sign, bool *inexact)
{
    uint64_t kept = (uint64_t)(v >> cut);
    bool half = v >> (cut - 1) & 1;
    bool rest = (v << (129 - cut)) != 0;

    *inexact = half || rest;
    return kept + rounds_up(round, sign, kept & 1, half, rest);
}

/* v / 2^126 * 2^exp, rounded and packed. */
static uint64_t finish(const struct fp_format *f, bool sign, int exp, u128 v, struct fp_env *e)
{
    if (!v)
        return pack(f, sign, 0, 0);

    int up = v >> 64 ? __builtin_clzl((uint64_t)(v >> 64)) : 64 + __builtin_clzl((uint64_t)v);

    v <<= up; /* the leading one is bit 127 now */
    exp += 1 - up;

    int biased = exp + bias(f);
    int cut = 127 - (int)f->fraction_bits; /* bits below the lowest that is kept */
    bool inexact, tiny = false;

    if (biased < 1) {
        /* Underflow is judged as if the exponent had no end: what rounds up to normal is none. */
        uint64_t carried = round_off(v, cut, e->round, sign, &inexact) >> f->fraction_bits;

        tiny = biased < 0 || carried < 2;
        v = shift_sticky(v, 1 - biased);
        biased = 1;
    }

    /* Added, not or-ed: a carry out of the fraction is the next exponent, also from denormal. */
    uint64_t bits =
        ((uint64_t)(biased - 1) << f->fraction_bits) + round_off(v, cut, e->round, sign, &inexact);

    if (inexact)
        e->flags |= FP_INEXACT | (tiny ? FP_UNDERFLOW : 0);
    if (bits >> f->fraction_bits >= (uint64_t)exponent_max(f))
        return overflow(f, sign, e);
    return pack(f, sign, 0, 0) | bits;
}

uint64_t fp_add(const struct fp_format *f, uint64_t a, uint64_t b, struct fp_env *e)
{
    struct number x = unpack(f, a), y = unpack(f, b);

    if (x.class == NAN || y.class == NAN)
        return propagate(f, a, b, e);
    if (x.class == INFINITE || y.class == INFINITE) {
        if (x.class == y.class && x.sign != y.sign)
            return invalid(f, e);
        return x.class == INFINITE ? a : b;
    }
    if (x.class == ZERO && y.class == ZERO)
        return x.sign == y.sign ? a : pack(f, e->round == FP_DOWN, 0, 0);
    if (x.class == ZERO || y.class == ZERO)
        return x.class == ZERO ? b : a;

    if (x.exp < y.exp || (x.exp == y.exp && x.sig < y.sig)) {
        struct number swap = x;

        x = y;
        y = swap;
    }

    /* Bit 126 leads, so that a sum has room; 62 bits below are more than rounding can see. */
    u128 big = (u128)x.sig << 63, small = shift_sticky((u128)y.sig << 63, x.exp - y.exp);

    if (x.sign == y.sign)
        return finish(f, x.sign, x.exp, big + small, e);
    if (big == small)
        return pack(f, e->round == FP_DOWN, 0, 0);
    return finish(f, x.sign, x.exp, big - small, e);
}

uint64_t fp_sub(const struct fp_format *f, uint64_t a, uint64_t b, struct fp_env *e)
{
    if (is_nan(f, b))
        return propagate(f, a, b, e);
    return fp_add(f, a, b ^ pack(f, true, 0, 0), e);
}

uint64_t fp_mul(const struct fp_format *f, uint64_t a, uint64_t b, struct fp_env *e)
{
    struct number x = unpack(f, a), y = unpack(f, b);
    bool sign = x.sign != y.sign;

    if (x.class == NAN || y.class == NAN)
        return propagate(f, a, b, e);
    if (x.class == INFINITE || y.class == INFINITE)
        return x.class == ZERO || y.class == ZERO ? invalid(f, e) : infinity(f, sign);
    if (x.class == ZERO || y.class == ZERO)
        return pack(f, sign, 0, 0);
    return finish(f, sign, x.exp + y.exp, (u128)x.sig * y.sig, e);
}

uint64_t fp_div(const struct fp_format *f, uint64_t a, uint64_t b, struct fp_env *e)
{
    struct number x = unpack(f, a), y = unpack(f, b);
    bool sign = x.sign != y.sign;

    if (x.class == NAN || y.class == NAN)
        return propagate(f, a, b, e);
    if (x.class == y.class && x.class != FINITE)
        return invalid(f, e);
    if (x.class == INFINITE)
        return infinity(f, sign);
    if (x.class == ZERO || y.class == INFINITE)
        return pack(f, sign, 0, 0);
    if (y.class == ZERO) {
        e->flags |= FP_DIVZERO;
        return infinity(f, sign);
    }

    u128 rest = x.sig, quotient = 0;

    for (unsigned i = 0; i < 64; i++) { /* its first bit may be 0: 63 are left, 53 are needed */
        quotient <<= 1;
        if (rest >= y.sig) {
            rest -= y.sig;
            quotient |= 1;
        }
        rest <<= 1;
    }
    return finish(f, sign, x.exp - y.exp, quotient << 63 | (rest != 0), e);
}

uint64_t fp_sqrt(const struct fp_format *f, uint64_t a, struct fp_env *e)
{
    struct number x = unpack(f, a);

    if (x.class == NAN)
        return propagate(f, a, a, e);
    if (x.class == ZERO || (x.class == INFINITE && !x.sign))
        return a;
    if (x.sign)
        return invalid(f, e);

    /* sig / 2^63 * 2^exp with an even exponent; two bits of it give one of the root. */
    u128 radicand = (u128)x.sig << (x.exp & 1 ? 64 : 63), rest = 0, root = 0;

    for (unsigned i = 0; i < 64; i++) {
        rest = rest << 2 | radicand >> 126;
        radicand <<= 2;
        root <<= 1;
        if (rest > root << 1) {
            rest -= root << 1 | 1;
            root |= 1;
        }
    }
    return finish(f, false, (x.exp - (x.exp & 1)) / 2, root << 63 | (rest != 0), e);
}

uint64_t fp_convert(const struct fp_format *from, const struct fp_format *to, uint64_t a,
                    struct fp_env *e)
{
    struct number x = unpack(from, a);
    int shift = (int)from->fraction_bits - (int)to->fraction_bits;
    uint64_t fraction = a & fraction_mask(from);

    switch (x.class) {
    case NAN:
        if (is_signalling(from, a))
            e->flags |= FP_INVALID;
        fraction = shift > 0 ? fraction >> shift : fraction << -shift;
        return pack(to, x.sign, exponent_max(to), fraction | quiet_bit(to));
    case INFINITE:
        return infinity(to, x.sign);
    case ZERO:
        return pack(to, x.sign, 0, 0);
    default:
        return finish(to, x.sign, x.exp, (u128)x.sig << 63, e);
    }
}

int64_t fp_to_integer(const struct fp_format *f, uint64_t a, struct fp_env *e)
{
    struct number x = unpack(f, a);

    if (x.class == ZERO)
        return 0;
    if (x.class != FINITE) {
        e->flags |= FP_INVALID;
        return 0;
    }

    /* The point stands below bit 64. An exponent of 64 leaves bits that do not fit. */
    u128 v = (u128)x.sig << 1;

    if (x.exp >= 64) {
        e->flags |= FP_INT_OVERFLOW;
        uint64_t low = x.exp - 63 < 64 ? x.sig << (x.exp - 63) : 0;

        return (int64_t)(x.sign ? -low : low);
    }
    v = x.exp >= 0 ? v << x.exp : shift_sticky(v, -x.exp);

    bool inexact;
    uint64_t integer = round_off(v, 64, e->round, x.sign, &inexact);

    if (inexact)
        e->flags |= FP_INEXACT;
    if (integer > TOP - !x.sign)
        e->flags |= FP_INT_OVERFLOW;
    return (int64_t)(x.sign ? -integer : integer);
}

bool fp_compare(const struct fp_format *f, enum fp_relation want, uint64_t a, uint64_t b,
                struct fp_env *e)
{
    uint64_t sign = pack(f, true, 0, 0);

    if (is_nan(f, a) || is_nan(f, b)) {
        bool signals = is_signalling(f, a) || is_signalling(f, b);

        if (signals || want == FP_LESS || want == FP_LESS_EQUAL)
            e->flags |= FP_INVALID;
        return want == FP_UNORDERED;
    }

    bool equal = a == b || ((a | b) & ~sign) == 0; /* both zeros are equal */
    bool less = (a & sign) != (b & sign) ? (a & sign) != 0 : a & sign ? a > b : a < b;

    switch (want) {
    case FP_EQUAL:
        return equal;
    case FP_LESS:
        return less && !equal;
    case FP_LESS_EQUAL:
        return less || equal;
    default:
        return false;
    }
}
