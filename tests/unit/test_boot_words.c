/* The loader's command line: \tintype.cfg, and load options as firmwares leave them. */
#include "boot_data.h"

#include "words.h"

#include "boot_info.h"

_Static_assert(WORDS_CMDLINE_MAX == BOOT_CMDLINE_MAX, "what the loader takes the kernel can take");
_Static_assert(WORDS_MODULES_MAX == BOOT_MODULE_MAX, "likewise");

static struct words w;

static const char *file_bytes(const char *text, size_t bytes)
{
    char *copy = malloc(bytes ? bytes : 1); /* no NUL behind it, as read from a disk */
    memcpy(copy, text, bytes);
    const char *wrong = words_from_file(&w, copy, bytes);
    free(copy);
    return wrong;
}

static const char *file(const char *text)
{
    return file_bytes(text, strlen(text));
}

static void test_lines_become_words(void **state)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"run=list", "run=list"},
        {"run=list\n", "run=list"},
        {"run=list\r\nreps=2\r\n", "run=list reps=2"},
        {"# a comment\n\n  run=list\t\n\t# another\nreps=2", "run=list reps=2"},
        {"\xef\xbb\xbfrun=list\n", "run=list"},
        {"a=\"x  y\" #=b", "a=\"x  y\" #=b"},
        {"module", "module"}, /* no blank: a word; the kernel will complain */
    };
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_null(file(cases[i][0]));
        assert_string_equal(w.cmdline, cases[i][1]);
        assert_int_equal(w.modules, 0);
    }
}

static void test_modules(void **state)
{
    (void)state;
    assert_null(file("module \\a.bin\nrun=list\n module   /dir/b.bin \t crc=1 two  words \n"));
    assert_string_equal(w.cmdline, "run=list");
    assert_int_equal(w.modules, 2);
    assert_string_equal(w.module[0].path, "\\a.bin");
    assert_string_equal(w.module[0].label, "");
    assert_string_equal(w.module[1].path, "\\dir\\b.bin");
    assert_string_equal(w.module[1].label, "crc=1 two  words");
}

static void test_refusals_of_the_file(void **state)
{
    char text[4096];
    (void)state;
    assert_string_equal(file_bytes("r\0u\0n\0", 6), "not ASCII text (UTF-16, perhaps)");
    assert_string_equal(file("run=\xc3\xa4"), "not ASCII text (UTF-16, perhaps)");
    assert_string_equal(file("run\x7f"), "not ASCII text (UTF-16, perhaps)");

    memset(text, 'x', sizeof text);
    assert_null(file_bytes(text, WORDS_CMDLINE_MAX - 1));
    assert_int_equal(strlen(w.cmdline), WORDS_CMDLINE_MAX - 1);
    assert_string_equal(file_bytes(text, WORDS_CMDLINE_MAX), "the command line is too long");
    text[1000] = '\n'; /* becomes a blank */
    assert_null(file_bytes(text, WORDS_CMDLINE_MAX - 1));
    assert_string_equal(file_bytes(text, WORDS_CMDLINE_MAX), "the command line is too long");

    memcpy(text, "module ", 7);
    text[1000] = 'x';
    assert_null(file_bytes(text, 7 + 127));
    assert_string_equal(file_bytes(text, 7 + 128), "the path or the label of a module is too long");
    text[8] = ' ';
    assert_null(file_bytes(text, 7 + 2 + 63));
    assert_int_equal(strlen(w.module[0].label), 63);
    assert_string_equal(file_bytes(text, 7 + 2 + 64),
                        "the path or the label of a module is too long");

    text[0] = '\0';
    for (int i = 0; i < 16; i++)
        strcat(text, "module a\n");
    assert_null(file(text));
    strcat(text, "module a\n");
    assert_string_equal(file(text), "more than 16 modules");
}

