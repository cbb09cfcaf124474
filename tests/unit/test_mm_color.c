/*
 * Colour maps by brute force: modulo every N from 1 to 200, random XOR matrices, a table. What
 * color_of says is compared with the naive twin and with the definition, what class and covers
 * say with the colours of every frame of every block.
 */
#include "host.h"

#include "core/rng.h"
#include "mm/color.h"

#include <stdlib.h>
#include <string.h>

static struct color_map map;

/* colour[f], by the definition in the test, for frames base .. base + n. */
static color_t *colour;

/* Every block of every order in [base, base + n): base is aligned to the largest block. */
static void blocks_cover_what_their_frames_show(uint64_t base, uint32_t n)
{
    uint8_t *shown = calloc(map.colors, 1);
    for (unsigned k = 0; k <= map.max_order; k++) {
        uint32_t size = 1u << k;
        assert_true(map.classes[k] == ((map.colors - 1) >> map.shift[k]) + 1);
        for (uint32_t at = 0; at + size <= n; at += size) {
            memset(shown, 0, map.colors);
            for (uint32_t i = 0; i < size; i++)
                shown[colour[at + i]] = 1;
            color_t first = color_of(&map, pfn(base + at));
            assert_true(first >> map.shift[k] < map.classes[k]);
            for (color_t c = 0; c < map.colors; c++) {
                if (color_covers(&map, first, k, c) != shown[c])
                    fail_msg("%u colours, block %lu of order %u, colour %u: covers says %d",
                             map.colors, (unsigned long)(base + at), k, c, !shown[c]);
                /* Without an interval all blocks of a class cover the same. */
                if (!map.interval[k])
                    assert_int_equal(shown[c], c >> map.shift[k] == first >> map.shift[k]);
            }
        }
    }
    free(shown);
}

static void modulo_any_number(void **state)
{
    (void)state;
    static const uint64_t bases[] = {0, 5ul << MAX_ORDER, 77ul << 36};
    for (uint32_t n = 1; n <= 200; n++) {
        color_map_modulo(&map, n);
        assert_int_equal(map.colors, n);
        for (unsigned b = 0; b < ARRAY_SIZE(bases); b++) {
            uint32_t frames = (b ? 2u : 3u) << MAX_ORDER;
            /* base mod n by long division, bit by bit; from there counted round the circle. */
            color_t c = 0;
            for (int bit = 63; bit >= 0; bit--) {
                c = 2 * c + (bases[b] >> bit & 1);
                c -= c >= n ? n : 0;
            }
            for (uint32_t f = 0; f < frames; f++) {
                colour[f] = c;
                assert_int_equal(color_of(&map, pfn(bases[b] + f)), c);
                assert_int_equal(
                    color_of_naive(&map, phys(((bases[b] + f) << PAGE_SHIFT) + f % 4096)), c);
                c = c + 1 == n ? 0 : c + 1;
            }
            blocks_cover_what_their_frames_show(bases[b], frames);
        }
    }
}

static void large_powers_are_masks(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= COLORS_MAX; n *= 2) {
        color_map_modulo(&map, n);
        assert_int_equal(map.mask, n - 1);
        for (unsigned k = 0; k <= MAX_ORDER; k++) {
            assert_false(map.interval[k]);
            assert_int_equal(map.classes[k], n >> k ? n >> k : 1);
        }
    }
    assert_panics(color_map_modulo(&map, 0), "colors >= 1");
    assert_panics(color_map_modulo(&map, COLORS_MAX + 1), "COLORS_MAX");
}

static void distance_is_the_shorter_way_round(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 40; n++) {
        color_map_modulo(&map, n);
        for (color_t a = 0; a < n; a++) {
            for (color_t b = 0; b < n; b++) {
                uint32_t up = 0, down = 0;
                while ((a + up) % n != b)
                    up++;
                while ((b + down) % n != a)
                    down++;
                assert_int_equal(color_distance(&map, a, b), up < down ? up : down);
            }
        }
    }
}

/* ---- xor ---------------------------------------------------------------------------------------
 */

static uint32_t value_of(const uint64_t *masks, unsigned n, uint64_t address)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned ones = 0;
        for (unsigned bit = 0; bit < 64; bit++)
            ones += (address & masks[i]) >> bit & 1;
        v |= (ones & 1) << i;
    }
    return v;
}

#define XOR_MASKS 12

/*
 * From the definition: two frames are one colour when some pair of addresses in them has the same
 * value; colours are numbered as frames 0, 1, 2, ... first show them. Enumerates in-page values.
 */
