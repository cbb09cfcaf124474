/*
 * Values on the command line: limits, garbage, lists, and the nearest word.
 */
#include "host.h"

#include "core/cmdline.h"
#include "core/errno.h"
#include "core/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int result;
        uint64_t value;
    } cases[] = {
        {"0", 0, 0},
        {"4096", 0, 4096},
        {"64K", 0, 65536},
        {"64k", 0, 65536},
        {"3M", 0, 3 << 20},
        {"1G", 0, 1 << 30},
        {"2T", 0, UINT64_C(2) << 40},
        {"0x1000", 0, 4096},
        {"0X10k", 0, 16384},
        {"0xABCdef", 0, 0xabcdef},
        {"010", 0, 10},
        {"18446744073709551615", 0, UINT64_MAX},
        {"0xffffffffffffffff", 0, UINT64_MAX},
        {"18446744073709551616", -TT_ERANGE, 0},
        {"99999999999999999999999", -TT_ERANGE, 0},
        {"16777216T", -TT_ERANGE, 0},
        {"16777215T", 0, UINT64_C(16777215) << 40},
        {"", -TT_EINVAL, 0},
        {"K", -TT_EINVAL, 0},
        {"0x", -TT_EINVAL, 0},
        {"0xK", -TT_EINVAL, 0},
        {"1KB", -TT_EINVAL, 0},
        {"1 K", -TT_EINVAL, 0},
        {" 1", -TT_EINVAL, 0},
        {"-1", -TT_EINVAL, 0},
        {"+1", -TT_EINVAL, 0},
        {"1.5G", -TT_EINVAL, 0},
        {"12ab", -TT_EINVAL, 0},
        {"99999999999999999999999x", -TT_EINVAL, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        uint64_t v = 42;
        assert_int_equal(parse_size(cases[i].text, &v), cases[i].result);
        assert_int_equal(v, cases[i].result ? 42 : cases[i].value);
    }
}

static void numbers(void **state)
{
    (void)state;
    uint64_t v = 42;
    assert_int_equal(parse_u64("7", 1, 10, &v), 0);
    assert_int_equal(v, 7);
    assert_int_equal(parse_u64("0xa", 1, 10, &v), 0);
    assert_int_equal(v, 10);
    assert_int_equal(parse_u64("0", 1, 10, &v), -TT_ERANGE);
    assert_int_equal(parse_u64("11", 1, 10, &v), -TT_ERANGE);
    assert_int_equal(parse_u64("18446744073709551616", 0, UINT64_MAX, &v), -TT_ERANGE);
    assert_int_equal(parse_u64("7K", 1, 10000, &v), -TT_EINVAL);
    assert_int_equal(parse_u64("", 0, 10, &v), -TT_EINVAL);
    assert_int_equal(v, 10);

    struct rng g = rng_stream(7, 7);
    for (int i = 0; i < 20000; i++) {
        char text[32];
        uint64_t want = rng_next(&g) >> rng_below(&g, 64);
        snprintf(text, sizeof(text), rng_below(&g, 2) ? "%" PRIu64 : "0x%" PRIx64, want);
        assert_int_equal(parse_u64(text, 0, UINT64_MAX, &v), 0);
        assert_int_equal(v, want);
    }
}

