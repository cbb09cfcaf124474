/*
 * KTAP output: nesting, plans, and what a consumer could misread. See ktap.h.
 */
#include "core/ktap.h"

#include "core/console.h"
#include "core/kprintf.h"
#include "core/panic.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct level {
    unsigned plan; /* 0: not known beforehand */
    unsigned done;
    unsigned failed;
    bool child_closed; /* a nested level ended: the next result is its parent's line */
    unsigned child_failed;
};

static struct level levels[KTAP_DEPTH];
static unsigned depth; /* of open levels */
static struct ktap_totals totals;

/* Starts a line at the indentation of the innermost level. */
static void start_line(void)
{
    if (!console_at_line_start())
        console_write("\n", 1);
    for (unsigned i = 1; i < depth; i++)
        console_write("  ", 2);
}

void ktap_begin(unsigned plan)
{
    if (depth == KTAP_DEPTH)
        panic("ktap: more than %d levels", KTAP_DEPTH);
    levels[depth++] = (struct level){.plan = plan};
    start_line();
    kprintf("KTAP version 1\n");
    if (plan) {
        start_line();
        kprintf("1..%u\n", plan);
    }
}

/* One line, without a '#' that could start a directive. */
static void make_plain(char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < ' ' || *s == '#')
            *s = ' ';
}

/* Does s begin with a word that TAP consumers take for a directive, whatever its case? */
static bool looks_like_directive(const char *s)
{
    static const char *const words[] = {"skip", "todo", "xfail"};
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t n = 0;
        while (words[i][n] && (s[n] | 0x20) == words[i][n])
            n++;
        if (!words[i][n])
            return true;
    }
    return false;
}

static void count(struct level *l, enum ktap_verdict v)
{
    bool parent = l->child_closed;
    bool failed = v == KTAP_FAIL;

    l->done++;
    l->failed += failed;
    /* A parent's line counts only when it is the one place where a failure shows. */
    if (failed)
        totals.failed += !parent || l->child_failed == 0;
    else if (!parent)
        *(v == KTAP_SKIP ? &totals.skipped : &totals.passed) += 1;
    l->child_closed = false;
}

void ktap_result(enum ktap_verdict v, const char *name, const char *reason, ...)
{
    static const char *const directive[] = {
        [KTAP_OK] = "", [KTAP_FAIL] = "", [KTAP_SKIP] = "SKIP ", [KTAP_XFAIL] = "XFAIL "};
    char plain_name[64], why[160] = "";

    if (!depth)
        panic("ktap: result of %s outside of any level", name);
    check(1, reason || v == KTAP_OK);
    check(1, !levels[depth - 1].plan || levels[depth - 1].done < levels[depth - 1].plan);
    count(&levels[depth - 1], v);

    ksnprintf(plain_name, sizeof(plain_name), "%s", name);
    make_plain(plain_name);
    if (reason) {
        va_list ap;
        va_start(ap, reason);
        kvsnprintf(why, sizeof(why), reason, ap);
        va_end(ap);
        make_plain(why);
    }
    bool mask = (v == KTAP_OK || v == KTAP_FAIL) && looks_like_directive(why);
    console_lock();
    start_line();
    kprintf("%s %u %s%s%s%s%s\n", v == KTAP_FAIL ? "not ok" : "ok", levels[depth - 1].done,
            plain_name, reason ? " # " : "", directive[v], mask ? "because: " : "", why);
    console_unlock();
}

unsigned ktap_end(void)
{
    if (!depth)
        panic("ktap: end without a begin");
    struct level *l = &levels[depth - 1];
    if (!l->plan) {
        start_line();
        kprintf("1..%u\n", l->done);
    } else if (l->done < l->plan) {
        l->failed += l->plan - l->done;
        totals.failed += l->plan - l->done;
    }
    unsigned failed = l->failed;
    if (--depth) {
        levels[depth - 1].child_closed = true;
        levels[depth - 1].child_failed = failed;
    }
    return failed;
}

struct ktap_totals ktap_totals(void)
{
    return totals;
}
