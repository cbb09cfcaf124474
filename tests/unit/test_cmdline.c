/*
 * The command line against a naive model: words, quotes, last wins, errors that name the word.
 */
#include "host.h"

#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options of this test ------------------------------------------------------------------ */

static char log_text[8192]; /* what parse functions were given, "name=value;" each */

static int note(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)err, (void)err_bytes;
    size_t n = strlen(log_text);
    snprintf(log_text + n, sizeof(log_text) - n, "%s=%s;", o->name, value);
    return 0;
}

static int number(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    uint64_t v;
    if (parse_u64(value, 1, 10000, &v)) {
        ksnprintf(err, err_bytes, "from 1 to 10000");
        return -TT_EINVAL;
    }
    return note(o, value, err, err_bytes);
}

static int refuse(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o, (void)value, (void)err, (void)err_bytes;
    return -TT_EINVAL;
}

REGISTER(option, reps) = {.name = "reps", .grammar = "N", .help = "repetitions", .parse = number};
REGISTER(option, run) = {.name = "run", .grammar = "NAMES", .help = "what", .parse = note};
REGISTER(option,
         page_color) = {.name = "page_color", .grammar = "SIZE", .help = "cache", .parse = note};
REGISTER(option, hole) = {
    .name = "hole", .grammar = "SIZE@ADDR", .help = "a hole", .repeats = true, .parse = note};
REGISTER(option, never) = {.name = "never", .grammar = "A|B", .help = "no", .parse = refuse};

static char errors[8192];

static void collect(const char *message, void *arg)
{
    assert_ptr_equal(arg, errors);
    size_t n = strlen(errors);
    snprintf(errors + n, sizeof(errors) - n, "%s\n", message);
}

static unsigned parse(const char *text)
{
    log_text[0] = errors[0] = '\0';
    return cmdline_parse(text, collect, errors);
}

#define assert_parses(text, expected)                                                              \
    do {                                                                                           \
        assert_int_equal(parse(text), 0);                                                          \
        assert_string_equal(log_text, expected);                                                   \
        assert_string_equal(errors, "");                                                           \
    } while (0)

#define assert_complains(text, expected)                                                           \
    do {                                                                                           \
        assert_true(parse(text) > 0);                                                              \
        assert_string_equal(errors, expected);                                                     \
    } while (0)

/* ---- words --------------------------------------------------------------------------------- */

static void words(void **state)
{
    (void)state;
    assert_parses("", "");
    assert_parses(" \t\n ", "");
    assert_parses("reps=3", "reps=3;");
    assert_parses("  reps=3\trun=a,b  ", "reps=3;run=a,b;");
    assert_parses("page-color=2048", "page_color=2048;");
    assert_parses("run=\"two words\" reps=1", "run=two words;reps=1;");
    assert_parses("\"run=two words\" reps=1", "run=two words;reps=1;");
    assert_parses("run=", "run=;");
    assert_parses("run", "run=;");
    assert_parses("run=a=b", "run=a=b;");
    assert_parses("run=\"\"", "run=;");
    assert_parses("BOOT_IMAGE=/boot/kernel.elf reps=2", "reps=2;");
}

static void last_wins_unless_it_repeats(void **state)
{
    (void)state;
    assert_parses("reps=3 run=x reps=4", "run=x;reps=4;");
    assert_parses("page_color=1 page-color=2", "page_color=2;");
    assert_parses("hole=1@2 reps=1 hole=3@4", "hole=1@2;reps=1;hole=3@4;");
    assert_parses("reps=nonsense reps=4", "reps=4;"); /* overruled, as on Linux */
}

static void errors_name_the_word(void **state)
{
    (void)state;
    assert_complains("rep=3", "rep=3: no such option; nearest: reps; the word help lists all\n");
    assert_complains("pagecolour",
                     "pagecolour: no such option; nearest: page_color; the word help lists all\n");
    assert_complains("zzzzzzzz=1", "zzzzzzzz=1: no such option; the word help lists all\n");
    assert_complains("reps=0", "reps=0: from 1 to 10000\n");
    assert_complains("reps", "reps: from 1 to 10000\n");
    assert_complains("reps=", "reps=: from 1 to 10000\n");
    assert_complains("never=x", "never=x: valid is never=A|B\n");
    assert_complains("=3", "=3: a word begins with its key\n");
    assert_complains("run=\"open reps=1", "run=open reps=1: a quote is opened and not closed\n");
    assert_complains("help=me", "help=me: help takes no value\n");
}

