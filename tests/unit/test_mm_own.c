/*
 * The kernel's own memory: pages, pieces and heap never overlap, come back, run out cleanly, and
 * with own_colors= lie in the chosen colours only; the count by colour against a list of what is
 * out.
 */
#include "host.h"

#include "core/cmdline.h"
#include "core/errno.h"
#include "core/rng.h"
#include "mm/color.h"
#include "mm/own.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES 1024u

static uint8_t *memory;
static uint8_t out[FRAMES]; /* by frame: handed out as page or piece, or under the heap's break */
static struct color_map map;
static char err[160];

static unsigned frame_of(const void *p)
{
    size_t offset = (size_t)((const uint8_t *)p - memory);
    assert_true(offset < FRAMES * PAGE_SIZE);
    return (unsigned)(offset / PAGE_SIZE);
}

static color_t color_of_frame(unsigned frame)
{
    return color_of_naive(&map, phys((uintptr_t)memory + frame * PAGE_SIZE));
}

/* Also the frames that the range lost to the other colours must not be touched. */
static void begin(uint32_t colors)
{
    color_map_modulo(&map, colors);
    assert_int_equal(own_set_colors(&map, err, sizeof err), 0);
    memset(memory, 0x77, FRAMES * PAGE_SIZE);
    memset(out, 0, sizeof out);
    own_init(
        (struct phys_range){phys((uintptr_t)memory), phys((uintptr_t)memory + FRAMES * PAGE_SIZE)});
}

static void take(unsigned first, unsigned frames)
{
    for (unsigned f = first; f < first + frames; f++) {
        assert_false(out[f]);
        out[f] = 1;
        assert_true(own_color_allowed(phys_to_pfn(phys((uintptr_t)memory + f * PAGE_SIZE))));
    }
}

static void assert_counts(void)
{
    uint32_t pages[64] = {0}, expect[64] = {0};
    own_pages_of_color(&map, pages);
    for (unsigned f = 0; f < FRAMES; f++)
        expect[color_of_frame(f)] += out[f];
    assert_memory_equal(pages, expect, sizeof pages);
}

static void give_colors(const char *list, int expect)
{
    for_each_registered (option, o) {
        if (!strcmp(o->name, "own_colors"))
            assert_int_equal(o->parse(o, list, err, sizeof err), expect);
    }
}

/* Random pages, frees, pieces and heap; returns the share of the range in use at the end. */
static void random_use(uint64_t seed, unsigned longest_piece)
{
    static void *page[FRAMES];
    unsigned pages = 0, pieces = 0, grown = 0, shrunk = 0, full = 0;
    uint8_t *brk = own_sbrk(0);
    struct rng r = rng_stream(seed, 14);
    for (unsigned i = 0; i < 4000; i++) {
        unsigned what = rng_below(&r, 40);
        if (what < 18) {
            void *p = own_page_alloc();
            full += !p;
            if (!p)
                continue;
            take(frame_of(p), 1);
            for (unsigned k = 0; k < PAGE_SIZE; k++)
                assert_int_equal(((uint8_t *)p)[k], 0);
            memset(p, 0xee, PAGE_SIZE);
            page[pages++] = p;
        } else if (what < 33 && pages) {
            unsigned k = rng_below(&r, pages);
            out[frame_of(page[k])] = 0;
            own_page_free(page[k]);
            page[k] = page[--pages];
        } else if (what == 33) {
            unsigned n = 1 + rng_below(&r, longest_piece);
            size_t align = PAGE_SIZE << rng_below(&r, 3);
            phys_t a = own_alloc(n * PAGE_SIZE - rng_below(&r, PAGE_SIZE), align);
            if (a.a == PHYS_NONE.a)
                continue;
            assert_int_equal(a.a % align, 0);
            take(frame_of((void *)a.a), n);
            pieces++;
        } else if (what < 37) {
            unsigned bytes = 1 + rng_below(&r, longest_piece * PAGE_SIZE / 2);
            uint8_t *p = own_sbrk(bytes);
            if (!p)
                continue;
            assert_true(p >= brk); /* never back into what was handed out */
            unsigned first = (unsigned)((size_t)(p - memory + PAGE_SIZE - 1) / PAGE_SIZE);
            unsigned end = (unsigned)((size_t)(p + bytes - memory + PAGE_SIZE - 1) / PAGE_SIZE);
            take(first, end - first);
            brk = p + bytes;
            assert_ptr_equal(own_sbrk(0), brk);
            grown++;
        } else {
            unsigned bytes = rng_below(&r, 2 * PAGE_SIZE);
            if (!own_sbrk(-(ptrdiff_t)bytes))
                continue;
            unsigned end = (unsigned)((size_t)(brk - memory + PAGE_SIZE - 1) / PAGE_SIZE);
            brk -= bytes;
            for (unsigned f = (unsigned)((size_t)(brk - memory + PAGE_SIZE - 1) / PAGE_SIZE);
                 f < end; f++)
                out[f] = 0;
            shrunk++;
        }
        if (i % 100 == 0)
            assert_counts();
    }
    assert_counts();
    assert_true(pages + pieces > 20 && grown > 10 && shrunk > 10);
    (void)full;
}

