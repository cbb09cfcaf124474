/* Parses page_color=. Grammar and contract in color_spec.h. */
#include "mm/color_spec.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"

#include <string.h>

#define VALID                                                                                      \
    "valid: KB[,WAYS] (+KB,WAYS for more caches), auto, posted[:KB], probe[:KB[,WAYS]], "          \
    "xor:MASK,..., off"

static int refuse(const char *s, char *err, size_t err_bytes)
{
    ksnprintf(err, err_bytes, "%s: " VALID, s);
    return -TT_EINVAL;
}

/* ---- what the machine says --------------------------------------------------------------------
 */

/*
 * A hypervisor that hides the caches reports one set, one way or nothing at all. One way is
 * believed from other sources than CPUID only: no CPU that has leaf 4 has a direct-mapped cache.
 */
static bool plausible(const struct arch_cache *c)
{
    if (!c->size_bytes || !c->ways || !c->line_bytes)
        return false;
    if (c->ways == 1 && !strncmp(c->source, "cpuid", 5))
        return false;
    uint64_t way = c->size_bytes / c->ways;
    return way / c->line_bytes > 1 && c->size_bytes % (c->ways * PAGE_SIZE) == 0 &&
           way / PAGE_SIZE >= 1 && way / PAGE_SIZE <= COLORS_MAX;
}

static const struct arch_cache *largest_plausible(const struct arch_cache *caches, unsigned n)
{
    const struct arch_cache *best = NULL;
    for (unsigned i = 0; i < n; i++) {
        if (plausible(&caches[i]) && (!best || caches[i].size_bytes > best->size_bytes))
            best = &caches[i];
    }
    return best;
}

static int from_machine(const char *s, const char *way, const struct arch_cache *caches, unsigned n,
                        struct color_spec *out, char *err, size_t err_bytes)
{
    const struct arch_cache *c = largest_plausible(caches, n);
    bool posted = !strncmp(way, "posted", 6);
    if (!c || (posted && c->size_bytes / PAGE_SIZE > COLORS_MAX)) {
        ksnprintf(err, err_bytes,
                  "%s: the machine describes no plausible cache (%u seen); valid here: KB[,WAYS], "
                  "posted:KB, xor:MASK,..., off",
                  s, n);
        return -TT_EINVAL;
    }
    out->size_bytes = c->size_bytes;
    out->ways = c->ways;
    out->colors = (uint32_t)(c->size_bytes / (posted ? 1 : c->ways) / PAGE_SIZE);
    ksnprintf(out->source, sizeof out->source, "%s%s, L%u", way, c->source, c->level);
    return 0;
}

/* ---- what the command line says ---------------------------------------------------------------
 */

static int too_odd(const char *s, uint64_t kb, uint64_t ways, char *err, size_t err_bytes)
{
    ksnprintf(err, err_bytes,
              "%s: a way must be a whole number of pages of %lu bytes, at most %u of them; %lu kB "
              "in %lu ways is %lu bytes a way",
              s, (unsigned long)PAGE_SIZE, COLORS_MAX, (unsigned long)kb, (unsigned long)ways,
              (unsigned long)(kb * 1024 / ways));
    return -TT_EINVAL;
}

