/* Named levels of several factors. Contract and grammar in bundle.h. */
#include "lab/bundle.h"

#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"

#include <string.h>

REGISTER_BUNDLE(levels, "NAME[:KEY=LEVEL[+KEY=LEVEL...]][/NAME...]",
                "levels by name, each setting several of the others: each against the first");

static bool key_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Bytes of the "KEY=" that text begins with, 0 if it does not. */
static size_t key_bytes(const char *text)
{
    size_t n = 0;
    while (key_char(text[n]))
        n++;
    return n && text[n] == '=' ? n + 1 : 0;
}

/* One KEY=LEVEL of a level's text. */
struct setting {
    char key[32];
    char level[LEVEL_TEXT_MAX];
};

/* Splits off the next one; NULL after the last. A text without KEY= gives an empty key. */
static const char *next_setting(const char *rest, struct setting *s)
{
    size_t key = key_bytes(rest), end = key;
    while (rest[end] && !(rest[end] == '+' && key_bytes(rest + end + 1)))
        end++;
    size_t used = key ? key - 1 : 0;
    used = used < sizeof s->key ? used : sizeof s->key - 1;
    for (size_t i = 0; i < used; i++)
        s->key[i] = (char)(rest[i] == '-' ? '_' : rest[i]); /* as on the command line */
    s->key[used] = '\0';
    size_t bytes = end - key < sizeof s->level ? end - key : sizeof s->level - 1;
    memcpy(s->level, rest + key, bytes);
    s->level[bytes] = '\0';
    return rest[end] ? rest + end + 1 : NULL;
}

/* The settings of a level's text; NULL for a name alone. */
static const char *settings_of(const char *text)
{
    const char *colon = strchr(text, ':');
    return colon ? colon + 1 : NULL;
}

bool bundle_name(const char *text, char name[LEVEL_LABEL_BYTES], char *err, size_t err_bytes)
{
    size_t n = 0;
    while (text[n] && text[n] != ':' &&
           (key_char(text[n]) || text[n] == '.' || (text[n] >= 'A' && text[n] <= 'Z')))
        n++;
    if (!n || n >= LEVEL_LABEL_BYTES || (text[n] && text[n] != ':')) {
        ksnprintf(err, err_bytes, "%s: a level begins with a name of letters, digits, . _ -", text);
        return false;
    }
    memcpy(name, text, n);
    name[n] = '\0';
    return true;
}

static int no_such_key(const struct setting *s, char *err, size_t err_bytes)
{
    const char *words[FACTORS_MAX + 1];
    unsigned n = 0;
    for_each_registered (factor, f) {
        if (!f->bundle && n < FACTORS_MAX)
            words[n++] = f->name;
    }
    words[n] = NULL;
    if (!s->key[0]) {
        ksnprintf(err, err_bytes, "'%s': KEY=LEVEL is expected there", s->level);
        return -TT_EINVAL;
    }
    return factor_no_such_level(s->key, words, err, err_bytes);
}

int bundle_apply(const char *text, struct level *l, char *err, size_t err_bytes)
{
    char name[LEVEL_LABEL_BYTES];
    const struct factor *seen[FACTORS_MAX];
    unsigned n = 0;
    if (!bundle_name(text, name, err, err_bytes))
        return -TT_EINVAL;
    for (const char *rest = settings_of(text); rest;) {
        struct setting s;
        rest = next_setting(rest, &s);
        const struct factor *f = factor_named(s.key);
        if (!f || f->bundle)
            return no_such_key(&s, err, err_bytes);
        for (unsigned i = 0; i < n; i++) {
            if (seen[i] == f) {
                ksnprintf(err, err_bytes, "%s sets %s twice", name, s.key);
                return -TT_EINVAL;
            }
        }
        seen[n++] = f;
        int bad = factor_set(f, s.level, l, err, err_bytes);
        if (bad)
            return bad;
    }
    return 0;
}

/* The level that text gives f, in *s; false if it leaves f alone. */
static bool find_setting(const char *text, const struct factor *f, struct setting *s)
{
    for (const char *rest = settings_of(text); rest;) {
        rest = next_setting(rest, s);
        if (!strcmp(s->key, f->name))
            return true;
    }
    return false;
}

bool bundle_sets(const struct factor *f)
{
    struct setting s;
    for (unsigned i = 0; i < levels_levels.count; i++) {
        if (find_setting(factor_text(&levels_factor, i), f, &s))
            return true;
    }
    return false;
}

int bundle_check(const char *workload, char *err, size_t err_bytes)
{
    for_each_registered (factor, f) {
        if (!bundle_sets(f))
            continue;
        if (!factor_applies(f, workload)) {
            ksnprintf(err, err_bytes, "levels=: %s= belongs to %s, and %s has none", f->name,
                      f->workloads, workload);
            return -TT_EINVAL;
        }
        if (factor_count(f) > 1) {
            ksnprintf(err, err_bytes, "levels= sets %s, which has levels of its own: one or other",
                      f->name);
            return -TT_EINVAL;
        }
    }
    return 0;
}

void bundle_meaning(const char *text, char out[BUNDLE_MEANING_BYTES])
{
    size_t used = 0, bytes = BUNDLE_MEANING_BYTES;
    out[0] = '\0';
    for_each_registered (factor, f) {
        struct setting s;
        if (!bundle_sets(f))
            continue;
        const char *level = find_setting(text, f, &s) ? s.level : factor_text(f, 0);
        used += ksnprintf(out + used, bytes - used, "%s%s=%s", used ? " " : "", f->name, level);
        check(1, used < bytes);
    }
}
