/* Command-line keys of the runner. */
#include "lab/options.h"

#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/types.h"
#include "lab/preset.h"
#include "lab/workload.h"

#include <string.h>

struct lab_options lab_options;

const struct lab_options lab_options_initial = {
    .reps = 10,
    .warmup = 1,
    .passes = 4,
    .seed = 1,
};

struct count_option {
    unsigned *value;
    uint64_t lo, hi;
};

static int parse_count(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    const struct count_option *c = o->data;
    uint64_t v;
    if (parse_u64(value, c->lo, c->hi, &v)) {
        ksnprintf(err, err_bytes, "valid: a number from %lu to %lu", (unsigned long)c->lo,
                  (unsigned long)c->hi);
        return -TT_EINVAL;
    }
    *c->value = (unsigned)v;
    return 0;
}

/* Two samples are the least that have a spread; the upper bounds keep a typing error finite. */
static const struct count_option reps = {&lab_options.reps, 1, 100000};
static const struct count_option warmup = {&lab_options.warmup, 0, 1000};
static const struct count_option passes = {&lab_options.passes, 1, 1000000};

REGISTER(option, reps) = {"reps", "N",         "blocks; in each, every level runs once",
                          false,  parse_count, &reps};
REGISTER(option, warmup) = {"warmup", "N",         "blocks before them that are not recorded",
                            false,    parse_count, &warmup};
REGISTER(option,
         passes) = {"passes", "N",         "passes over a working set averaged into one value",
                    false,    parse_count, &passes};

static int parse_seed(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    if (!parse_u64(value, 0, UINT64_MAX, &lab_options.seed))
        return 0;
    ksnprintf(err, err_bytes, "valid: a number, decimal or 0x");
    return -TT_EINVAL;
}

REGISTER(option,
         seed) = {"seed", "N",        "of every random choice: the same seed, the same placements",
                  false,  parse_seed, NULL};

static int parse_subject(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    if (!parse_size(value, &lab_options.subject_bytes) && lab_options.subject_bytes)
        return 0;
    ksnprintf(err, err_bytes, "valid: a size, such as 64M");
    return -TT_EINVAL;
}

REGISTER(option,
         subject) = {"subject", "SIZE",        "memory that each level's instance is built over",
                     false,     parse_subject, NULL};

static int parse_proc(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    lab_options.proc = !strcmp(value, "on");
    if (lab_options.proc || !strcmp(value, "off"))
        return 0;
    ksnprintf(err, err_bytes, "valid: on, off");
    return -TT_EINVAL;
}

REGISTER(option, proc) = {
    "proc", "on|off",   "print the accounting also in the layout of the old /proc/page_color",
    false,  parse_proc, NULL};

/* Names that are not workloads but may stand in run=. */
static const char *const special[] = {"selftest", "list"};

/* Is it an experiment, or special? If not, *near is the nearest name, a preset's included. */
static bool known_run(const char *name, const char **near)
{
    const char *words[64];
    unsigned n = 0, runnable;
    for_each_registered (workload, w) {
        if (n + ARRAY_SIZE(special) + registered_count(preset) + 1 < ARRAY_SIZE(words))
            words[n++] = w->name;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(special); i++)
        words[n++] = special[i];
    runnable = n;
    for_each_registered (preset, p)
        words[n++] = p->name;
    words[n] = NULL;
    for (unsigned i = 0; i < runnable; i++) {
        if (!strcmp(words[i], name))
            return true;
    }
    *near = nearest_word(name, words);
    return false;
}

static int parse_run(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    bool ok = true;
    char name[32];
    if (preset_named(value))
        return 0; /* the stage's words, parsed before, hold a run= of their own */
    for (const char *rest = value; rest && ok;) {
        const char *near = NULL;
        rest = parse_item(rest, ',', name, sizeof name, &ok);
        if (ok && preset_named(name)) {
            ksnprintf(err, err_bytes, "%s is a preset and stands alone", name);
            return -TT_EINVAL;
        }
        if (ok && !known_run(name, &near)) {
            ksnprintf(err, err_bytes, "no experiment %s%s%s; run=list prints all", name,
                      near ? ", nearest: " : "", near ? near : "");
            return -TT_EINVAL;
        }
    }
    if (!ok || strlen(value) >= sizeof lab_options.run) {
        ksnprintf(err, err_bytes, "valid: names separated by commas; run=list prints all");
        return -TT_EINVAL;
    }
    strcpy(lab_options.run, value);
    return 0;
}

REGISTER(option, run) = {
    "run", "NAME[,NAME...]", "experiments in order; also selftest, and list (prints what there is)",
    false, parse_run,        NULL};
