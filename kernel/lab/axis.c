/* Axes from the command line. Contract in axis.h. */
#include "lab/axis.h"

#include "core/errno.h"
#include "core/kprintf.h"
#include "core/types.h"

#include <string.h>

/* Of a value behind those that are there. */
static bool valid(const struct axis *a, uint64_t v)
{
    const struct axis_values *given = a->given;
    if (given->count && v <= given->x[given->count - 1])
        return false;
    if (a->kind == AXIS_OR_ZERO && v == 0)
        return true;
    return v >= a->lo && v <= a->hi && (a->kind != AXIS_POWERS_OF_TWO || is_power_of_two(v));
}

int axis_option(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    const struct axis *a = o->data;
    struct axis_values *given = a->given;
    char item[24];
    bool ok = true;
    uint64_t v = 0;
    given->count = 0;
    for (const char *rest = value; rest && ok;) {
        rest = parse_item(rest, ',', item, sizeof item, &ok);
        ok = ok && given->count < LAB_POINTS_MAX && !parse_size(item, &v) && valid(a, v);
        if (ok)
            given->x[given->count++] = v;
    }
    if (ok)
        return 0;
    static const char *const what[] = {"numbers", "numbers, 0 or", "powers of two"};
    static const char *const as[] = {"100,200", "0,1000", "4096,64K"};
    ksnprintf(err, err_bytes, "valid: up to %u %s from %lu to %lu, ascending, as %s",
              LAB_POINTS_MAX, what[a->kind], (unsigned long)a->lo, (unsigned long)a->hi,
              as[a->kind]);
    return -TT_EINVAL;
}

static const struct axis_values *values_of(const struct axis *a)
{
    return a->given->count ? a->given : &a->initial;
}

unsigned axis_points(const struct axis *a, uint64_t *x)
{
    const struct axis_values *v = values_of(a);
    memcpy(x, v->x, v->count * sizeof *x);
    return v->count;
}

uint64_t axis_largest(const struct axis *a)
{
    const struct axis_values *v = values_of(a);
    return v->x[v->count - 1];
}
