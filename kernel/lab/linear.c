/* Masks that tell colours apart. Contract in linear.h. */
#include "lab/linear.h"

#include <string.h>

/*
 * Pairs of one colour whose differences are taken. Each new one that is not in the space so far
 * adds a dimension, of at most 64: so many more leave it incomplete once in 2^64 times.
 */
#define PAIRS 128

/* A wrong colour among them spoils an attempt: of one in a thousand, four in five are clean. */
#define ATTEMPTS 64

/* Frames looked at for a partner of the same colour: on average it takes as many as colours. */
#define LOOKS 8

#define BITS 64

/* A basis with at most one vector for each leading bit. */
struct space {
    uint64_t vector[BITS];
    unsigned dimensions;
};

static unsigned leading(uint64_t v)
{
    return BITS - 1 - (unsigned)__builtin_clzll(v);
}

static void add(struct space *s, uint64_t v)
{
    while (v && s->vector[leading(v)])
        v ^= s->vector[leading(v)];
    if (v) {
        s->vector[leading(v)] = v;
        s->dimensions++;
    }
}

/* Leaves each leading bit in its own vector only. */
static void reduce(struct space *s)
{
    for (unsigned lead = 0; lead < BITS; lead++)
        for (unsigned i = lead + 1; s->vector[lead] && i < BITS; i++)
            if (s->vector[i] >> lead & 1)
                s->vector[i] ^= s->vector[lead];
}

static void collect(struct space *s, const pfn_t *frame, const color_t *color, uint32_t n,
                    uint32_t colors, struct rng *rng)
{
    memset(s, 0, sizeof *s);
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        uint32_t i = rng_below(rng, n), j = rng_below(rng, n);
        for (uint64_t look = 0; look < (uint64_t)LOOKS * colors && color[j] != color[i]; look++)
            j = j + 1 < n ? j + 1 : 0;
        if (color[j] == color[i])
            add(s, frame[i].n ^ frame[j].n);
    }
    reduce(s);
}

/* One mask for each bit that leads no vector: it, and the leading bits of the vectors it is in. */
static unsigned orthogonal(const struct space *s, uint64_t varying, uint64_t mask[COLOR_BITS_MAX])
{
    unsigned n = 0;
    for (unsigned bit = 0; bit < BITS && n < COLOR_BITS_MAX; bit++) {
        if (!(varying >> bit & 1) || s->vector[bit])
            continue;
        mask[n] = UINT64_C(1) << bit;
        for (unsigned lead = 0; lead < BITS; lead++)
            mask[n] |= (s->vector[lead] >> bit & 1) << lead;
        n++;
    }
    return n;
}

unsigned linear_masks(const pfn_t *frame, const color_t *color, uint32_t n, uint32_t colors,
                      struct rng *rng, uint64_t mask[COLOR_BITS_MAX])
{
    uint64_t varying = 0;
    struct space s;
    for (uint32_t i = 0; i < n; i++)
        varying |= frame[i].n ^ frame[0].n;
    unsigned bits = (unsigned)__builtin_popcountll(varying);
    for (unsigned attempt = 0; is_power_of_two(colors) && attempt < ATTEMPTS; attempt++) {
        collect(&s, frame, color, n, colors, rng);
        unsigned masks = bits - s.dimensions;
        if (masks <= COLOR_BITS_MAX && UINT64_C(1) << masks == colors)
            return orthogonal(&s, varying, mask);
    }
    return 0;
}
