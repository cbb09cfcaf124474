/*
 * kprintf against the host's printf, for the subset that kprintf promises.
 */
#include "host.h"

#include "core/kprintf.h"
#include "core/rng.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Same text and same length from both, and the same when the buffer is too small. */
#define same(fmt, ...)                                                                             \
    do {                                                                                           \
        char ours[128], theirs[128];                                                               \
        size_t n = ksnprintf(ours, sizeof(ours), fmt, __VA_ARGS__);                                \
        int m = snprintf(theirs, sizeof(theirs), fmt, __VA_ARGS__);                                \
        assert_string_equal(ours, theirs);                                                         \
        assert_int_equal(n, m);                                                                    \
    } while (0)

static void same_as_printf(void **state)
{
    (void)state;
    same("plain %d%%", 3);
    same("%d %i %u %x", INT_MIN, -1, UINT_MAX, 0xdeadbeefu);
    same("%ld %lld %lu %llu", LONG_MIN, LLONG_MIN, ULONG_MAX, ULLONG_MAX);
    same("%zu %zx", SIZE_MAX, (size_t)0);
    same("[%5d|%-5d|%05d|%5s|%-5s|%.2s|%5.2s]", -42, -42, -42, "ab", "ab", "abc", "abc");
    same("[%3c|%-3c|%c]", 'x', 'y', 'z');
    same("%p", (void *)0x1234);
    same("%016llx", 0x123456789abcdefULL);
    same("%-20s|%20s", "left", "right");
    same("%.3s", "cut"); /* exactly the precision */
}

static void random_integers(void **state)
{
    (void)state;
    struct rng r = rng_stream(1, 1);
    for (int i = 0; i < 100000; i++) {
        uint64_t v = rng_next(&r) >> rng_below(&r, 64);
        char f[32];
        snprintf(f, sizeof(f), "[%%%s%ull%c]", (const char *[]){"", "-", "0"}[rng_below(&r, 3)],
                 1 + rng_below(&r, 25), "dux"[rng_below(&r, 3)]);
        char ours[64], theirs[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        ksnprintf(ours, sizeof(ours), f, v);
        snprintf(theirs, sizeof(theirs), f, v);
#pragma GCC diagnostic pop
        assert_string_equal(ours, theirs);
    }
}

static void cut_at_every_length(void **state)
{
    (void)state;
    const char full[] = "abc 123 def";
    for (size_t room = 0; room <= sizeof(full) + 1; room++) {
        char *buf = malloc(room + 1); /* so that ASan sees a byte too many */
        buf[room] = '!';
        assert_int_equal(ksnprintf(buf, room, "abc %d %s", 123, "def"), strlen(full));
        assert_int_equal(buf[room], '!');
        if (room) {
            size_t n = room - 1 < strlen(full) ? room - 1 : strlen(full);
            assert_memory_equal(buf, full, n);
            assert_int_equal(buf[n], '\0');
        }
        free(buf);
    }
}

static void bounded_string_needs_no_terminator(void **state)
{
    (void)state;
    char *raw = malloc(4);
    memcpy(raw, "wxyz", 4);
    char out[16];
    assert_int_equal(ksnprintf(out, sizeof(out), "%.4s", raw), 4);
    assert_string_equal(out, "wxyz");
    free(raw);
}

static void odd_formats_show_themselves(void **state)
{
    (void)state;
    char out[64];
    char fmt[] = "a %q b %5"; /* not a literal: the compiler would refuse it */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    ksnprintf(out, sizeof(out), fmt);
#pragma GCC diagnostic pop
    assert_string_equal(out, "a %q b %5");
    const char *volatile none = NULL;
    ksnprintf(out, sizeof(out), "%s", none);
    assert_string_equal(out, "(null)");
}

static void console_gets_all_of_a_long_text(void **state)
{
    (void)state;
    char big[1001];
    memset(big, 'x', 1000);
    big[1000] = '\0';
    host_console_clear();
    kprintf("<%s>%u\n", big, 7u);
    assert_int_equal(strlen(host_console()), 1004);
    assert_string_equal(host_console() + 1000, "x>7\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_printf),
        cmocka_unit_test(random_integers),
        cmocka_unit_test(cut_at_every_length),
        cmocka_unit_test(bounded_string_needs_no_terminator),
        cmocka_unit_test(odd_formats_show_themselves),
        cmocka_unit_test(console_gets_all_of_a_long_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
