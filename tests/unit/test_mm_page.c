/*
 * Page descriptors: every shape at strides and offsets from its own size to a page, numbers,
 * addresses and frames turned into each other, several ranges, and the page_struct= grammar.
 */
#include "host.h"

#include "core/errno.h"
#include "mm/page.h"

#include <stdlib.h>
#include <string.h>

static struct pages pages;
static char err[256];

/* Three ranges with holes: one frame, an odd number, and one above 4G. */
static const struct pfn_range ranges[] = {
    {{7}, {8}},
    {{0x123}, {0x123 + 61}},
    {{0x1234567}, {0x1234567 + 130}},
};
#define FRAMES (1 + 61 + 130)

static uint8_t *lay_out(const struct page_layout *l, unsigned n)
{
    /* Exactly as large as promised, so that ASan sees a byte too many. */
    size_t bytes = pages_bytes(l, FRAMES);
    uint8_t *area = aligned_alloc(PAGE_SIZE, align_up(bytes, PAGE_SIZE));
    memset(area, 0xee, align_up(bytes, PAGE_SIZE));
    pages_init(&pages, l, area, ranges, n, NULL);
    for (size_t i = bytes; i < align_up(bytes, PAGE_SIZE); i++)
        assert_int_equal(area[i], 0xee);
    for (size_t i = 0; i < l->offset_bytes; i++)
        assert_int_equal(area[i], 0xee);
    return area;
}

static void check_layout(const struct page_layout *l)
{
    uint8_t *area = lay_out(l, ARRAY_SIZE(ranges));
    assert_null(pages_check(&pages));
    assert_int_equal(pages.count, FRAMES);
    uint32_t nr = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(ranges); i++) {
        for (uint64_t f = ranges[i].start.n; f < ranges[i].end.n; f++, nr++) {
            const uint8_t *d = area + l->offset_bytes + (size_t)nr * l->stride_bytes;
            assert_ptr_equal(page_at(&pages, nr), d);
            assert_int_equal(page_number(&pages, d), nr);
            assert_int_equal(page_pfn(&pages, nr).n, f);
            const struct page_range *r = pages_find_range(&pages, pfn(f));
            assert_non_null(r);
            assert_int_equal(r->first + (f - r->start), nr);
            assert_ptr_equal(page_address(&pages, nr), (void *)(f << PAGE_SHIFT));
            assert_ptr_equal(page_next(&pages, nr), d + l->shape->next);
            assert_ptr_equal(page_prev(&pages, nr), d + l->shape->prev);
            assert_ptr_equal(page_flag_word(&pages, nr), d + l->shape->flags);
        }
    }
    free(area);
}

static void every_shape_stride_and_offset(void **state)
{
    (void)state;
    static const uint32_t extra[] = {0,  4,  8,  16, 24, 32,  40,  48,
                                     60, 64, 68, 72, 88, 128, 200, 1000};
    static const uint32_t offsets[] = {0, 4, 8, 20, 32, 60, 64, 100, PAGE_SIZE - 4};
    for (const struct page_shape *const *s = page_shapes; *s; s++) {
        for (unsigned i = 0; i < ARRAY_SIZE(extra); i++) {
            for (unsigned k = 0; k < ARRAY_SIZE(offsets); k++) {
                struct page_layout l = {*s, (*s)->size_bytes + extra[i], offsets[k]};
                check_layout(&l);
            }
        }
        struct page_layout widest = {*s, PAGE_SIZE, 0};
        check_layout(&widest);
    }
}

static void shapes_are_those_of_their_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned bytes, word;
    } expect[] = {{"2.2", 40, 4}, {"2.2l", 80, 8}, {"2.6", 56, 8}, {"2.6v", 64, 8}};
    for (unsigned i = 0; i < ARRAY_SIZE(expect); i++) {
        const struct page_shape *s = page_shapes[i];
        assert_string_equal(s->name, expect[i].name);
        assert_int_equal(s->size_bytes, expect[i].bytes);
        assert_int_equal(s->word_bytes, expect[i].word);
        /* Fields lie inside, on 4 bytes, and none on another. */
        bool chained = i < 2; /* 2.6 found its pages by trees */
        const uint8_t field[] = {s->next,    s->prev,  s->flags,     s->count,
                                 s->mapping, s->index, s->next_hash, s->pprev_hash};
        for (unsigned a = 0; a < ARRAY_SIZE(field) - (chained ? 0 : 2); a++) {
            assert_true(field[a] % 4 == 0 && field[a] + 4u <= s->size_bytes);
            for (unsigned b = 0; b < a; b++)
                assert_int_not_equal(field[a], field[b]);
        }
        assert_int_equal(s->virtual != PAGE_NO_FIELD, i == 3);
        assert_int_equal(s->next_hash != PAGE_NO_FIELD, chained);
        assert_int_equal(s->pprev_hash != PAGE_NO_FIELD, chained);
    }
    assert_null(page_shapes[ARRAY_SIZE(expect)]);
}

