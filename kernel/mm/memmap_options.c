/* The command-line keys mem= and hole=. */
#include "mm/memmap_options.h"

#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"

#define HOLES_MAX 64

static uint64_t mem_limit_bytes; /* 0: all */
static struct phys_range hole[HOLES_MAX];
static unsigned holes;

static int parse_mem(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    uint64_t bytes;
    if (parse_size(value, &bytes) || bytes < PAGE_SIZE) {
        ksnprintf(err, err_bytes, "valid: a size of at least a page, such as 64M or 1G");
        return -TT_EINVAL;
    }
    mem_limit_bytes = bytes;
    return 0;
}

static int parse_hole(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    char size[24];
    bool ok = true;
    uint64_t bytes, at;
    const char *rest = parse_item(value, '@', size, sizeof size, &ok);
    if (!ok || !rest || parse_size(size, &bytes) || parse_size(rest, &at) || !bytes ||
        at + bytes < at) {
        ksnprintf(err, err_bytes, "valid: SIZE@ADDRESS, such as 64M@1G");
        return -TT_EINVAL;
    }
    for (unsigned i = 0; i < holes; i++) {
        if (hole[i].start.a == at && hole[i].end.a == at + bytes)
            return 0; /* the same words may be taken again, for each stage of a preset */
    }
    if (holes == HOLES_MAX) {
        ksnprintf(err, err_bytes, "at most %u holes", HOLES_MAX);
        return -TT_EINVAL;
    }
    hole[holes++] = (struct phys_range){phys(at), phys(at + bytes)};
    return 0;
}

REGISTER(option, mem) = {
    .name = "mem",
    .grammar = "SIZE",
    .help = "use only the first SIZE bytes of RAM",
    .parse = parse_mem,
};

REGISTER(option, hole) = {
    .name = "hole",
    .grammar = "SIZE@ADDRESS",
    .help = "leave a piece of physical memory alone; may be repeated",
    .repeats = true,
    .parse = parse_hole,
};

int memmap_apply_options(struct memmap *map, char *err, size_t err_bytes)
{
    for (unsigned i = 0; i < holes; i++) {
        /* The last byte's frame plus one: rounding the end up would wrap at the top. */
        struct pfn_range at = {phys_to_pfn(hole[i].start),
                               pfn(phys_to_pfn(phys(hole[i].end.a - 1)).n + 1)};
        if (memmap_set(map, at, MEM_RESERVED)) {
            ksnprintf(err, err_bytes, "hole=: the memory map has no room for another range");
            return -TT_EINVAL;
        }
    }
    if (mem_limit_bytes)
        memmap_limit(map, mem_limit_bytes);
    if (!memmap_pages(map, MEM_RAM)) {
        ksnprintf(err, err_bytes, "mem= and hole= leave no RAM at all");
        return -TT_EINVAL;
    }
    return 0;
}
