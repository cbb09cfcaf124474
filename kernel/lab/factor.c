/* Factors' level lists and their cross product. Contract in factor.h. */
#include "lab/factor.h"

#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "core/record.h"
#include "lab/bundle.h"

#include <string.h>

static unsigned ranks;

unsigned factor_index(const struct factor *f)
{
    unsigned i = 0;
    while (__start_tt_factor[i] != f)
        i++;
    return i;
}

const struct factor *factor_named(const char *name)
{
    for_each_registered (factor, f) {
        if (!strcmp(f->name, name))
            return f;
    }
    return NULL;
}

int factor_no_such_level(const char *text, const char *const *words, char *err, size_t err_bytes)
{
    const char *near = nearest_word(text, words);
    size_t used = ksnprintf(err, err_bytes, "%s: nothing of that name%s%s; valid:", text,
                            near ? ", nearest: " : "", near ? near : "");
    for (; *words && used < err_bytes; words++)
        used += ksnprintf(err + used, err_bytes - used, " %s", *words);
    return -TT_EINVAL;
}

/* ---- the lists on the command line ------------------------------------------------------------
 */

static const char *nth_name(const struct factor *f, unsigned i)
{
    return f->words ? f->words[i] : f->nth(i);
}

int factor_set(const struct factor *f, const char *text, struct level *l, char *err,
               size_t err_bytes)
{
    if (f->bundle)
        return bundle_apply(text, l, err, err_bytes);
    if (!f->words)
        return f->level(text, &l->setup, err, err_bytes);
    for (unsigned i = 0; f->words[i]; i++) {
        if (!strcmp(f->words[i], text)) {
            l->choice[factor_index(f)] = (uint8_t)i;
            return 0;
        }
    }
    return factor_no_such_level(text, f->words, err, err_bytes);
}

unsigned factor_count(const struct factor *f)
{
    return f->levels->count ? f->levels->count : 1;
}

const char *factor_text(const struct factor *f, unsigned i)
{
    return f->levels->count ? f->levels->pool + f->levels->text[i] : f->initial;
}

#define LABEL_TAIL 9 /* '~' and eight digits */

bool factor_label(const struct factor *f, const char *text, char label[LEVEL_LABEL_BYTES])
{
    char ignored[8];
    if (f->bundle)
        return bundle_name(text, label, ignored, sizeof ignored);
    size_t length = strlen(text), kept = LEVEL_LABEL_BYTES - 1 - LABEL_TAIL;
    if (length < LEVEL_LABEL_BYTES) {
        strcpy(label, text);
        return false;
    }
    memcpy(label, text, kept);
    ksnprintf(label + kept, LABEL_TAIL + 1, "~%08x", crc32_zlib(0, text, length));
    return true;
}

/* Adds one level to the list; 0, or -TT_EINVAL with a message. */
static int add_level(const struct factor *f, const char *text, char *err, size_t err_bytes)
{
    struct factor_levels *levels = f->levels;
    static struct level scratch;
    char label[LEVEL_LABEL_BYTES] = "", other[LEVEL_LABEL_BYTES];
    factor_label(f, text, label); /* a bundle's bad name is found below */
    for (unsigned i = 0; i < levels->count; i++) {
        factor_label(f, factor_text(f, i), other);
        if (!strcmp(other, label)) {
            ksnprintf(err, err_bytes, "level %s is there twice", label);
            return -TT_EINVAL;
        }
    }
    if (levels->count == FACTOR_LEVELS_MAX) {
        ksnprintf(err, err_bytes, "at most %u levels", FACTOR_LEVELS_MAX);
        return -TT_EINVAL;
    }
    size_t bytes = strlen(text) + 1;
    if (bytes > sizeof levels->pool - levels->used) {
        ksnprintf(err, err_bytes, "the levels have more than %u characters together",
                  FACTOR_TEXT_BYTES);
        return -TT_EINVAL;
    }
    memcpy(levels->pool + levels->used, text, bytes);
    levels->text[levels->count++] = levels->used;
    levels->used = (uint16_t)(levels->used + bytes);
    return factor_set(f, text, &scratch, err, err_bytes);
}

/* Every named level, the default one first: it is what the others are compared with. */
static int add_all(const struct factor *f, char *err, size_t err_bytes)
{
    const char *name;
    int bad = add_level(f, f->initial, err, err_bytes);
    f->levels->all = true;
    for (unsigned i = 0; !bad && (name = nth_name(f, i)); i++) {
        if (strcmp(name, f->initial))
            bad = add_level(f, name, err, err_bytes);
    }
    return bad;
}

