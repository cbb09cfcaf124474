/* Colour maps modulo N, their naive twin, and the page_color= grammar. Contract in color.h. */
#include "mm/color.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"

#include <string.h>

void color_map_modulo(struct color_map *m, uint32_t colors)
{
    unsigned t = (unsigned)__builtin_ctz(colors);
    m->colors = colors;
    m->mask = is_power_of_two(colors) ? colors - 1 : 0;
    for (unsigned k = 0; k <= MAX_ORDER; k++) {
        m->shift[k] = (uint8_t)(k < t ? k : t);
        m->classes[k] = colors >> m->shift[k];
        m->interval[k] = k > t && m->classes[k] > 1;
    }
}

/* From the definition: count whole pages below a, walk round the circle in steps of N. */
color_t color_of_naive(const struct color_map *m, phys_t a)
{
    uint64_t page = a.a / PAGE_SIZE;
    return (color_t)(page - page / m->colors * m->colors);
}

/* A hypervisor that hides the caches reports one set, one way or nothing at all. */
static bool plausible(const struct arch_cache *c)
{
    if (!c->size_bytes || !c->ways || !c->line_bytes)
        return false;
    uint64_t way = c->size_bytes / c->ways;
    uint64_t sets = way / c->line_bytes;
    return sets > 1 && !(c->ways == 1 && sets == 1) && way >= PAGE_SIZE && way % PAGE_SIZE == 0 &&
           way / PAGE_SIZE <= COLORS_MAX;
}

static int color_auto(const struct arch_cache *caches, unsigned n, struct color_spec *out,
                      char *err, size_t err_bytes)
{
    const struct arch_cache *best = NULL;
    for (unsigned i = 0; i < n; i++) {
        if (plausible(&caches[i]) && (!best || caches[i].size_bytes > best->size_bytes))
            best = &caches[i];
    }
    if (!best) {
        ksnprintf(
            err, err_bytes,
            "page_color=auto: the machine describes no plausible cache (%u seen); valid here: "
            "KB[,WAYS] or off",
            n);
        return -TT_EINVAL;
    }
    out->size_bytes = best->size_bytes;
    out->ways = best->ways;
    out->colors = (uint32_t)(best->size_bytes / best->ways / PAGE_SIZE);
    ksnprintf(out->source, sizeof out->source, "%s, L%u", best->source, best->level);
    return 0;
}

int color_spec_parse(const char *s, const struct arch_cache *caches, unsigned n,
                     struct color_spec *out, char *err, size_t err_bytes)
{
    memset(out, 0, sizeof *out);
    if (!strcmp(s, "off")) {
        *out = (struct color_spec){.colors = 1, .ways = 1, .source = "off"};
        return 0;
    }
    if (!strcmp(s, "auto"))
        return color_auto(caches, n, out, err, err_bytes);

    char number[24];
    bool ok = true;
    uint64_t kb = 0, ways = 1;
    const char *rest = parse_item(s, ',', number, sizeof number, &ok);
    if (!ok || parse_u64(number, 1, UINT32_MAX, &kb) || (rest && parse_u64(rest, 1, 1024, &ways))) {
        ksnprintf(err, err_bytes,
                  "page_color=%s: valid: KB[,WAYS] (ways 1 to 1024), auto, off; several levels are "
                  "separated by '/'",
                  s);
        return -TT_EINVAL;
    }
    uint64_t way_bytes = kb * 1024 / ways;
    if (kb * 1024 % (ways * PAGE_SIZE) || way_bytes / PAGE_SIZE > COLORS_MAX) {
        ksnprintf(
            err, err_bytes,
            "page_color=%s: a way must be a whole number of pages of %lu bytes, at most %u of "
            "them; %lu kB in %lu ways is %lu bytes a way",
            s, (unsigned long)PAGE_SIZE, COLORS_MAX, (unsigned long)kb, (unsigned long)ways,
            (unsigned long)way_bytes);
        return -TT_EINVAL;
    }
    out->colors = (uint32_t)(way_bytes / PAGE_SIZE);
    out->size_bytes = kb * 1024;
    out->ways = (unsigned)ways;
    ksnprintf(out->source, sizeof out->source, "command line");
    return 0;
}
