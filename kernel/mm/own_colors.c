/* own_colors=: which colours the kernel's own memory may use. Contract in own.h. */
#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "mm/color.h"
#include "mm/own.h"

#include <string.h>

static uint64_t chosen[COLORS_MAX / 64];
static bool given;
static struct color_map own_map; /* no colours yet: own_set_colors() was not called */

static bool in_set(color_t c)
{
    return chosen[c / 64] >> c % 64 & 1;
}

static int parse(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    static uint64_t bits[COLORS_MAX / 64];
    memset(bits, 0, sizeof bits);
    if (parse_list(value, bits, COLORS_MAX)) {
        ksnprintf(err, err_bytes, "valid: a list of colours from 0 to %u, such as 0-63",
                  COLORS_MAX - 1);
        return -TT_EINVAL;
    }
    memcpy(chosen, bits, sizeof chosen);
    given = true;
    return 0;
}

REGISTER(option, own_colors) = {
    .name = "own_colors",
    .grammar = "LIST",
    .help = "colours (of the first page_color) for the kernel's own memory: page tables, stacks, "
            "heap, descriptors",
    .parse = parse,
};

int own_set_colors(const struct color_map *map, char *err, size_t err_bytes)
{
    for (color_t c = map->colors; given && c < COLORS_MAX; c++) {
        if (in_set(c)) {
            ksnprintf(err, err_bytes, "own_colors= names colour %u, but there are only 0 to %u", c,
                      map->colors - 1);
            return -TT_EINVAL;
        }
    }
    own_map = *map;
    return 0;
}

struct own_colors own_colors(void)
{
    struct own_colors o = {own_map.colors, own_map.colors, given};
    if (given) {
        o.allowed = 0;
        for (color_t c = 0; c < own_map.colors; c++)
            o.allowed += in_set(c);
    }
    return o;
}

bool own_color_allowed_naive(phys_t a)
{
    return !given || in_set(color_of_naive(&own_map, a));
}

bool own_color_allowed(pfn_t p)
{
    if (!given)
        return true;
    if (!own_map.colors)
        panic("own_colors= was given, but nobody has said of which cache");
    return in_set(color_of(&own_map, p));
}