int factor_option(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    const struct factor *f = o->data;
    f->levels->count = f->levels->used = 0;
    f->levels->rank = ++ranks;
    f->levels->all = false;
    if ((f->nth || f->words) && !strcmp(value, "all"))
        return add_all(f, err, err_bytes);
    bool ok = true;
    char text[LEVEL_TEXT_MAX];
    for (const char *rest = value; rest;) {
        rest = parse_item(rest, f->separator, text, sizeof text, &ok);
        if (!ok) {
            ksnprintf(err, err_bytes, "an empty or overlong level; valid: %s", o->grammar);
            return -TT_EINVAL;
        }
        int bad = add_level(f, text, err, err_bytes);
        if (bad)
            return bad;
    }
    return 0;
}

/* ---- the cross product ------------------------------------------------------------------------
 */

bool factor_applies(const struct factor *f, const char *workload)
{
    /* Without levels= there is no bundle, not one of one level. */
    if (f->bundle && !f->levels->count)
        return false;
    return !f->workloads || list_has(f->workloads, workload);
}

static const struct factor *primary_factor(const char *workload)
{
    const struct factor *primary = NULL;
    for_each_registered (factor, f) {
        if (factor_applies(f, workload) && factor_count(f) > 1 &&
            (!primary || f->levels->rank < primary->levels->rank))
            primary = f;
    }
    return primary;
}

/* Adds " KEY=LABEL" to a name; false when it does not fit. */
static bool append(char *name, size_t bytes, const struct factor *f, const char *text)
{
    char label[LEVEL_LABEL_BYTES];
    size_t used = strlen(name);
    factor_label(f, text, label);
    return ksnprintf(name + used, bytes - used, "%s%s=%s", used ? " " : "", f->name, label) <
           bytes - used;
}

/* What levels_build is at: a workload's factors, and which of them is the primary one. */
struct product {
    const char *workload;
    const struct factor *primary;
    unsigned primary_stride; /* distance between combinations that differ in its next level */
    unsigned total;          /* combinations */
    bool all;                /* some levels come from "all": those that do not fit are left out */
    bool fits;               /* every name was long enough */
};

static int count_combinations(struct product *p, struct levels *out, char *err, size_t err_bytes)
{
    for_each_registered (factor, f) {
        if (!factor_applies(f, p->workload))
            continue;
        if (f == p->primary)
            p->primary_stride = p->total;
        p->all |= f->levels->all;
        p->total *= factor_count(f);
        if (p->total > LEVELS_MAX) {
            ksnprintf(err, err_bytes, "%s=: the factors' levels multiply to more than %u", f->name,
                      LEVELS_MAX);
            return -TT_EINVAL;
        }
        if (factor_count(f) == 1 && !bundle_sets(f))
            p->fits &= append(out->fixed, sizeof out->fixed, f, factor_text(f, 0));
    }
    return 0;
}

/* Fills l with combination i; l->reference is a combination, too, until all are known. */
static int combine(struct product *p, unsigned i, struct level *l, char *err, size_t err_bytes)
{
    unsigned rest = i;
    const char *bundle = NULL; /* last: it overrides */
    memset(l, 0, sizeof *l);
    l->reference = i;
    for_each_registered (factor, f) {
        if (!factor_applies(f, p->workload))
            continue;
        unsigned digit = rest % factor_count(f);
        rest /= factor_count(f);
        if (f->bundle)
            bundle = factor_text(f, digit);
        else if (factor_set(f, factor_text(f, digit), l, err, err_bytes))
            return -TT_EINVAL;
        if (factor_count(f) > 1)
            p->fits &= append(l->name, sizeof l->name, f, factor_text(f, digit));
        if (f == p->primary)
            l->reference = i - digit * p->primary_stride;
    }
    if (bundle && bundle_apply(bundle, l, err, err_bytes))
        return -TT_EINVAL;
    if (!p->primary)
        strcpy(l->name, "all");
    return setup_check(&l->setup, err, err_bytes);
}

int levels_build(struct levels *out, const char *workload, char *err, size_t err_bytes)
{
    struct product p = {.workload = workload, .total = 1, .fits = true};
    unsigned index[LEVELS_MAX]; /* of a combination among the levels that stay */
    p.primary = primary_factor(workload);
    memset(out, 0, sizeof *out);
    check(1, registered_count(factor) <= FACTORS_MAX);
    int bad = bundle_check(workload, err, err_bytes);
    if (!bad)
        bad = count_combinations(&p, out, err, err_bytes);
    for (unsigned i = 0; !bad && i < p.total; i++) {
        struct level *l = &out->level[out->count];
        index[i] = out->count;
        bad = combine(&p, i, l, err, err_bytes);
        if (!bad) {
            out->count++;
        } else if (p.all && l->reference != i) {
            kprintf("# left out: %s\n", err);
            bad = 0;
        }
    }
    for (unsigned i = 0; i < out->count; i++)
        out->level[i].reference = index[out->level[i].reference];
    if (bad || p.fits)
        return bad;
    ksnprintf(err, err_bytes, "the names of the levels are too long for a record; fewer factors");
    return -TT_EINVAL;
}
