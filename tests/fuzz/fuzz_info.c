/* For targets that fill a boot_info: what the kernel does next, and the console that kprintf.c
 * wants. */
#include "fuzz.h"

#include "boot.h"
#include "core/console.h"
#include "mm/memmap.h"

#include <string.h>

void console_write(const char *s, size_t n)
{
    (void)s, (void)n;
}

void console_lock(void)
{
}

void console_unlock(void)
{
}

bool console_at_line_start(void)
{
    return true;
}

static void check_strings(const struct boot_info *bi)
{
    must(memchr(bi->cmdline, 0, sizeof bi->cmdline));
    must(memchr(bi->loader, 0, sizeof bi->loader));
    must(memchr(bi->error, 0, sizeof bi->error));
    for (unsigned i = 0; i < bi->module_count; i++)
        must(memchr(bi->module[i].label, 0, BOOT_LABEL_MAX));
}

void fuzz_boot_info(struct boot_info *bi)
{
    static struct memmap map;
    char why[160];

    must(bi->map_count <= BOOT_MAP_MAX && bi->module_count <= BOOT_MODULE_MAX);
    for (unsigned i = 0; i < bi->map_count; i++)
        must(bi->map[i].type >= MEM_RAM && bi->map[i].type < MEM_TYPES);
    check_strings(bi);

    bi->image = (struct phys_range){phys(0x200000), phys(0x300000)};
    boot_strip_name(bi->cmdline);
    boot_check_modules(bi);
    check_strings(bi);
    if (bi->error[0] || memmap_build(&map, bi, phys(1ull << 46), why, sizeof why))
        return;

    /* Nothing that is in use may be handed out as free. */
    must(!memmap_check(&map));
    for_each_range (&map, r, MEM_RAM) {
        for (unsigned i = 0; i <= bi->module_count; i++) {
            struct phys_range used = i < bi->module_count ? bi->module[i].at : bi->image;
            must(!phys_range_bytes(used) || used.end.a <= pfn_to_phys(r->at.start).a ||
                 used.start.a >= pfn_to_phys(r->at.end).a);
        }
    }
}