static void fields_do_not_disturb_each_other(void **state)
{
    (void)state;
    struct page_layout l = {page_shapes[0], 40, 0};
    uint8_t *area = lay_out(&l, ARRAY_SIZE(ranges));
    for (uint32_t nr = 0; nr < FRAMES; nr++) {
        *page_next(&pages, nr) = nr ^ 0x5555;
        *page_prev(&pages, nr) = nr ^ 0xaaaa;
        page_set_block(&pages, nr, nr % 3, nr % 11);
    }
    for (uint32_t nr = 0; nr < FRAMES; nr++) {
        assert_int_equal(*page_next(&pages, nr), nr ^ 0x5555);
        assert_int_equal(*page_prev(&pages, nr), nr ^ 0xaaaa);
        assert_true(page_is_block(&pages, nr, nr % 3, nr % 11));
        assert_false(page_is_block(&pages, nr, (nr + 1) % 3, nr % 11));
        assert_false(page_is_block(&pages, nr, nr % 3, (nr + 1) % 11));
    }
    assert_null(pages_check(&pages)); /* ranges are still known */
    free(area);
}

static void frames_of_no_range_are_not_found(void **state)
{
    (void)state;
    struct page_layout l = {page_shapes[2], 56, 0};
    uint8_t *area = lay_out(&l, ARRAY_SIZE(ranges));
    const uint64_t outside[] = {
        0, 6, 8, 0x122, 0x123 + 61, 0x1234566, 0x1234567 + 130, 1ul << 40, UINT64_MAX};
    for (unsigned from = 0; from < ARRAY_SIZE(ranges); from++) {
        for (unsigned i = 0; i < ARRAY_SIZE(outside); i++) {
            assert_non_null(pages_find_range(&pages, ranges[from].start)); /* moves the hint */
            assert_null(pages_find_range(&pages, pfn(outside[i])));
        }
    }
    free(area);
}

static void the_check_sees_a_wrong_range(void **state)
{
    (void)state;
    struct page_layout l = {page_shapes[3], 64, 0};
    uint8_t *area = lay_out(&l, ARRAY_SIZE(ranges));
    *page_flag_word(&pages, 5) ^= 1u << PAGE_RANGE_SHIFT;
    assert_non_null(strstr(pages_check(&pages), "wrong range"));
    *page_flag_word(&pages, 5) ^= 1u << PAGE_RANGE_SHIFT;
    pages.range[1].first++;
    assert_non_null(strstr(pages_check(&pages), "does not follow"));
    pages.range[1].first--;
    pages.range[1].start = 7;
    assert_non_null(strstr(pages_check(&pages), "not sorted"));
    pages.range[1].start = 0x123;
    pages.stride_inverse += 2;
    assert_non_null(strstr(pages_check(&pages), "address and number"));
    pages.stride_inverse -= 2;
    for (uint64_t wrong = 4; wrong <= 2 * PAGE_SIZE; wrong += 4) {
        pages.stride = wrong;
        if (wrong != 64)
            assert_non_null(strstr(pages_check(&pages), "address and number"));
    }
    pages.stride = 64;
    pages.to_pfn[1]++;
    assert_non_null(strstr(pages_check(&pages), "frame numbers"));
    pages.to_pfn[1]--;
    assert_null(pages_check(&pages));
    pages.count++;
    assert_non_null(strstr(pages_check(&pages), "sum of the ranges"));
    free(area);
}

