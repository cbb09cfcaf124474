/* The kernel's own memory and its colours. Contract in own_log.h. */
#include "lab/own_log.h"

#include "arch.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "core/record.h"
#include "lab/factor.h"
#include "lab/preset.h"
#include "mm/own.h"

#include <stdlib.h>
#include <string.h>

extern const char __image_start[], __image_end[]; /* linker.ld: whole pages */

static struct color_map map; /* no colours: page_color= has none on this machine */

/* ---- which cache ---------------------------------------------------------------------------- */

/* The parser's complaints were heard at boot: taking the same words again makes none. */
static void not_again(const char *message, void *arg)
{
    (void)arg;
    panic("command line: %s", message);
}

/* The first page_color= of the boot, in text; -TT_EINVAL when stages have different ones. */
static int first_level(const char *cmdline, char *text, size_t text_bytes, char *err,
                       size_t err_bytes)
{
    const struct factor *page_color = factor_named("page_color");
    const struct preset *preset = preset_of(cmdline);
    unsigned stages = preset_stages(preset);
    check(1, page_color != NULL);
    for (unsigned i = 0; i < stages; i++) {
        if (stages > 1)
            preset_take(preset, i, cmdline, not_again, NULL);
        const char *mine = factor_text(page_color, 0);
        if (i && strcmp(mine, text) && own_colors().given) {
            ksnprintf(
                err, err_bytes,
                "own_colors= is of one cache for the whole boot, and run=%s has page_color=%s "
                "in one stage, %s in another: give page_color= as well",
                preset->name, text, mine);
            return -TT_EINVAL;
        }
        if (!i)
            ksnprintf(text, text_bytes, "%s", mine);
    }
    return 0;
}

int own_log_set_colors(const char *cmdline, char *err, size_t err_bytes)
{
    static struct setup setup;
    static char text[LEVEL_TEXT_MAX];
    int bad = first_level(cmdline, text, sizeof text, err, err_bytes);
    if (bad)
        return bad;
    bad = factor_named("page_color")->level(text, &setup, err, err_bytes);
    if (bad)
        return own_colors().given ? bad : 0;
    if (setup.color.kind == COLOR_TABLE) {
        if (!own_colors().given)
            return 0;
        ksnprintf(err, err_bytes,
                  "own_colors= has to know the colours when memory is laid out, before "
                  "page_color=%s can be",
                  text);
        return -TT_EINVAL;
    }
    color_spec_map(&setup.color, &map);
    return own_set_colors(&map, err, err_bytes);
}

/* ---- counting ------------------------------------------------------------------------------- */

struct count {
    const char *kind;
    uint32_t pages;
    uint32_t got;     /* colours that they have */
    uint32_t outside; /* pages of a colour that own_colors= does not name, or without translation */
    uint32_t *v;      /* pages by colour; NULL: nobody asks */
};

static uint64_t seen[COLORS_MAX / 64]; /* colours of the kind that is counted */

static void count_page(phys_t at, void *arg)
{
    struct count *c = arg;
    c->pages++;
    if (at.a == PHYS_NONE.a) {
        c->outside++;
        return;
    }
    color_t color = color_of_naive(&map, at);
    c->outside += !own_color_allowed_naive(at);
    c->got += !(seen[color / 64] >> color % 64 & 1);
    seen[color / 64] |= 1ul << color % 64;
    if (c->v)
        c->v[color]++;
}

static void count_kind(enum own_kind kind, const struct arch_space *s, struct count *c)
{
    c->kind = own_kind_names[kind];
    memset(seen, 0, sizeof seen);
    own_walk(kind, s, count_page, c);
}

static void count_image(struct count *c)
{
    c->kind = "image";
    memset(seen, 0, sizeof seen);
    for (const char *at = __image_start; at < __image_end; at += PAGE_SIZE)
        count_page(arch_virt_to_phys(at), c);
}

/* ---- records -------------------------------------------------------------------------------- */

static void members(struct record *r, const struct count *c)
{
    record_str(r, "name", c->kind);
    record_u64(r, "pages", c->pages);
    if (own_colors().given)
        record_u64(r, "wanted", own_colors().allowed);
    record_u64(r, "got", c->got);
    if (own_colors().given)
        record_u64(r, "outside", c->outside);
}

static void head_kind(struct record *r, void *arg)
{
    record_str(r, "what", "own_kind");
    members(r, arg);
}

static void head_pages(struct record *r, void *arg)
{
    (void)arg;
    record_str(r, "what", "own_pages");
    record_u64(r, "colors", map.colors);
}

/* NULL when there are no colours to count by, or the experiments have filled the heap. */
static uint32_t *zeroes(void)
{
    return map.colors ? calloc(map.colors, sizeof(uint32_t)) : NULL;
}

static void write_image(void)
{
    struct count c = {.v = zeroes()};
    if (!c.v)
        return;
    count_image(&c);
    record_u32_parts("memory", head_kind, &c, "v", c.v, map.colors);
    free(c.v);
}

static void write_kind(enum own_kind kind)
{
    struct count c = {0};
    struct record r;
    count_kind(kind, NULL, &c);
    record_begin(&r, "memory");
    head_kind(&r, &c);
    record_end(&r);
}

void own_log_pages(void)
{
    write_image();
    uint32_t *pages = zeroes();
    if (!pages)
        return;
    own_pages_of_color(&map, pages);
    record_u32_parts("memory", head_pages, NULL, "v", pages, map.colors);
    free(pages);
    for (unsigned kind = 0; own_colors().given && kind < OWN_KINDS; kind++)
        write_kind((enum own_kind)kind);
}

/* ---- experiments ---------------------------------------------------------------------------- */

static struct count last[OWN_KINDS];

const char *own_log_check(const struct arch_space *s)
{
    static char text[160];
    const char *bad = NULL;
    for (unsigned kind = 0; own_colors().given && kind < OWN_KINDS; kind++) {
        struct count *c = &last[kind];
        *c = (struct count){0};
        count_kind((enum own_kind)kind, s, c);
        if (!c->outside)
            continue;
        ksnprintf(text, sizeof text, "own_colors=: %u of %u pages of %s have another colour",
                  (unsigned)c->outside, (unsigned)c->pages, c->kind);
        bad = text;
    }
    return bad;
}

void own_log_experiment(const char *experiment)
{
    for (unsigned kind = 0; own_colors().given && last[0].kind && kind < OWN_KINDS; kind++) {
        struct record r;
        record_begin(&r, "experiment");
        record_str(&r, "exp", experiment);
        record_str(&r, "what", "own");
        members(&r, &last[kind]);
        record_end(&r);
    }
    memset(last, 0, sizeof last);
}
