/* The kernel's own memory and its colours. Contract in own_log.h. */
#include "lab/own_log.h"

#include "core/panic.h"
#include "core/record.h"
#include "lab/factor.h"
#include "mm/own.h"

#include <stdlib.h>
#include <string.h>

static struct color_map map; /* no colours: page_color= has none on this machine */

int own_log_set_colors(char *err, size_t err_bytes)
{
    static struct setup setup;
    const struct factor *page_color = factor_named("page_color");
    check(1, page_color != NULL);
    int bad = page_color->level(factor_text(page_color, 0), &setup, err, err_bytes);
    if (bad)
        return own_colors().given ? bad : 0;
    color_spec_map(&setup.color, &map);
    return own_set_colors(&map, err, err_bytes);
}

static void head(struct record *r, void *arg)
{
    (void)arg;
    record_str(r, "what", "own_pages");
    record_u64(r, "colors", map.colors);
}

void own_log_pages(void)
{
    uint32_t *pages = map.colors ? calloc(map.colors, sizeof *pages) : NULL;
    if (!pages) /* no colours to count by, or a heap that the experiments have filled */
        return;
    own_pages_of_color(&map, pages);
    record_u32_parts("memory", head, NULL, "v", pages, map.colors);
    free(pages);
}
