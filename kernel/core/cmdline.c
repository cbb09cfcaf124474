/*
 * The command line: cutting it into words, and giving each word to its option. See cmdline.h.
 *
 * Called once at boot, on the boot stack, before there is memory to allocate: words are copied
 * one at a time into a buffer, and "is there a later one?" is answered by reading on.
 */
#include "core/cmdline.h"

#include "core/errno.h"
#include "core/kprintf.h"
#include "core/types.h"

#include <string.h>

/* The longest word with its quotes removed; Alpha's whole command line has 255 bytes. */
#define WORD_MAX 512

#define NEAREST_MAX 3 /* names offered for an unknown key */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct word {
    char text[WORD_MAX];
    const char *value; /* behind the '='; "" when there is none */
    bool has_value;
    const char *complaint;
};

/* Reads the next word; returns what is behind it, or NULL when there was none. */
static const char *next_word(const char *s, struct word *w)
{
    bool quoted = false, too_long = false;
    size_t n = 0;

    while (is_blank(*s))
        s++;
    if (!*s)
        return NULL;
    for (; *s && (quoted || !is_blank(*s)); s++) {
        if (*s == '"')
            quoted = !quoted;
        else if (n < WORD_MAX - 1)
            w->text[n++] = *s;
        else
            too_long = true;
    }
    w->text[n] = '\0';
    w->complaint = quoted ? "a quote is opened and not closed" : too_long ? "too long" : NULL;
    char *equals = strchr(w->text, '=');
    w->has_value = equals;
    w->value = "";
    if (equals) {
        *equals = '\0';
        w->value = equals + 1;
    }
    if (!w->complaint && !w->text[0])
        w->complaint = "a word begins with its key";
    return s;
}

/* Keys are equal when they differ only in '-' against '_'. */
static bool same_key(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
            return false;
    return *a == *b;
}

static const struct option *find_option(const char *key)
{
    for_each_registered (option, o)
        if (same_key(o->name, key))
            return o;
    return NULL;
}

static bool given_later(const char *rest, const char *key)
{
    struct word w;
    while ((rest = next_word(rest, &w)))
        if (same_key(w.text, key))
            return true;
    return false;
}

/* ---- errors -------------------------------------------------------------------------------- */

struct reporter {
    cmdline_report report;
    void *arg;
    unsigned errors;
};

static void complain(struct reporter *r, const struct word *w, const char *what)
{
    char message[480];
    ksnprintf(message, sizeof(message), "%.40s%s%.60s: %s", w->text, w->has_value ? "=" : "",
              w->value, what);
    r->report(message, r->arg);
    r->errors++;
}

static void complain_unknown(struct reporter *r, const struct word *w)
{
    const char *names[128];
    unsigned n = 0;
    for_each_registered (option, o)
        if (n < ARRAY_SIZE(names) - 1)
            names[n++] = o->name;
    names[n] = NULL;

    /* Takes the nearest out of the list, again and again: NULLs end it, so the last one moves up.
     */
    char what[160];
    size_t used = ksnprintf(what, sizeof(what), "no such option");
    for (unsigned i = 0; i < NEAREST_MAX; i++) {
        const char *near = nearest_word(w->text, names);
        if (!near)
            break;
        used +=
            ksnprintf(what + used, sizeof(what) - used, "%s%.30s", i ? ", " : "; nearest: ", near);
        for (unsigned j = 0; j < n; j++)
            if (names[j] == near)
                names[j] = names[--n];
        names[n] = NULL;
    }
    ksnprintf(what + used, sizeof(what) - used, "; the word help lists all");
    complain(r, w, what);
}

static void take_word(struct reporter *r, const struct word *w, const char *rest)
{
    if (w->complaint) {
        complain(r, w, w->complaint);
        return;
    }
    if (strcmp(w->text, "BOOT_IMAGE") == 0)
        return;
    const struct option *o = find_option(w->text);
    if (!o) {
        complain_unknown(r, w);
        return;
    }
    if (!o->repeats && given_later(rest, o->name))
        return;
    char err[320] = "";
    if (o->parse(o, w->value, err, sizeof(err)) == 0)
        return;
    if (!err[0])
        ksnprintf(err, sizeof(err), "valid is %s=%s", o->name, o->grammar);
    complain(r, w, err);
}

unsigned cmdline_parse(const char *text, cmdline_report report, void *arg)
{
    struct reporter r = {.report = report, .arg = arg};
    struct word w;
    while ((text = next_word(text, &w)))
        take_word(&r, &w, text);
    return r.errors;
}

bool cmdline_early(const char *text, const char *key, char *buf, size_t bytes)
{
    struct word w;
    bool found = false;
    while ((text = next_word(text, &w)))
        if (!w.complaint && same_key(w.text, key)) {
            found = strlen(w.value) < bytes;
            if (found)
                memcpy(buf, w.value, strlen(w.value) + 1);
        }
    return found;
}

/* ---- help ---------------------------------------------------------------------------------- */

/* The registered option that follows `after` by name; NULL after the last. */
static const struct option *next_by_name(const char *after)
{
    const struct option *best = NULL;
    for_each_registered (option, o)
        if (strcmp(o->name, after) > 0 && (!best || strcmp(o->name, best->name) < 0))
            best = o;
    return best;
}

void cmdline_help(void)
{
    for (const struct option *o = next_by_name(""); o; o = next_by_name(o->name)) {
        char word[48];
        ksnprintf(word, sizeof(word), "%s%s%s", o->name, o->grammar[0] ? "=" : "", o->grammar);
        kprintf("# %-32s %s%s\n", word, o->help, o->repeats ? " (may repeat)" : "");
    }
}

static bool help_asked;

bool cmdline_help_asked(void)
{
    return help_asked;
}

static int parse_help(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    if (value[0]) {
        ksnprintf(err, err_bytes, "help takes no value");
        return -TT_EINVAL;
    }
    help_asked = true;
    return 0;
}

REGISTER(option, help) = {
    .name = "help", .grammar = "", .help = "list every option and stop", .parse = parse_help};
