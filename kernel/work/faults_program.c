/* Touches of several spaces, shuffled and interleaved. Contract in faults_program.h. */
#include "work/faults_program.h"

/* The chosen pages of a plan in random order; returns how many. */
static uint32_t choose(const struct touch_plan *p, struct rng *rng, uint32_t *order)
{
    uint32_t n = 0;
    for (uint32_t page = p->first; page < p->end; page++)
        order[n++] = page;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = rng_below(rng, i), t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }
    return (uint32_t)((uint64_t)n * p->share / 100);
}

uint32_t faults_interleave(const struct touch_plan plan[FAULTS_SPACES], struct rng *rng,
                           struct touch *out, uint32_t *order)
{
    uint32_t *next[FAULTS_SPACES], left[FAULTS_SPACES], total = 0, n = 0;
    for (unsigned s = 0; s < FAULTS_SPACES; s++) {
        next[s] = order;
        left[s] = choose(&plan[s], rng, order);
        order += plan[s].end - plan[s].first;
        total += left[s];
    }
    while (n < total) {
        unsigned s = rng_below(rng, FAULTS_SPACES);
        uint32_t burst = 1 + rng_below(rng, FAULTS_BURST);
        for (; burst && left[s]; burst--, left[s]--) {
            bool write = rng_below(rng, 100) < plan[s].writes;
            out[n++] = (struct touch){*next[s]++, (uint8_t)s, write};
        }
    }
    return n;
}
