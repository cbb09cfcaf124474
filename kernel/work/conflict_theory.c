/* Hypergeometric expectation. Contract in conflict_theory.h. */
#include "work/conflict_theory.h"

#include <math.h>
#include <stdlib.h>

/*
 * P(exactly j of a colour's f frames are among `drawn` of `total`). Seen from the f frames, j of
 * them fall into the drawn ones: C(f, j) drawn^(j) (total - drawn)^(f - j) / total^(f), where x^(k)
 * is x (x - 1) ... to k factors. Multiplied in an order that keeps the product in range.
 */
static double probability(uint64_t j, uint64_t f, uint64_t drawn, uint64_t total)
{
    uint64_t rest = total - drawn;
    if (j > drawn || f - j > rest)
        return 0;
    double p = 1;
    for (uint64_t i = 0; i < j; i++)
        p *= (double)(f - i) / (double)(i + 1) * ((double)(drawn - i) / (double)(total - i));
    for (uint64_t i = 0; i < f - j; i++)
        p *= (double)(rest - i) / (double)(total - j - i);
    return p;
}

/* Expected pages in conflict on a colour with f frames: the mean count less the peaceful ones. */
static double expected_of_color(uint64_t f, unsigned ways, uint64_t drawn, uint64_t total)
{
    double e = (double)drawn * (double)f / (double)total;
    for (uint64_t j = 1; j <= ways && j <= f; j++)
        e -= (double)j * probability(j, f, drawn, total);
    return e;
}

static uint32_t largest(const uint32_t *v, uint32_t n)
{
    uint32_t max = 0;
    for (uint32_t i = 0; i < n; i++)
        max = v[i] > max ? v[i] : max;
    return max;
}

double conflict_expected(const uint32_t *population, uint32_t colors, unsigned ways, uint64_t pages)
{
    uint64_t total = 0;
    for (uint32_t c = 0; c < colors; c++)
        total += population[c];
    if (!total || pages > total)
        return NAN;
    /* Colours with equally many frames expect the same: how many colours have how many frames. */
    uint32_t max = largest(population, colors);
    uint32_t *with = calloc((size_t)max + 1, sizeof *with);
    if (!with)
        return NAN;
    for (uint32_t c = 0; c < colors; c++)
        with[population[c]]++;
    double sum = 0;
    for (uint32_t f = 1; f <= max; f++) {
        if (with[f])
            sum += with[f] * expected_of_color(f, ways, pages, total);
    }
    free(with);
    return sum;
}
