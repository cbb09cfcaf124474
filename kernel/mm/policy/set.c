/*
 * set: a partition. Pages come only from the colours listed in colors=, one after the other.
 *
 * Source: what cache-partitioning hypervisors and kernels do (Xen llc-colors, Bao, COLORIS,
 * PALLOC). When none of the colours is left the request fails, whatever empty= says. A block above
 * order 0 must lie in the set with all its colours; where a map's blocks cover an interval of
 * colours (orders above ctz(N), N not a power of two) only the set of all colours can promise
 * that, and with any other the request fails.
 */
#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "mm/policy_state.h"

#include <string.h>

static uint64_t chosen[COLORS_MAX / 64];
static uint32_t highest; /* of the colours listed */
static bool given;

static bool in_set(color_t c)
{
    return chosen[c / 64] >> c % 64 & 1;
}

static int parse_colors(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    static uint64_t bits[COLORS_MAX / 64];
    memset(bits, 0, sizeof bits);
    if (parse_list(value, bits, COLORS_MAX)) {
        ksnprintf(err, err_bytes, "valid: a list of colours from 0 to %u, such as 0-7,12",
                  COLORS_MAX - 1);
        return -TT_EINVAL;
    }
    memcpy(chosen, bits, sizeof chosen);
    given = true;
    for (color_t c = 0; c < COLORS_MAX; c++) {
        if (in_set(c))
            highest = c;
    }
    return 0;
}

REGISTER(option, colors) = {
    .name = "colors",
    .grammar = "LIST",
    .help = "colours that alloc=set may use",
    .parse = parse_colors,
};

static int unfit(const struct color_spec *spec, char *err, size_t err_bytes)
{
    if (!given)
        ksnprintf(err, err_bytes, "alloc=set needs colors=, such as colors=0-7,12");
    else if (highest >= spec->colors)
        ksnprintf(err, err_bytes, "alloc=set: colors= names colour %u, but there are only 0 to %u",
                  highest, spec->colors - 1);
    else
        return 0;
    return -TT_EINVAL;
}

/* May a block asked for by colour c, the first of its span, come with no colour outside? */
static bool allowed(const struct color_map *map, unsigned order, color_t first)
{
    uint32_t span = map->interval[order] ? map->colors : policy_span(map, order);
    for (uint32_t i = 0; i < span; i++) {
        if (!in_set((first + i) % map->colors))
            return false;
    }
    return true;
}

/* own is the colour after the last one delivered. */
static pfn_t pick(struct policy_state *s, const struct place_request *q, color_t *want)
{
    uint32_t *next = s->own, colors = s->map->colors, span = policy_span(s->map, q->order);
    for (uint32_t tried = 0; tried < colors; tried += span) {
        color_t c = (*next + tried) % colors & ~(span - 1);
        if (!allowed(s->map, q->order, c))
            continue;
        if (*want == COLOR_NONE)
            *want = c;
        pfn_t p = buddy_alloc(s->buddy, q->order, c);
        if (p.n != PFN_NONE.n) {
            *next = (c + span) % colors;
            return p;
        }
    }
    return PFN_NONE;
}

static size_t state_bytes(const struct color_spec *spec)
{
    (void)spec;
    return sizeof(uint32_t);
}

REGISTER(policy, set) = {
    .name = "set",
    .rule = "only the colours of colors=, one after the other; fails when they are empty",
    .source = "cache partitioning: Xen, Bao, PALLOC, COLORIS",
    .colored = true,
    .pick = pick,
    .state_bytes = state_bytes,
    .unfit = unfit,
};
