/*
 * Bit reversal by tiles. Contract in fft_order.h.
 *
 * With n = 8 * m * 8 the index is (row, mid, column); element (r, m, c) goes to (rev c, rev m, rev
 * r). The 64 elements with one mid are a tile: 8 rows, far apart, of 8 neighbours, 128 bytes. Tiles
 * m and rev m are read into a buffer row by row and written back row by row, so every line is
 * read once and written once however few ways a cache has for these power-of-two distances. The
 * buffer (2 KiB of stack) is no part of the working set.
 */
#include "work/fft_order.h"

#include <stddef.h>

#define TILE_BITS 3
#define TILE      (1u << TILE_BITS)

struct complex {
    double re, im;
};

static const uint8_t reversed[TILE] = {0, 4, 2, 6, 1, 5, 3, 7};

static void load_tile(struct complex *tile, const struct complex *x, size_t row_distance)
{
    for (unsigned r = 0; r < TILE; r++) {
        for (unsigned c = 0; c < TILE; c++)
            tile[r * TILE + c] = x[r * row_distance + c];
    }
}

static void store_reversed(struct complex *x, const struct complex *tile, size_t row_distance)
{
    for (unsigned r = 0; r < TILE; r++) {
        for (unsigned c = 0; c < TILE; c++)
            x[r * row_distance + c] = tile[reversed[c] * TILE + reversed[r]];
    }
}

/* The number after j in bit-reversed counting: adds 1 at the top bit, half, carrying downwards. */
static uint32_t next_reversed(uint32_t j, uint32_t half)
{
    for (; j & half; half >>= 1)
        j ^= half;
    return j ^ half;
}

/* Fewer elements than a tile. */
static void reverse_small(struct complex *x, uint32_t n)
{
    for (uint32_t i = 0, j = 0; i < n; i++, j = next_reversed(j, n / 2)) {
        if (i < j) {
            struct complex t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
}

void fft_bit_reverse(double *data, uint32_t n)
{
    struct complex *x = (struct complex *)data;
    struct complex one[TILE * TILE], other[TILE * TILE];
    if (n < TILE * TILE) {
        reverse_small(x, n);
        return;
    }
    uint32_t mids = n >> 2 * TILE_BITS;
    size_t row_distance = (size_t)mids * TILE;
    for (uint32_t m = 0, r = 0; m < mids; m++, r = next_reversed(r, mids / 2)) {
        if (m > r)
            continue;
        load_tile(one, x + (size_t)m * TILE, row_distance);
        load_tile(other, x + (size_t)r * TILE, row_distance);
        store_reversed(x + (size_t)r * TILE, one, row_distance);
        if (m < r)
            store_reversed(x + (size_t)m * TILE, other, row_distance);
    }
}