static void xor_by_definition(const uint64_t *masks, unsigned n)
{
    static uint32_t in_page[1u << XOR_MASKS], of_value[1u << XOR_MASKS];
    unsigned in_page_count = 0;
    memset(of_value, 0xff, sizeof of_value);
    for (uint64_t offset = 0; offset < PAGE_SIZE; offset++) {
        uint32_t v = value_of(masks, n, offset);
        bool known = false;
        for (unsigned i = 0; i < in_page_count; i++)
            known |= in_page[i] == v;
        if (!known)
            in_page[in_page_count++] = v;
    }
    uint32_t colors = 0, frames = 2u << MAX_ORDER;
    for (uint32_t f = 0; f < frames; f++) {
        uint32_t v = value_of(masks, n, (uint64_t)f << PAGE_SHIFT);
        if (of_value[v] == UINT32_MAX) {
            for (unsigned i = 0; i < in_page_count; i++)
                of_value[v ^ in_page[i]] = colors;
            colors++;
        }
        colour[f] = of_value[v];
        assert_int_equal(color_of(&map, pfn(f)), colour[f]);
        assert_int_equal(color_of_naive(&map, phys(((uint64_t)f << PAGE_SHIFT) + f % PAGE_SIZE)),
                         colour[f]);
    }
    assert_int_equal(map.colors, colors);
    blocks_cover_what_their_frames_show(0, frames);
}

static void random_matrices(void **state)
{
    (void)state;
    struct rng r = rng_stream(1, 2);
    unsigned with_in_page = 0, dependent = 0;
    for (unsigned round = 0; round < 300; round++) {
        uint64_t masks[XOR_MASKS];
        unsigned n = rng_below(&r, 8);
        for (unsigned i = 0; i < n; i++) {
            /* Only bits that the enumerated frames have, so that all colours show up. */
            masks[i] = rng_next(&r) & rng_next(&r) & ((2ul << (MAX_ORDER + PAGE_SHIFT)) - 1);
            if (rng_below(&r, 3))
                masks[i] &= ~(PAGE_SIZE - 1);
            if (i && !rng_below(&r, 5))
                masks[i] = masks[i - 1]; /* a dependent row */
            with_in_page += (masks[i] & (PAGE_SIZE - 1)) != 0;
        }
        assert_true(color_map_xor(&map, masks, n));
        dependent += map.bits < n;
        xor_by_definition(masks, n);
    }
    assert_true(with_in_page > 100 && dependent > 50);
}

static void plain_set_bits_are_modulo(void **state)
{
    (void)state;
    /* 64 sets of pages: one mask per bit of the frame number is the same map as modulo 64. */
    struct color_map modulo;
    uint64_t masks[6];
    for (unsigned i = 0; i < 6; i++)
        masks[5 - i] = 1ul << (PAGE_SHIFT + i); /* in any order */
    assert_true(color_map_xor(&map, masks, 6));
    color_map_modulo(&modulo, 64);
    assert_int_equal(map.colors, 64);
    assert_memory_equal(map.shift, modulo.shift, sizeof map.shift);
    assert_memory_equal(map.classes, modulo.classes, sizeof map.classes);
    for (uint64_t f = 0; f < 100000; f += 7)
        assert_int_equal(color_of(&map, pfn(f)), color_of(&modulo, pfn(f)));
}

static void too_many_colours_are_refused(void **state)
{
    (void)state;
    uint64_t masks[17];
    for (unsigned i = 0; i < 17; i++)
        masks[i] = 1ul << (PAGE_SHIFT + i);
    assert_true(color_map_xor(&map, masks, 16));
    assert_int_equal(map.colors, COLORS_MAX);
    assert_false(color_map_xor(&map, masks, 17));
}

/* ---- table -------------------------------------------------------------------------------------
 */

static void a_table_is_kept_at_order_0_only(void **state)
{
    (void)state;
    static color_t table[1000];
    struct rng r = rng_stream(1, 3);
    for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
        table[i] = colour[i] = rng_below(&r, 13);
    color_map_table(&map, table, pfn(0x5000), 13);
    assert_int_equal(map.max_order, 0);
    for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
        assert_int_equal(color_of(&map, pfn(0x5000 + i)), table[i]);
        assert_int_equal(color_of_naive(&map, phys((0x5000ul + i) << PAGE_SHIFT | 5)), table[i]);
    }
    blocks_cover_what_their_frames_show(0x5000, 1000);
}

static int set_up(void **state)
{
    (void)state;
    colour = malloc((4ul << MAX_ORDER) * sizeof *colour);
    return colour ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free(colour);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modulo_any_number),
        cmocka_unit_test(large_powers_are_masks),
        cmocka_unit_test(distance_is_the_shorter_way_round),
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(plain_set_bits_are_modulo),
        cmocka_unit_test(too_many_colours_are_refused),
        cmocka_unit_test(a_table_is_kept_at_order_0_only),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
