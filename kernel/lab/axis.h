/*
 * Axes: the x values of one workload, as a command-line key of its own ("n=100,200,500").
 *
 * A workload whose x is not derived from the coloured cache registers one, and its points() is
 * axis_points(). Values are sizes (64K is 65536), strictly ascending, since working sets only grow.
 */
#ifndef TT_LAB_AXIS_H
#define TT_LAB_AXIS_H

#include "core/cmdline.h"
#include "lab/workload.h"

struct axis_values {
    unsigned count; /* 0: not on the command line */
    uint64_t x[LAB_POINTS_MAX];
};

enum axis_kind {
    AXIS_NUMBERS,
    AXIS_OR_ZERO, /* numbers, or 0, which then comes first */
    AXIS_POWERS_OF_TWO,
};

struct axis {
    const char *name;     /* of the key */
    const char *workload; /* the workload whose it is */
    uint64_t lo, hi;      /* bounds of a value */
    enum axis_kind kind;
    struct axis_values initial; /* when the key is absent */
    struct axis_values *given;
};
DECLARE_REGISTRY(axis);

/* parse function of every axis' option; option->data is the axis. */
int axis_option(const struct option *o, const char *value, char *err, size_t err_bytes);

/* Fills x[0..LAB_POINTS_MAX) as workload->points does. */
unsigned axis_points(const struct axis *a, uint64_t *x);

/* The largest value: what the subject has to hold. */
uint64_t axis_largest(const struct axis *a);

/* Defines the axis, its storage and its option; the default values come last, as a list. */
#define REGISTER_AXIS(id, workload_, lo_, hi_, kind_, grammar_, help_, ...)                        \
    static struct axis_values id##_given;                                                          \
    REGISTER(axis, id) = {                                                                         \
        .name = #id,                                                                               \
        .workload = workload_,                                                                     \
        .lo = lo_,                                                                                 \
        .hi = hi_,                                                                                 \
        .kind = kind_,                                                                             \
        .initial = {sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), {__VA_ARGS__}},          \
        .given = &id##_given,                                                                      \
    };                                                                                             \
    REGISTER(option, id) = {                                                                       \
        .name = #id,                                                                               \
        .grammar = grammar_,                                                                       \
        .help = help_,                                                                             \
        .parse = axis_option,                                                                      \
        .data = &id##_axis,                                                                        \
    }

#endif
