/*
 * Factors: the layout choices of an experiment, each a command-line key with a list of levels.
 *
 * A factor is a const record; its key takes one or more levels ("alloc=buddy,va"), each parsed
 * into a struct setup; "all" stands for every named level where levels have names. The levels of
 * an experiment are the cross product of all factors' levels.
 */
#ifndef TT_LAB_FACTOR_H
#define TT_LAB_FACTOR_H

#include "core/cmdline.h"
#include "mm/memory.h"

#define FACTOR_LEVELS_MAX 32
#define LEVEL_TEXT_MAX    64

/* The levels that the command line gave a factor. */
struct factor_levels {
    unsigned count; /* 0: the default applies */
    unsigned rank;  /* 1 for the first factor named on the command line, ... */
    char text[FACTOR_LEVELS_MAX][LEVEL_TEXT_MAX];
};

struct factor {
    const char *name;
    char separator;      /* between levels: ',' unless a level may hold one */
    const char *initial; /* the one level when the key is absent */
    int (*level)(const char *text, struct setup *s, char *err, size_t err_bytes);
    const char *(*nth)(unsigned i); /* name of the i-th named level, NULL at the end; may be NULL */
    void (*list)(void);             /* prints the named levels for run=list; may be NULL */
    struct factor_levels *levels;
};
DECLARE_REGISTRY(factor);

/* parse function of every factor's option; option->data is the factor. */
int factor_option(const struct option *o, const char *value, char *err, size_t err_bytes);

/* Defines the factor, its storage and its option. */
#define REGISTER_FACTOR(id, separator_, initial_, grammar_, help_, level_, nth_, list_)            \
    static struct factor_levels id##_levels;                                                       \
    REGISTER(factor, id) = {#id, separator_, initial_, level_, nth_, list_, &id##_levels};         \
    REGISTER(option, id) = {                                                                       \
        .name = #id,                                                                               \
        .grammar = grammar_,                                                                       \
        .help = help_,                                                                             \
        .parse = factor_option,                                                                    \
        .data = &id##_factor,                                                                      \
    }

/* ---- the cross product ------------------------------------------------------------------------
 */

#define LEVELS_MAX       64  /* combinations in one experiment */
#define LEVEL_NAME_BYTES 112 /* two of them and a summary's numbers fit into one record */
#define FIXED_BYTES      256

struct level {
    struct setup setup;
    unsigned reference;          /* index of the level it is compared with; its own for those */
    char name[LEVEL_NAME_BYTES]; /* "alloc=va age=4:95:50": the factors that have several levels */
};

struct levels {
    unsigned count;
    struct level level[LEVELS_MAX];
    char fixed[FIXED_BYTES]; /* the factors with one level, in the same form */
};

/*
 * All combinations of the factors' levels. The first factor on the command line that has
 * several levels is the primary one: each level is compared with the one that has the
 * primary's first level and the same levels of all other factors. 0, or -TT_EINVAL with a message.
 */
int levels_build(struct levels *out, char *err, size_t err_bytes);

#endif
