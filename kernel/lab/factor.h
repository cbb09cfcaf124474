/*
 * Factors: the layout choices of an experiment, each a command-line key with a list of levels.
 *
 * A factor is a const record; its key takes one or more levels ("alloc=buddy,va"); "all" stands
 * for every named level where levels have names. The levels of an experiment are the cross
 * product of its factors' levels.
 *
 * There are three kinds. A factor proper parses a level into a struct setup, and belongs to every
 * experiment, or to those of some workloads. A choice belongs to one workload: its levels are
 * names, and the workload asks for the index of the name (lab_choice() in workload.h); mm never
 * hears of it. The levels of the one bundle, `levels=`, are names of our own that set levels of
 * several other factors at once (bundle.h).
 */
#ifndef TT_LAB_FACTOR_H
#define TT_LAB_FACTOR_H

#include "core/cmdline.h"
#include "mm/memory.h"

#define FACTORS_MAX       32
#define FACTOR_LEVELS_MAX 32
#define LEVEL_TEXT_MAX    352  /* xor: with COLOR_MASKS_MAX masks of 40 bits, 13 characters each */
#define FACTOR_TEXT_BYTES 1024 /* of all levels of a factor: half of the longest command line */
#define LEVEL_LABEL_BYTES 41   /* of a level in names */

/* The levels that the command line gave a factor. */
struct factor_levels {
    unsigned count;                   /* 0: the default applies */
    unsigned rank;                    /* 1 for the first factor named on the command line, ... */
    bool all;                         /* they are what "all" stands for */
    uint16_t text[FACTOR_LEVELS_MAX]; /* where each is in the pool */
    uint16_t used;                    /* of the pool */
    char pool[FACTOR_TEXT_BYTES];
};

struct factor {
    const char *name;
    char separator;      /* between levels: ',' unless a level may hold one */
    const char *initial; /* the one level when the key is absent */
    int (*level)(const char *text, struct setup *s, char *err, size_t err_bytes);
    const char *(*nth)(unsigned i); /* name of the i-th named level, NULL at the end; may be NULL */
    void (*list)(void);             /* prints the named levels for run=list; may be NULL */
    struct factor_levels *levels;
    bool bundle;              /* level() is not called, bundle_apply() is */
    const char *workloads;    /* whose it is, "pagehash,getblk"; NULL: every experiment's */
    const char *const *words; /* of a choice, which has no level(), nth() and list(): the names of
                                 its levels, NULL-terminated */
};
DECLARE_REGISTRY(factor);

/* parse function of every factor's option; option->data is the factor. */
int factor_option(const struct option *o, const char *value, char *err, size_t err_bytes);

/* Defines the factor, its storage and its option. */
#define REGISTER_FACTOR(id, separator_, initial_, grammar_, help_, level_, nth_, list_)            \
    REGISTER_FACTOR_OF(NULL, id, separator_, initial_, grammar_, help_, level_, nth_, list_)

/* The same for a factor of some workloads only: workloads_, their names with commas between. */
#define REGISTER_FACTOR_OF(workloads_, id, separator_, initial_, grammar_, help_, level_, nth_,    \
                           list_)                                                                  \
    static struct factor_levels id##_levels;                                                       \
    REGISTER(factor, id) = {.name = #id,                                                           \
                            .separator = separator_,                                               \
                            .initial = initial_,                                                   \
                            .level = level_,                                                       \
                            .nth = nth_,                                                           \
                            .list = list_,                                                         \
                            .levels = &id##_levels,                                                \
                            .workloads = workloads_};                                              \
    REGISTER(option, id) = {                                                                       \
        .name = #id,                                                                               \
        .grammar = grammar_,                                                                       \
        .help = help_,                                                                             \
        .parse = factor_option,                                                                    \
        .data = &id##_factor,                                                                      \
    }

/* Defines a choice of the workload whose name is workload_; words_: an array for .words. */
#define REGISTER_CHOICE(id, workload_, initial_, grammar_, help_, words_)                          \
    static struct factor_levels id##_levels;                                                       \
    REGISTER(factor, id) = {.name = #id,                                                           \
                            .separator = ',',                                                      \
                            .initial = initial_,                                                   \
                            .levels = &id##_levels,                                                \
                            .workloads = workload_,                                                \
                            .words = words_};                                                      \
    REGISTER(option, id) = {                                                                       \
        .name = #id,                                                                               \
        .grammar = grammar_,                                                                       \
        .help = help_,                                                                             \
        .parse = factor_option,                                                                    \
        .data = &id##_factor,                                                                      \
    }

/* Defines the bundle, whose levels are bundle.c's to understand. */
#define REGISTER_BUNDLE(id, grammar_, help_)                                                       \
    static struct factor_levels id##_levels;                                                       \
    REGISTER(factor, id) = {                                                                       \
        .name = #id, .separator = '/', .initial = "none", .levels = &id##_levels, .bundle = true}; \
    REGISTER(option, id) = {                                                                       \
        .name = #id,                                                                               \
        .grammar = grammar_,                                                                       \
        .help = help_,                                                                             \
        .parse = factor_option,                                                                    \
        .data = &id##_factor,                                                                      \
    }

/* Position among the registered factors. */
unsigned factor_index(const struct factor *f);

/* By name, NULL if there is none. */
const struct factor *factor_named(const char *name);

/* Its levels as written: how many, at least 1, and the i-th; the default when the key is absent. */
unsigned factor_count(const struct factor *f);
const char *factor_text(const struct factor *f, unsigned i);

/*
 * What stands for a level's text in names and records: the text itself, or where it has no room
 * there its beginning, '~' and the CRC-32 of the whole: the same in every log; of a bundle's level
 * its name. True when it is short for something, which experiment records then say.
 */
bool factor_label(const struct factor *f, const char *text, char label[LEVEL_LABEL_BYTES]);

/* Says that text is none of words (NULL-terminated), and which there are. Returns -TT_EINVAL. */
int factor_no_such_level(const char *text, const char *const *words, char *err, size_t err_bytes);

/* ---- the cross product ------------------------------------------------------------------------
 */

#define LEVELS_MAX       64  /* combinations in one experiment */
#define LEVEL_NAME_BYTES 112 /* two of them and a summary's numbers fit into one record */
#define FIXED_BYTES      256

struct level {
    struct setup setup;
    uint8_t choice[FACTORS_MAX]; /* by factor_index(): index into words; 0 for all but choices */
    unsigned reference;          /* index of the level it is compared with; its own for those */
    char name[LEVEL_NAME_BYTES]; /* "alloc=va age=4:95:50": factors with several levels, by label */
};

struct levels {
    unsigned count;
    struct level level[LEVELS_MAX];
    char fixed[FIXED_BYTES]; /* the factors with one level, in the same form */
};

/* Makes text the level's level of this factor; 0, or -TT_EINVAL with a message. */
int factor_set(const struct factor *f, const char *text, struct level *l, char *err,
               size_t err_bytes);

/* Does the factor belong to experiments of this workload? */
bool factor_applies(const struct factor *f, const char *workload);

/*
 * All combinations of the levels of the factors that a workload has. The first factor on the
 * command line that has several levels is the primary one: each level is compared with the one that
 * has the primary's first level and the same levels of all other factors. A combination that
 * cannot work (setup_check) is an error; if "all" brought it in, it is left out, and said so. 0, or
 * -TT_EINVAL with a message.
 */
int levels_build(struct levels *out, const char *workload, char *err, size_t err_bytes);

#endif