/* A range ends where its node does. */
static void ranges_are_cut_at_nodes(void **state)
{
    (void)state;
    static const struct numa numa = {
        .nodes = 2,
        .ranges = 2,
        .range = {{{{0}, {1030ul << PAGE_SHIFT}}, 1}, {{{1030ul << PAGE_SHIFT}, {1ul << 40}}, 0}}};
    struct page_layout l;
    char err[160];
    struct pfn_range r[2] = {{pfn(1000), pfn(1100)}, {pfn(2000), pfn(2010)}};
    assert_int_equal(page_layout_parse("2.6", &l, err, sizeof err), 0);
    void *area = malloc(pages_bytes(&l, 110));
    pages_init(&pages, &l, area, r, 2, &numa);
    assert_null(pages_check(&pages));
    assert_int_equal(pages.range_count, 3);
    assert_int_equal(pages.range[0].pages, 30);
    for (uint32_t nr = 0; nr < 110; nr++) {
        assert_int_equal(page_node(&pages, nr), nr < 30);
        assert_int_equal(page_range_node(&pages, page_range_of(&pages, nr)), nr < 30);
    }
    free(area);
}

static void impossible_ranges_panic(void **state)
{
    (void)state;
    struct page_layout l = {page_shapes[0], 40, 0};
    static uint8_t area[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
    static const struct pfn_range empty = {{5}, {5}}, huge = {{0}, {1ul << 32}};
    assert_panics(pages_init(&pages, &l, area, ranges, 0, NULL), "n >= 1");
    assert_panics(pages_init(&pages, &l, area, &empty, 1, NULL), "ranges[i].start");
    assert_panics(pages_init(&pages, &l, area, &huge, 1, NULL), "pages <=");
}

/* ---- page_struct= ------------------------------------------------------------------------------
 */

static void good_layouts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shape;
        unsigned stride, offset;
    } good[] = {
        {"2.2", "2.2", 40, 0},
        {"2.2:40", "2.2", 40, 0},
        {"2.2:48", "2.2", 48, 0},
        {"2.2:64+8", "2.2", 64, 8},
        {"2.2l", "2.2l", 80, 0},
        {"2.2l:88", "2.2l", 88, 0},
        {"2.6:56+4092", "2.6", 56, 4092},
        {"2.6v:4096", "2.6v", 4096, 0},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(good); i++) {
        struct page_layout l;
        assert_int_equal(page_layout_parse(good[i].text, &l, err, sizeof err), 0);
        assert_string_equal(l.shape->name, good[i].shape);
        assert_int_equal(l.stride_bytes, good[i].stride);
        assert_int_equal(l.offset_bytes, good[i].offset);
    }
}

static void bad_layouts_name_the_word_and_what_is_valid(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "2.2l"},
        {"2.4", "2.2l"},
        {"2.2 ", "2.2l"},
        {":40", "2.2l"},
        {"2.2:36", "40"},
        {"2.2l:40", "80"},
        {"2.6v:56", "64"},
        {"2.2:41", "multiples of 4"},
        {"2.2:", "STRIDE"},
        {"2.2:x", "STRIDE"},
        {"2.2:40+", "STRIDE"},
        {"2.2:40+2", "multiples of 4"},
        {"2.2:4100", "4096"},
        {"2.2:40+4096", "STRIDE"},
        {"2.2:40+8+8", "STRIDE"},
        {"2.2:0", "STRIDE"},
        {"2.2:-40", "STRIDE"},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        struct page_layout l;
        assert_int_equal(page_layout_parse(bad[i].text, &l, err, sizeof err), -TT_EINVAL);
        if (!strstr(err, bad[i].text) || !strstr(err, bad[i].says) || !strstr(err, "valid"))
            fail_msg("\"%s\" gives \"%s\"", bad[i].text, err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_stride_and_offset),
        cmocka_unit_test(shapes_are_those_of_their_kernels),
        cmocka_unit_test(fields_do_not_disturb_each_other),
        cmocka_unit_test(frames_of_no_range_are_not_found),
        cmocka_unit_test(the_check_sees_a_wrong_range),
        cmocka_unit_test(ranges_are_cut_at_nodes),
        cmocka_unit_test(impossible_ranges_panic),
        cmocka_unit_test(good_layouts),
        cmocka_unit_test(bad_layouts_name_the_word_and_what_is_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