static void lists(void **state)
{
    (void)state;
    uint64_t map[2];
    static const struct {
        const char *text;
        int result;
        uint64_t low, high;
    } cases[] = {
        {"0", 0, 1, 0},
        {"0-7,12", 0, 0x10ff, 0},
        {"3-3", 0, 8, 0},
        {"62-65", 0, UINT64_C(3) << 62, 3},
        {"99", 0, 0, UINT64_C(1) << 35},
        {"100", -TT_ERANGE, 0, 0},
        {"0-100", -TT_ERANGE, 0, 0},
        {"1,18446744073709551616", -TT_ERANGE, 0, 0},
        {"0-18446744073709551615", -TT_ERANGE, 0, 0},
        {"", -TT_EINVAL, 0, 0},
        {",", -TT_EINVAL, 0, 0},
        {"1,", -TT_EINVAL, 0, 0},
        {"1,,2", -TT_EINVAL, 0, 0},
        {"-1", -TT_EINVAL, 0, 0},
        {"1-", -TT_EINVAL, 0, 0},
        {"5-4", -TT_EINVAL, 0, 0},
        {"1-2-3", -TT_EINVAL, 0, 0},
        {"1 2", -TT_EINVAL, 0, 0},
        {"1,x", -TT_EINVAL, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        map[0] = map[1] = 0;
        assert_int_equal(parse_list(cases[i].text, map, 100), cases[i].result);
        assert_true(map[0] == cases[i].low && map[1] == cases[i].high);
    }
}

static void items(void **state)
{
    (void)state;
    char buf[4];
    bool ok;
    const char *s = parse_item("ab,c,,long1,x", ',', buf, sizeof(buf), &ok);
    assert_true(ok);
    assert_string_equal(buf, "ab");
    s = parse_item(s, ',', buf, sizeof(buf), &ok);
    assert_true(ok);
    assert_string_equal(buf, "c");
    s = parse_item(s, ',', buf, sizeof(buf), &ok);
    assert_false(ok); /* empty */
    s = parse_item(s, ',', buf, sizeof(buf), &ok);
    assert_false(ok); /* does not fit */
    s = parse_item(s, ',', buf, sizeof(buf), &ok);
    assert_true(ok);
    assert_string_equal(buf, "x");
    assert_null(s);
    s = parse_item("a,", ',', buf, sizeof(buf), &ok);
    assert_non_null(s);
    assert_null(parse_item(s, ',', buf, sizeof(buf), &ok));
    assert_false(ok);
    assert_null(parse_item("", ',', buf, sizeof(buf), &ok));
    assert_false(ok);
}

/* ---- nearest ------------------------------------------------------------------------------- */

/* Optimal string alignment by its recursive definition: slow, and obviously right. */
static unsigned slow_distance(const char *a, size_t n, const char *b, size_t m)
{
    if (!n || !m)
        return (unsigned)(n + m);
    unsigned d = slow_distance(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
    unsigned del = slow_distance(a, n - 1, b, m) + 1, ins = slow_distance(a, n, b, m - 1) + 1;
    d = del < d ? del : d;
    d = ins < d ? ins : d;
    if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1]) {
        unsigned swap = slow_distance(a, n - 2, b, m - 2) + 1;
        d = swap < d ? swap : d;
    }
    return d;
}

static void nearest_is_nearest(void **state)
{
    (void)state;
    struct rng g = rng_stream(8, 8);
    unsigned found = 0, none = 0;
    for (int i = 0; i < 20000; i++) {
        char text[5][8]; /* four words to choose from, and the one that is asked about */
        for (int w = 0; w < 5; w++) {
            size_t n = 1 + rng_below(&g, 6);
            for (size_t j = 0; j < n; j++)
                text[w][j] = (char)('a' + rng_below(&g, 4));
            text[w][n] = '\0';
        }
        const char *const words[] = {text[0], text[1], text[2], text[3], NULL};
        const char *s = text[4], *best = NULL;
        unsigned best_d = 99;
        for (int w = 0; w < 4; w++) {
            size_t n = strlen(s), m = strlen(words[w]), shorter = n < m ? n : m;
            unsigned d = slow_distance(s, n, words[w], m);
            if (d > 1 && shorter >= 2 && strncmp(s, words[w], shorter) == 0)
                d = 1;
            size_t longer = n > m ? n : m;
            if (d <= (longer < 6 ? 1 : longer / 3) && d < best_d) {
                best = words[w];
                best_d = d;
            }
        }
        assert_ptr_equal(nearest_word(s, words), best);
        *(best ? &found : &none) += 1;
    }
    assert_true(found > 1000 && none > 1000); /* both kinds were tried */
}

static void nearest_examples(void **state)
{
    (void)state;
    static const char *const words[] = {"bandwidth", "latency", "selftest", "mem", NULL};
    assert_string_equal(nearest_word("bandwith", words), "bandwidth");
    assert_string_equal(nearest_word("lantecy", words), "latency");
    assert_string_equal(nearest_word("self", words), "selftest");
    assert_string_equal(nearest_word("men", words), "mem");
    assert_null(nearest_word("fft", words));
    assert_null(nearest_word("", words));
    char huge[200];
    memset(huge, 'b', sizeof(huge));
    huge[199] = '\0';
    assert_null(nearest_word(huge, (const char *const[]){"mem", NULL}));
}

static void words_of_a_list(void **state)
{
    static const char *const there[] = {"fft", "getblk", "pagehash"};
    static const char *const absent[] = {"ff",        "fftt", "get",       "blk",
                                         "pagehash,", "x",    "k,pagehash"};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(there); i++)
        assert_true(list_has("fft,getblk,pagehash", there[i]));
    for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
        assert_false(list_has("fft,getblk,pagehash", absent[i]));
    assert_false(list_has("", "fft"));
    assert_true(list_has("fft", "fft"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(numbers),
        cmocka_unit_test(lists),
        cmocka_unit_test(items),
        cmocka_unit_test(words_of_a_list),
        cmocka_unit_test(nearest_is_nearest),
        cmocka_unit_test(nearest_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
