/*
 * Random numbers that are the same on every machine: splitmix64 (Steele, Lea, Flood 2014, public
 * domain constants). State is explicit; a stream is derived from (seed, purpose) so that adding
 * a draw in one place does not change another's.
 */
#ifndef TT_CORE_RNG_H
#define TT_CORE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A stream of its own for each (seed, purpose). */
static inline struct rng rng_stream(uint64_t seed, uint64_t purpose)
{
    struct rng r = {seed * 0xd1342543de82ef95u + purpose};
    r.state = rng_next(&r);
    return r;
}

/* Uniform in [0, n), n >= 1, without modulo bias (Lemire's multiply, with rejection). */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
    uint64_t m = (rng_next(r) >> 32) * n;
    if ((uint32_t)m < n) {
        uint32_t floor = -n % n;
        while ((uint32_t)m < floor)
            m = (rng_next(r) >> 32) * n;
    }
    return m >> 32;
}

#endif
