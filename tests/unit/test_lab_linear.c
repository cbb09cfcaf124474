/*
 * Masks from colours: of random linear functions those that make the same partition come back, also
 * with some colours wrong; of what is not linear none do.
 */
#include "host.h"

#include "lab/linear.h"

#include <string.h>

#define FRAMES 8192

static pfn_t frame[FRAMES];
static color_t color[FRAMES];

/* Frames from a start that is aligned to nothing; colours as map has them. */
static void paint(uint64_t start, const struct color_map *map)
{
    for (uint32_t i = 0; i < FRAMES; i++) {
        frame[i] = pfn(start + i);
        color[i] = color_of(map, frame[i]);
    }
}

/* Two maps make one partition of the frames: each value of one goes with one of the other. */
static void same_partition(const struct color_map *a, const struct color_map *b)
{
    static uint32_t there[COLORS_MAX];
    memset(there, 0xff, sizeof there);
    assert_int_equal(a->colors, b->colors);
    for (uint32_t i = 0; i < FRAMES; i++) {
        color_t x = color_of(a, frame[i]), y = color_of(b, frame[i]);
        if (there[x] == UINT32_MAX)
            there[x] = y;
        assert_int_equal(there[x], y);
    }
}

static void shifted(uint64_t *mask, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        mask[i] <<= PAGE_SHIFT;
}

static void test_random_masks_come_back(void **state)
{
    (void)state;
    struct rng rng = rng_stream(11, 0);
    for (unsigned turn = 0; turn < 300; turn++) {
        uint64_t given[COLOR_BITS_MAX], found[COLOR_BITS_MAX];
        unsigned n = 1 + rng_below(&rng, 8);
        struct color_map map, again;
        for (unsigned i = 0; i < n; i++)
            given[i] = (1 + rng_next(&rng) % 0xfff) << PAGE_SHIFT;
        assert_true(color_map_xor(&map, given, n));
        paint(100000 + turn, &map);
        unsigned masks = linear_masks(frame, color, FRAMES, map.colors, &rng, found);
        assert_int_equal(1u << masks, map.colors);
        shifted(found, masks);
        assert_true(color_map_xor(&again, found, masks));
        same_partition(&map, &again);
    }
}

static void test_masks_name_only_bits_in_which_frames_differ(void **state)
{
    (void)state;
    static const uint64_t sandy[] = {0x1000,  0x2000,     0x4000,    0x8000,
                                     0x10000, 0xeaac0000, 0xb5fa0000};
    struct rng rng = rng_stream(12, 0);
    uint64_t found[COLOR_BITS_MAX];
    struct color_map map;
    assert_true(color_map_xor(&map, sandy, 7));
    paint(0x4000, &map); /* bits 0 to 12 of the frame number differ */
    assert_int_equal(linear_masks(frame, color, FRAMES, 128, &rng, found), 7);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(found[i], 1u << i);
    uint64_t h1 = 0xeaac0 & 0x1fff, h2 = 0xb5fa0 & 0x1fff; /* without 3 bits of hexadecimal */
    assert_true((found[5] == h1 && found[6] == h2) || (found[5] == h2 && found[6] == h1));
}

static void test_wrong_colors_do_no_harm(void **state)
{
    (void)state;
    struct rng rng = rng_stream(13, 0);
    uint64_t found[COLOR_BITS_MAX];
    struct color_map map, again;
    color_map_modulo(&map, 512);
    paint(0x2800, &map);
    for (unsigned i = 0; i < FRAMES / 500; i++)
        color[rng_below(&rng, FRAMES)] = rng_below(&rng, 512);
    unsigned n = linear_masks(frame, color, FRAMES, 512, &rng, found);
    assert_int_equal(n, 9);
    shifted(found, n);
    assert_true(color_map_xor(&again, found, n));
    same_partition(&map, &again);
}

static void test_what_is_not_linear(void **state)
{
    (void)state;
    struct rng rng = rng_stream(14, 0);
    uint64_t found[COLOR_BITS_MAX];
    struct color_map map;
    color_map_modulo(&map, 192);
    paint(0, &map);
    assert_int_equal(linear_masks(frame, color, FRAMES, 192, &rng, found), 0);
    color_map_modulo(&map, 64);
    paint(0, &map);
    for (uint32_t i = 0; i < FRAMES; i++) /* a sum, not a parity, of the bits above */
        color[i] = (color_t)(frame[i].n % 16 + 16 * ((frame[i].n / 16 + frame[i].n / 512) % 4));
    assert_int_equal(linear_masks(frame, color, FRAMES, 64, &rng, found), 0);
    for (uint32_t i = 0; i < FRAMES; i++)
        color[i] = rng_below(&rng, 64);
    assert_int_equal(linear_masks(frame, color, FRAMES, 64, &rng, found), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_masks_come_back),
        cmocka_unit_test(test_masks_name_only_bits_in_which_frames_differ),
        cmocka_unit_test(test_wrong_colors_do_no_harm),
        cmocka_unit_test(test_what_is_not_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