/* One KB[,WAYS]. */
static int one_cache(const char *s, const char *item, struct color_spec *out, char *err,
                     size_t err_bytes)
{
    char number[24];
    bool ok = true;
    uint64_t kb = 0, ways = 1;
    const char *rest = parse_item(item, ',', number, sizeof number, &ok);
    if (!ok || parse_u64(number, 1, UINT32_MAX, &kb) || (rest && parse_u64(rest, 1, 1024, &ways)))
        return refuse(s, err, err_bytes);
    if (kb * 1024 % (ways * PAGE_SIZE) || kb * 1024 / ways / PAGE_SIZE > COLORS_MAX)
        return too_odd(s, kb, ways, err, err_bytes);
    out->colors = (uint32_t)(kb * 1024 / ways / PAGE_SIZE);
    out->size_bytes = kb * 1024;
    out->ways = (unsigned)ways;
    return 0;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static void insert_ascending(struct color_spec *out, uint32_t colors)
{
    unsigned at = out->caches++;
    for (; at && out->cache_colors[at - 1] > colors; at--)
        out->cache_colors[at] = out->cache_colors[at - 1];
    out->cache_colors[at] = colors;
}

static int several_caches(const char *s, struct color_spec *out, char *err, size_t err_bytes)
{
    char item[48];
    bool ok = true;
    uint64_t common = 1;
    uint32_t most = 0;
    for (const char *rest = s; rest;) {
        struct color_spec one;
        rest = parse_item(rest, '+', item, sizeof item, &ok);
        if (!ok || out->caches == COLOR_CACHES_MAX)
            return refuse(s, err, err_bytes);
        int bad = one_cache(s, item, &one, err, err_bytes);
        if (bad)
            return bad;
        common = common / gcd(common, one.colors) * one.colors;
        if (common > COLORS_MAX) {
            ksnprintf(err, err_bytes, "%s: the caches have %lu colours together, at most %u do", s,
                      (unsigned long)common, COLORS_MAX);
            return -TT_EINVAL;
        }
        insert_ascending(out, one.colors);
        if (one.colors > most) {
            most = one.colors;
            out->size_bytes = one.size_bytes;
            out->ways = one.ways;
        }
    }
    out->colors = (uint32_t)common;
    return 0;
}

static int xor_masks(const char *s, const char *rest, struct color_spec *out, char *err,
                     size_t err_bytes)
{
    char item[24];
    bool ok = true;
    struct color_map map;
    out->kind = COLOR_XOR;
    while (rest) {
        rest = parse_item(rest, ',', item, sizeof item, &ok);
        if (!ok || out->masks == COLOR_MASKS_MAX ||
            parse_u64(item, 1, UINT64_MAX, &out->mask[out->masks])) {
            ksnprintf(err, err_bytes,
                      "%.60s: valid: xor: and 1 to %u masks over physical address bits, such as "
                      "0x11000,0x22000",
                      s, COLOR_MASKS_MAX);
            return -TT_EINVAL;
        }
        out->masks++;
    }
    if (!color_map_xor(&map, out->mask, out->masks)) {
        ksnprintf(err, err_bytes, "%.60s: these masks make more than %u colours", s, COLORS_MAX);
        return -TT_EINVAL;
    }
    out->colors = map.colors;
    out->size_bytes = (uint64_t)map.colors * PAGE_SIZE;
    out->ways = 1;
    return 0;
}

int color_spec_parse(const char *s, const struct arch_cache *caches, unsigned n,
                     struct color_spec *out, char *err, size_t err_bytes)
{
    memset(out, 0, sizeof *out);
    int bad = 0;
    ksnprintf(out->source, sizeof out->source, "command line");
    if (!strcmp(s, "off")) {
        *out = (struct color_spec){.colors = 1, .ways = 1, .source = "off"};
    } else if (!strcmp(s, "auto")) {
        bad = from_machine(s, "", caches, n, out, err, err_bytes);
    } else if (!strcmp(s, "posted")) {
        bad = from_machine(s, "posted, ", caches, n, out, err, err_bytes);
    } else if (!strncmp(s, "posted:", 7)) {
        bad = strchr(s, ',') ? refuse(s, err, err_bytes) : one_cache(s, s + 7, out, err, err_bytes);
        ksnprintf(out->source, sizeof out->source, "posted, command line");
    } else if (!strcmp(s, "probe")) {
        bad = from_machine(s, "probed, ", caches, n, out, err, err_bytes);
        out->kind = COLOR_TABLE;
    } else if (!strncmp(s, "probe:", 6)) {
        bad = one_cache(s, s + 6, out, err, err_bytes);
        out->kind = COLOR_TABLE;
        ksnprintf(out->source, sizeof out->source, "probed, command line");
    } else if (!strncmp(s, "xor:", 4)) {
        bad = xor_masks(s, s + 4, out, err, err_bytes);
    } else {
        bad = several_caches(s, out, err, err_bytes);
    }
    if (!bad && !out->caches)
        insert_ascending(out, out->colors);
    return bad;
}

void color_spec_map(const struct color_spec *s, struct color_map *m)
{
    bool fits = true;
    switch (s->kind) {
    case COLOR_MODULO:
        color_map_modulo(m, s->colors);
        break;
    case COLOR_XOR:
        fits = color_map_xor(m, s->mask, s->masks);
        break;
    case COLOR_TABLE:
        color_map_table(m, s->table, s->table_start, s->colors);
        break;
    }
    check(1, fits);
    (void)fits;
}