/* Options as UTF-16 of `text`, `extra` bytes of NULs behind it. */
static enum words_options options(const char *text, size_t extra)
{
    size_t n = strlen(text), bytes = 2 * n + extra;
    char *utf16 = calloc(1, bytes ? bytes : 1);
    for (size_t i = 0; i < n; i++)
        utf16[2 * i] = text[i];
    strcpy(w.cmdline, "before");
    enum words_options result = words_from_options(&w, utf16, bytes);
    free(utf16);
    return result;
}

static void test_options(void **state)
{
    static const struct {
        const char *text;
        enum words_options result;
        const char *cmdline;
    } cases[] = {
        {"", OPTIONS_NONE, "before"},
        {"   ", OPTIONS_NONE, "before"},
        {"run=list", OPTIONS_TAKEN, "run=list"},
        {" run=list reps=2 ", OPTIONS_TAKEN, "run=list reps=2"}, /* QEMU puts the blank there */
        {"BOOTX64.EFI run=list", OPTIONS_TAKEN, "run=list"},     /* the shell */
        {"FS0:\\EFI\\BOOT\\bootx64.efi", OPTIONS_NONE, "before"},
        {"fs0:\\tintype.efi  help", OPTIONS_TAKEN, "help"},
        {"log=x.efi", OPTIONS_TAKEN, "log=x.efi"},
        {"help x.efi", OPTIONS_TAKEN, "help x.efi"},
        {"run=list\r\n", OPTIONS_TAKEN, "run=list"},
        {"a\tb", OPTIONS_TAKEN, "a b"},
    };
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        for (size_t extra = 0; extra <= 5; extra++) { /* with and without NULs, even half a one */
            if (extra == 1 && !cases[i].text[0])
                continue;
            assert_int_equal(options(cases[i].text, extra), cases[i].result);
            assert_string_equal(w.cmdline, cases[i].cmdline);
        }
    }
}

static void test_options_that_are_no_text(void **state)
{
    /* What EDK2 leaves with boot options of its own making: a GUID. */
    static const unsigned char guid[16] = {0x4e, 0xac, 0x08, 0x81, 0x11, 0x9f, 0x59, 0x4d,
                                           0x85, 0x0e, 0xe2, 0x1a, 0x52, 0x2c, 0x59, 0xb2};
    (void)state;
    strcpy(w.cmdline, "before");
    assert_int_equal(words_from_options(&w, guid, sizeof guid), OPTIONS_NOT_TEXT);
    assert_int_equal(words_from_options(&w, "run=list", 8), OPTIONS_NOT_TEXT); /* ASCII as UTF-16 */
    assert_int_equal(words_from_options(&w, "x", 1), OPTIONS_NOT_TEXT);
    assert_int_equal(words_from_options(&w, "\1\0", 2), OPTIONS_NOT_TEXT);
    assert_int_equal(words_from_options(&w, NULL, 0), OPTIONS_NONE);
    assert_string_equal(w.cmdline, "before");
}

static void test_long_options(void **state)
{
    static char text[8192];
    (void)state;
    memset(text, 'x', 2047);
    assert_int_equal(options(text, 2), OPTIONS_TAKEN);
    assert_int_equal(strlen(w.cmdline), 2047);
    memset(text, 'x', 2048);
    assert_int_equal(options(text, 2), OPTIONS_TOO_LONG);
    memset(text, 'x', 8000);
    assert_int_equal(options(text, 2), OPTIONS_TOO_LONG);
    memset(text, 0, sizeof text);
    strcpy(text, "\\EFI\\x.efi ");
    memset(text + strlen(text), 'x', 2047);
    assert_int_equal(options(text, 0), OPTIONS_TAKEN);
    assert_int_equal(strlen(w.cmdline), 2047);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_become_words),       cmocka_unit_test(test_modules),
        cmocka_unit_test(test_refusals_of_the_file),     cmocka_unit_test(test_options),
        cmocka_unit_test(test_options_that_are_no_text), cmocka_unit_test(test_long_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