static void without_the_option(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        begin(16);
        random_use(seed, 8);
    }
    struct own_usage u = own_usage();
    assert_true(u.used_bytes <= u.peak_bytes && u.peak_bytes <= FRAMES * PAGE_SIZE);
}

static void everything_can_be_used(void **state)
{
    (void)state;
    begin(16);
    void *p;
    unsigned n = 0;
    while ((p = own_page_alloc()))
        take(frame_of(p), 1), n++;
    assert_int_equal(n, FRAMES / 2);
    assert_null(own_sbrk(FRAMES / 2 * PAGE_SIZE + 1));
    assert_non_null(own_sbrk(FRAMES / 2 * PAGE_SIZE));
    assert_null(own_sbrk(1));
    assert_int_equal(own_alloc(1, PAGE_SIZE).a, PHYS_NONE.a);
    assert_int_equal(own_usage().used_bytes, FRAMES * PAGE_SIZE);
    assert_panics(own_alloc(1, 3 * PAGE_SIZE), "power_of_two");
}

static void bad_lists_are_refused(void **state)
{
    (void)state;
    give_colors("", -TT_EINVAL);
    give_colors("3-", -TT_EINVAL);
    assert_non_null(strstr(err, "0-63"));
    give_colors("0-3,16", 0);
    color_map_modulo(&map, 16);
    assert_int_equal(own_set_colors(&map, err, sizeof err), -TT_EINVAL);
    assert_non_null(strstr(err, "colour 16"));
    assert_non_null(strstr(err, "0 to 15"));
}

static void only_the_chosen_colours(void **state)
{
    (void)state;
    static const char *const lists[] = {"0-7", "3-6,11-15", "0,2,4,6,8,10,12,14-15"};
    for (unsigned k = 0; k < ARRAY_SIZE(lists); k++) {
        give_colors(lists[k], 0);
        for (uint64_t seed = 1; seed <= 20; seed++) {
            begin(16);
            random_use(seed, k == 2 ? 3 : 5);
            for (unsigned f = 0; f < FRAMES; f++) { /* the rest is as it was */
                if (!own_color_allowed(phys_to_pfn(phys((uintptr_t)memory + f * PAGE_SIZE))))
                    assert_int_equal(memory[f * PAGE_SIZE + 100], 0x77);
            }
        }
    }
    /* Pages passed over by a piece are not lost. */
    give_colors("0-1,8-15", 0);
    begin(16);
    assert_int_not_equal(own_alloc(8 * PAGE_SIZE, PAGE_SIZE).a, PHYS_NONE.a);
    unsigned n = 8;
    while (own_page_alloc())
        n++;
    unsigned allowed = 0;
    for (unsigned f = 0; f < FRAMES / 2; f++)
        allowed += color_of_frame(f) <= 1 || color_of_frame(f) >= 8;
    assert_int_equal(n, allowed);
    assert_null(own_sbrk(11 * PAGE_SIZE)); /* no 11 allowed frames in a row: 10 round the circle */
    assert_non_null(own_sbrk(10 * PAGE_SIZE));
}

static int make_memory(void **state)
{
    (void)state;
    memory = aligned_alloc(16 * PAGE_SIZE, FRAMES * PAGE_SIZE);
    return memory ? 0 : -1;
}

static int drop_memory(void **state)
{
    (void)state;
    free(memory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_option),
        cmocka_unit_test(everything_can_be_used),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(only_the_chosen_colours),
    };
    return cmocka_run_group_tests(tests, make_memory, drop_memory);
}