static void all_errors_are_reported_and_the_rest_is_parsed(void **state)
{
    (void)state;
    assert_int_equal(parse("reps=0 run=x never=1 foo hole=y"), 3);
    assert_string_equal(log_text, "run=x;hole=y;");
    assert_string_equal(errors, "reps=0: from 1 to 10000\nnever=1: valid is never=A|B\n"
                                "foo: no such option; the word help lists all\n");
}

static void overlong_words(void **state)
{
    (void)state;
    static char text[4096];
    memset(text, 'x', sizeof(text));
    memcpy(text, "run=", 4);
    text[511] = '\0';
    assert_int_equal(parse(text), 0);
    assert_int_equal(strlen(log_text), 511 + 1);
    text[511] = 'x';
    text[512] = '\0';
    assert_int_equal(parse(text), 1);
    assert_non_null(strstr(errors, ": too long\n"));
    assert_true(strlen(errors) < 200);
    text[512] = 'x';
    memcpy(text + 3000, " reps=7", 8);
    assert_int_equal(parse(text), 1);
    assert_string_equal(log_text, "reps=7;");
}

static void early(void **state)
{
    (void)state;
    char buf[8];
    assert_true(cmdline_early("a=1 console=ttyS0 console=ttyS1", "console", buf, sizeof(buf)));
    assert_string_equal(buf, "ttyS1");
    assert_false(cmdline_early("xconsole=a consolex=b", "console", buf, sizeof(buf)));
    assert_false(cmdline_early("console=12345678", "console", buf, sizeof(buf)));
    assert_true(cmdline_early("console=1234567", "console", buf, sizeof(buf)));
    assert_false(cmdline_early("", "console", buf, sizeof(buf)));
    assert_true(cmdline_early("exit", "exit", buf, sizeof(buf)));
    assert_string_equal(buf, "");
}

static void help(void **state)
{
    (void)state;
    assert_false(cmdline_help_asked());
    assert_int_equal(parse("help"), 0);
    assert_true(cmdline_help_asked());
    host_console_clear();
    cmdline_help();
    const char *at = host_console();
    static const char *const order[] = {"# help",      "# hole=SIZE@ADDR",
                                        "# never=A|B", "# page_color=SIZE",
                                        "# reps=N",    "# run=NAMES"};
    for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
        assert_int_equal(strncmp(at, order[i], strlen(order[i])), 0);
        at = strchr(at, '\n') + 1;
    }
    assert_string_equal(at, "");
}

/* ---- properties ---------------------------------------------------------------------------- */

/* Any bytes: nothing is read or written out of bounds, and errors agree with their count. */
static void random_bytes(void **state)
{
    (void)state;
    static const char alphabet[] = "  \"\"==reps=run-_help,0x1K\t\\\x80";
    struct rng g = rng_stream(5, 5);
    for (int i = 0; i < 100000; i++) {
        size_t n = rng_below(&g, 60);
        char *text = malloc(n + 1);
        for (size_t j = 0; j < n; j++)
            text[j] = rng_below(&g, 8) ? alphabet[rng_below(&g, sizeof(alphabet) - 1)]
                                       : (char)(1 + rng_below(&g, 255));
        text[n] = '\0';
        unsigned count = parse(text), lines = 0;
        for (const char *p = errors; (p = strstr(p, ": ")); p += 2)
            lines++;
        assert_true(lines >= count);
        free(text);
    }
}

/* Words joined with random blanks and quotes come back as they were. */
static void words_survive_quoting(void **state)
{
    (void)state;
    struct rng g = rng_stream(6, 6);
    for (int i = 0; i < 20000; i++) {
        char text[512] = "", expected[512] = "";
        unsigned count = rng_below(&g, 6);
        for (unsigned w = 0; w < count; w++) {
            char value[16];
            unsigned n = rng_below(&g, 10);
            for (unsigned j = 0; j < n; j++)
                value[j] = "ab c,=-_"[rng_below(&g, 8)];
            value[n] = '\0';
            bool quote = strchr(value, ' ') || rng_below(&g, 2);
            size_t t = strlen(text), e = strlen(expected);
            snprintf(text + t, sizeof(text) - t, "%shole=%s%s%s%s", rng_below(&g, 2) ? " " : "\t ",
                     quote ? "\"" : "", value, quote ? "\"" : "", rng_below(&g, 2) ? " " : "\n");
            snprintf(expected + e, sizeof(expected) - e, "hole=%s;", value);
        }
        assert_parses(text, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(last_wins_unless_it_repeats),
        cmocka_unit_test(errors_name_the_word),
        cmocka_unit_test(all_errors_are_reported_and_the_rest_is_parsed),
        cmocka_unit_test(overlong_words),
        cmocka_unit_test(early),
        cmocka_unit_test(help),
        cmocka_unit_test(random_bytes),
        cmocka_unit_test(words_survive_quoting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
