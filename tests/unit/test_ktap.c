/*
 * KTAP: our text, and what perl's TAP::Harness (prove), which we did not write, makes of it.
 */
#include "host.h"

#include "core/console.h"
#include "core/kprintf.h"
#include "core/ktap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void text_is_as_documented(void **state)
{
    (void)state;
    host_console_clear();
    ktap_begin(2);
    ktap_begin(3);
    ktap_result(KTAP_OK, "wx", NULL);
    ktap_result(KTAP_SKIP, "red_zone", "no %s", "disassembler");
    ktap_result(KTAP_FAIL, "poison", "r%d changed", 12);
    assert_int_equal(ktap_end(), 1);
    ktap_result(KTAP_FAIL, "selftest", "1 of 3 failed");
    ktap_result(KTAP_XFAIL, "alias", "this machine has KSEG");
    assert_int_equal(ktap_end(), 1);
    assert_string_equal(host_console(), "KTAP version 1\n"
                                        "1..2\n"
                                        "  KTAP version 1\n"
                                        "  1..3\n"
                                        "  ok 1 wx\n"
                                        "  ok 2 red_zone # SKIP no disassembler\n"
                                        "  not ok 3 poison # r12 changed\n"
                                        "not ok 1 selftest # 1 of 3 failed\n"
                                        "ok 2 alias # XFAIL this machine has KSEG\n");
}

static void totals_count_leaves(void **state)
{
    (void)state;
    struct ktap_totals before = ktap_totals();
    ktap_begin(0);
    ktap_begin(4);
    ktap_result(KTAP_OK, "a", NULL);
    ktap_result(KTAP_XFAIL, "b", "known");
    ktap_result(KTAP_SKIP, "c", "absent");
    assert_int_equal(ktap_end(), 1); /* the fourth never came */
    ktap_result(KTAP_FAIL, "parent of a missing test", "incomplete");
    ktap_begin(1);
    ktap_result(KTAP_OK, "d", NULL);
    assert_int_equal(ktap_end(), 0);
    ktap_result(KTAP_FAIL, "fails by itself", "sums differ");
    assert_int_equal(ktap_end(), 2);
    struct ktap_totals after = ktap_totals();
    assert_int_equal(after.passed - before.passed, 3);
    assert_int_equal(after.failed - before.failed, 2);
    assert_int_equal(after.skipped - before.skipped, 1);
}

static void lines_begin_in_column_0(void **state)
{
    (void)state;
    host_console_clear();
    console_write("# progress", 10);
    ktap_begin(1);
    console_write("x", 1);
    ktap_result(KTAP_OK, "a#b\nc", "%s", "two\nlines # SKIP me");
    ktap_end();
    assert_string_equal(host_console(), "# progress\nKTAP version 1\n1..1\nx\n"
                                        "ok 1 a b c # two lines   SKIP me\n");
}

static void misuse_panics(void **state)
{
    (void)state;
    assert_panics(ktap_end(), "without a begin");
    assert_panics(ktap_result(KTAP_OK, "a", NULL), "outside of any level");
    for (int i = 0; i < KTAP_DEPTH; i++)
        ktap_begin(0);
    assert_panics(ktap_begin(0), "more than 4 levels");
    for (int i = 0; i < KTAP_DEPTH; i++)
        ktap_end();
    ktap_begin(1);
    assert_panics(ktap_result(KTAP_FAIL, "a", NULL), "check failed"); /* needs a reason */
    ktap_result(KTAP_OK, "a", NULL);
    assert_panics(ktap_result(KTAP_OK, "b", NULL), "check failed"); /* more than planned */
    ktap_end();
}

/* ---- prove --------------------------------------------------------------------------------- */

struct proven {
    int status; /* 0: prove was satisfied */
    unsigned tests;
    bool pass;
};

/* What prove says about the captured console, its lines less `indent` blanks. */
static struct proven prove(unsigned indent)
{
    char path[] = "/tmp/tt-ktap-XXXXXX", command[128], line[256];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    for (const char *s = host_console(); *s; s = strchr(s, '\n') + 1)
        if (strspn(s, " ") >= indent)
            fprintf(f, "%.*s\n", (int)(strchr(s, '\n') - s - (int)indent), s + indent);
    fclose(f);

    struct proven p = {0};
    snprintf(command, sizeof(command), "prove --exec cat %s 2>/dev/null", path);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    while (fgets(line, sizeof(line), out)) {
        sscanf(line, "Files=1, Tests=%u,", &p.tests);
        p.pass |= strcmp(line, "Result: PASS\n") == 0;
    }
    p.status = pclose(out);
    unlink(path);
    return p;
}

static void run_nested(enum ktap_verdict inner, enum ktap_verdict outer, const char *why)
{
    host_console_clear();
    ktap_begin(2);
    ktap_begin(3);
    ktap_result(KTAP_OK, "first", NULL);
    ktap_result(KTAP_SKIP, "second", "not on this machine");
    ktap_result(inner, "third", "%s", why);
    ktap_end();
    ktap_result(outer, "group", "%s", why);
    kprintf("# text for people\n{\"tt\":\"note\"}\n");
    ktap_result(KTAP_OK, "single", NULL);
    ktap_end();
}

static void prove_counts_ours_right(void **state)
{
    (void)state;
    if (system("prove --version >/dev/null 2>&1") != 0)
        fail_msg("prove is missing (Debian package perl)");

    run_nested(KTAP_OK, KTAP_OK, "fine");
    struct proven p = prove(0);
    assert_true(p.pass && p.status == 0 && p.tests == 2);
    p = prove(2);
    assert_true(p.pass && p.status == 0 && p.tests == 3);

    run_nested(KTAP_XFAIL, KTAP_OK, "known");
    p = prove(2);
    assert_true(p.pass && p.status == 0 && p.tests == 3);
}

static void prove_sees_ours_fail(void **state)
{
    (void)state;
    static const char *const reasons[] = {"sums differ", "skip list is broken", "TODO: nothing",
                                          "# skip", "a # SKIP b"};
    for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
        run_nested(KTAP_FAIL, KTAP_FAIL, reasons[i]);
        struct proven p = prove(0);
        assert_true(!p.pass && p.status != 0 && p.tests == 2);
        p = prove(2);
        assert_true(!p.pass && p.status != 0 && p.tests == 3);
    }
    host_console_clear();
    ktap_begin(2); /* the boot stops after the first */
    ktap_result(KTAP_OK, "first", NULL);
    struct proven p = prove(0);
    assert_true(!p.pass && p.status != 0);
    ktap_end();
}

static void prove_takes_a_plan_at_the_end(void **state)
{
    (void)state;
    host_console_clear();
    ktap_begin(0);
    ktap_result(KTAP_OK, "first", NULL);
    ktap_result(KTAP_OK, "second", NULL);
    ktap_end();
    struct proven p = prove(0);
    assert_true(p.pass && p.status == 0 && p.tests == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_as_documented),         cmocka_unit_test(totals_count_leaves),
        cmocka_unit_test(lines_begin_in_column_0),       cmocka_unit_test(misuse_panics),
        cmocka_unit_test(prove_counts_ours_right),       cmocka_unit_test(prove_sees_ours_fail),
        cmocka_unit_test(prove_takes_a_plan_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
