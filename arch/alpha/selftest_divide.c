/*
 * Self-test `division`: the functions that the compiler calls (divide.S) against a division by
 * shifting and subtracting in C.
 */
#include "core/kprintf.h"
#include "core/rng.h"
#include "core/selftest.h"
#include "core/types.h"

#define ROUNDS 20000

struct quotient {
    uint64_t quotient, rest;
};

static struct quotient naive(uint64_t a, uint64_t b)
{
    struct quotient q = {0, 0};

    for (int bit = 63; bit >= 0; bit--) {
        bool carry = q.rest >> 63;

        q.rest = q.rest << 1 | (a >> bit & 1);
        if (carry || q.rest >= b) {
            q.rest -= b;
            q.quotient |= UINT64_C(1) << bit;
        }
    }
    return q;
}

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* All eight functions on one pair; volatile: the compiler must call them. */
static const char *check_pair(uint64_t x, uint64_t y)
{
    volatile uint64_t a = x, b = y;
    volatile uint32_t a32 = (uint32_t)x, b32 = (uint32_t)y;
    struct quotient u = naive(a, b), s = naive(magnitude((int64_t)x), magnitude((int64_t)y));
    bool negative = (int64_t)(x ^ y) < 0;

    if (a / b != u.quotient)
        return "__divqu";
    if (a % b != u.rest)
        return "__remqu";
    if ((uint64_t)((int64_t)a / (int64_t)b) != (negative ? -s.quotient : s.quotient))
        return "__divq";
    if ((uint64_t)((int64_t)a % (int64_t)b) != ((int64_t)x < 0 ? -s.rest : s.rest))
        return "__remq";
    if (!b32)
        return NULL;

    u = naive(a32, b32);
    s = naive(magnitude((int32_t)a32), magnitude((int32_t)b32));
    negative = (int32_t)(a32 ^ b32) < 0;
    if (a32 / b32 != u.quotient)
        return "__divlu";
    if (a32 % b32 != u.rest)
        return "__remlu";
    if ((int32_t)a32 / (int32_t)b32 != (int32_t)(negative ? -s.quotient : s.quotient))
        return "__divl";
    if ((int32_t)a32 % (int32_t)b32 != (int32_t)((int32_t)a32 < 0 ? -s.rest : s.rest))
        return "__reml";
    return NULL;
}

static enum selftest_verdict division(char *msg, size_t msg_bytes)
{
    static const uint64_t edge[] = {1,          2,
                                    3,          10,
                                    0x7fffffff, 0x80000000,
                                    0xffffffff, 0x100000000,
                                    INT64_MAX,  (uint64_t)INT64_MIN,
                                    UINT64_MAX, UINT64_MAX - 1};
    struct rng r = rng_stream(1, 1);

    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t a = rng_next(&r) >> rng_below(&r, 64), b = rng_next(&r) >> rng_below(&r, 64);

        if (i < ARRAY_SIZE(edge) * ARRAY_SIZE(edge)) {
            a = edge[i % ARRAY_SIZE(edge)];
            b = edge[i / ARRAY_SIZE(edge)];
        }

        const char *wrong = b ? check_pair(a, b) : NULL;

        if (wrong) {
            ksnprintf(msg, msg_bytes, "%s: 0x%lx by 0x%lx", wrong, a, b);
            return SELFTEST_FAIL;
        }
    }
    return SELFTEST_OK;
}

REGISTER(selftest, division) = {
    .name = "division",
    .proves = "all eight integer divisions agree with shifting and subtracting",
    .run = division,
};
