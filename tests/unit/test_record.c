/*
 * Records: the grammar of HACKING.md, checked with a small JSON reader and a bitwise CRC that
 * share nothing with the code under test.
 */
#include "host.h"

#include "core/console.h"
#include "core/record.h"
#include "core/rng.h"
#include "lab/record_float.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- an independent reader ----------------------------------------------------------------- */

static uint32_t crc_bitwise(const char *s, size_t n)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < n; i++) {
        crc ^= (unsigned char)s[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? (crc >> 1) ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

/* Each returns what is behind the value, or NULL when it is not JSON. */
static const char *skip_value(const char *s);

static const char *skip_string(const char *s)
{
    if (*s++ != '"')
        return NULL;
    for (; *s != '"'; s++) {
        if ((unsigned char)*s < 0x20 || (unsigned char)*s > 0x7e)
            return NULL;
        if (*s != '\\')
            continue;
        s++;
        if (*s == 'u') {
            for (int i = 1; i <= 4; i++)
                if (!s[i] || !strchr("0123456789abcdef", s[i]))
                    return NULL;
            s += 4;
        } else if (*s != '"' && *s != '\\') {
            return NULL;
        }
    }
    return s + 1;
}

static const char *skip_members(const char *s, char close, bool named)
{
    s++;
    if (*s == close)
        return s + 1;
    for (;;) {
        if (named) {
            s = skip_string(s);
            if (!s || *s++ != ':')
                return NULL;
        }
        s = skip_value(s);
        if (!s)
            return NULL;
        if (*s == close)
            return s + 1;
        if (*s++ != ',')
            return NULL;
    }
}

static const char *skip_value(const char *s)
{
    static const char *const words[] = {"true", "false", "null"};
    if (*s == '"')
        return skip_string(s);
    if (*s == '{' || *s == '[')
        return skip_members(s, *s == '{' ? '}' : ']', *s == '{');
    for (int i = 0; i < 3; i++)
        if (strncmp(s, words[i], strlen(words[i])) == 0)
            return s + strlen(words[i]);
    char *end;
    strtod(s, &end);
    return end != s && strchr("-0123456789", *s) ? end : NULL;
}

static unsigned expected_seq; /* of the next record of this process */

/* Checks all lines of the console and clears it; returns how many. */
static unsigned check_lines(void)
{
    unsigned lines = 0;
    for (const char *line = host_console(); *line; lines++) {
        const char *end = strchr(line, '\n');
        assert_non_null(end);
        assert_true(end - line <= RECORD_MAX);
        assert_int_equal(strncmp(line, "{\"tt\":\"", 7), 0);
        const char *after = skip_value(line);
        assert_ptr_equal(after, end);

        char seq[32];
        snprintf(seq, sizeof(seq), "\",\"seq\":%u", expected_seq++);
        const char *kind_end = strchr(line + 7, '"');
        assert_int_equal(strncmp(kind_end, seq, strlen(seq)), 0);

        const char *crc = end - strlen(",\"crc\":\"xxxxxxxx\"}");
        char tail[32];
        snprintf(tail, sizeof(tail), ",\"crc\":\"%08x\"}", crc_bitwise(line, (size_t)(crc - line)));
        assert_int_equal(strncmp(crc, tail, strlen(tail)), 0);
        line = end + 1;
    }
    host_console_clear();
    return lines;
}

/* ---- tests --------------------------------------------------------------------------------- */

static void crc_is_zlibs(void **state)
{
    (void)state;
    assert_int_equal(crc32_zlib(0, "", 0), 0);
    assert_int_equal(crc32_zlib(0, "123456789", 9), 0xcbf43926); /* the check value of CRC-32 */
    uint32_t part = crc32_zlib(0, "1234", 4);
    assert_int_equal(crc32_zlib(part, "56789", 5), 0xcbf43926);
    struct rng r = rng_stream(1, 2);
    for (int i = 0; i < 1000; i++) {
        char data[100];
        for (size_t j = 0; j < sizeof(data); j++)
            data[j] = (char)rng_next(&r);
        size_t n = rng_below(&r, sizeof(data) + 1);
        assert_int_equal(crc32_zlib(0, data, n), crc_bitwise(data, n));
    }
}

static void every_kind_of_member(void **state)
{
    (void)state;
    struct record r;
    char expected[64];
    snprintf(expected, sizeof(expected), "{\"tt\":\"note\",\"seq\":%u,", expected_seq);
    record_begin(&r, "note");
    record_str(&r, "s", "a\"b\\c\nd\te\x7f\xc3\xa4");
    record_u64(&r, "u", UINT64_MAX);
    record_i64(&r, "i", INT64_MIN);
    record_hex(&r, "h", 0xabc);
    record_bool(&r, "b", true);
    record_null(&r, "n");
    record_raw(&r, "f", "1.5");
    record_array(&r, "a");
    record_u64(&r, NULL, 1);
    record_str(&r, NULL, "x");
    record_array_end(&r);
    record_array(&r, "empty");
    record_array_end(&r);
    record_bool(&r, "last", false);
    record_end(&r);
    assert_int_equal(strncmp(host_console(), expected, strlen(expected)), 0);
    assert_non_null(strstr(host_console(),
                           "\"s\":\"a\\\"b\\\\c\\u000ad\\u0009e???\",\"u\":18446744073709551615,"
                           "\"i\":-9223372036854775808,\"h\":\"0xabc\",\"b\":true,\"n\":null,"
                           "\"f\":1.5,\"a\":[1,\"x\"],\"empty\":[],\"last\":false,\"crc\":\""));
    assert_int_equal(check_lines(), 1);
}

static void starts_in_column_0(void **state)
{
    (void)state;
    struct record r;
    console_write("# half a line", 13);
    record_begin(&r, "note");
    record_end(&r);
    assert_int_equal(strncmp(host_console(), "# half a line\n{\"tt\":", 20), 0);
    expected_seq++;
    host_console_clear();
}

static void abandoned_record_leaves_no_gap(void **state)
{
    (void)state;
    struct record a, b;
    record_begin(&a, "sample");
    record_begin(&b, "note");
    record_end(&b);
    record_begin(&b, "note");
    record_end(&b);
    assert_int_equal(check_lines(), 2);
}

/* Fills one string member so that the body has every length around the limit. */
static void longest_line_is_512_bytes(void **state)
{
    (void)state;
    char text[RECORD_MAX + 8];
    size_t longest = 0;
    for (size_t n = RECORD_MAX - 100; n < RECORD_MAX; n++) {
        struct record r;
        memset(text, 'x', n);
        text[n] = '\0';
        record_begin(&r, "note");
        bool fits = record_fits(&r, n + strlen(",\"t\":\"\""));
        record_str(&r, "t", text);
        assert_int_equal(fits, !r.overflow);
        if (fits) {
            longest = n;
            record_end(&r);
        } else {
            assert_panics(record_end(&r), "record \"note\" is longer than 512 bytes");
        }
    }
    assert_true(longest > RECORD_MAX - 80); /* both sides of the limit were seen */
    assert_true(longest < RECORD_MAX - 50);
    check_lines();
}

static void random_records(void **state)
{
    (void)state;
    struct rng g = rng_stream(3, 3);
    for (int i = 0; i < 20000; i++) {
        struct record r;
        record_begin(&r, "note");
        unsigned members = rng_below(&g, 30);
        for (unsigned m = 0; m < members; m++) {
            char text[20];
            size_t n = rng_below(&g, sizeof(text));
            for (size_t j = 0; j < n; j++)
                text[j] = (char)(1 + rng_below(&g, 255));
            text[n] = '\0';
            struct record before = r;
            if (rng_below(&g, 2))
                record_str(&r, text, text);
            else
                record_u64(&r, text, rng_next(&g));
            if (r.overflow) { /* a failed append may leave half a member: go back */
                r = before;
                break;
            }
        }
        record_end(&r);
    }
    assert_int_equal(check_lines(), 20000);
}

/* ---- arrays in parts ----------------------------------------------------------------------- */

static void head(struct record *r, void *arg)
{
    record_str(r, "exp", arg);
}

/* Reads the parts back: every value once, in order, parts numbered, first right. */
static void check_parts(const uint32_t *v, size_t n)
{
    size_t at = 0;
    unsigned part = 0, parts = 0;
    for (const char *line = host_console(); *line; line = strchr(line, '\n') + 1) {
        size_t first;
        unsigned p, of;
        const char *numbers = strstr(line, "\"first\":");
        assert_non_null(numbers);
        assert_int_equal(
            sscanf(numbers, "\"first\":%zu,\"part\":%u,\"parts\":%u,", &first, &p, &of), 3);
        assert_int_equal(p, part++);
        assert_true(parts == 0 || of == parts);
        parts = of;
        assert_int_equal(first, at);
        const char *values = strstr(numbers, "\"v\":[") + 5;
        while (*values != ']') {
            char *end;
            assert_true(at < n);
            assert_int_equal(strtoul(values, &end, 10), v[at++]);
            values = *end == ',' ? end + 1 : end;
        }
    }
    assert_int_equal(at, n);
    assert_int_equal(part, parts);
}

static void long_arrays_come_in_parts(void **state)
{
    (void)state;
    static uint32_t v[5000];
    char name[260];
    struct rng g = rng_stream(4, 4);
    for (int round = 0; round < 200; round++) {
        size_t n = round < 20 ? (size_t)round : rng_below(&g, ARRAY_SIZE(v) + 1);
        for (size_t i = 0; i < n; i++)
            v[i] = (uint32_t)(rng_next(&g) >> (32 + rng_below(&g, 32)));
        memset(name, 'e', sizeof(name));
        name[rng_below(&g, sizeof(name))] = '\0';
        record_u32_parts("alloc", head, name, "v", v, n);
        check_parts(v, n);
        assert_true(check_lines() >= 1);
    }
}

/* ---- fractions ----------------------------------------------------------------------------- */

static void fractions(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.5, "-0.5"},
        {1e6, "1000000"},
        {123456789, "123456789"},
        {1234567891, "1.23456789e+09"},
        {1.0 / 3, "0.333333333"},
        {1e-300, "1e-300"},
        {DBL_MAX, "1.79769313e+308"},
        {INFINITY, "null"},
        {-INFINITY, "null"},
        {NAN, "null"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct record r;
        char want[64];
        snprintf(want, sizeof(want), ",\"x\":%s,\"crc\":", cases[i].text);
        record_begin(&r, "sample");
        record_f64(&r, "x", cases[i].value);
        record_end(&r);
        assert_non_null(strstr(host_console(), want));
        assert_int_equal(check_lines(), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_is_zlibs),
        cmocka_unit_test(every_kind_of_member),
        cmocka_unit_test(starts_in_column_0),
        cmocka_unit_test(abandoned_record_leaves_no_gap),
        cmocka_unit_test(longest_line_is_512_bytes),
        cmocka_unit_test(random_records),
        cmocka_unit_test(long_arrays_come_in_parts),
        cmocka_unit_test(fractions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
