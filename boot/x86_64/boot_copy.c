/*
 * Small work that all boot paths have: copying strings out of loader memory, adding ranges, keeping
 * the first complaint. Pure: reaches memory only through boot_memory(), so it runs on the host.
 */
#include "boot.h"

#include "core/kprintf.h"

#include <stdarg.h>
#include <string.h>

bool boot_copy_string(char *to, size_t bytes, uint64_t a)
{
    size_t n = 0;

    for (; n + 1 < bytes; n++) {
        const char *c = boot_memory(a + n, 1);

        if (!c)
            break;
        to[n] = *c;
        if (!to[n])
            return true;
    }
    to[n] = '\0';

    /* Full: it fits only if the next character is the end. */
    const char *end = boot_memory(a + n, 1);

    return end && !*end;
}

void boot_error(struct boot_info *bi, const char *fmt, ...)
{
    va_list ap;

    if (bi->error[0])
        return;
    va_start(ap, fmt);
    kvsnprintf(bi->error, sizeof(bi->error), fmt, ap);
    va_end(ap);
}

bool boot_add_range(struct boot_info *bi, uint64_t start, uint64_t size, enum mem_type type)
{
    struct boot_range *last = bi->map_count ? &bi->map[bi->map_count - 1] : NULL;

    /* EFI maps come in many small pieces. Only what certainly does not wrap is joined. */
    if (last && last->type == type && last->start + last->size == start && start >= last->start &&
        size <= UINT64_MAX - start) {
        last->size += size;
        return true;
    }
    if (bi->map_count == BOOT_MAP_MAX)
        return false;
    bi->map[bi->map_count++] = (struct boot_range){start, size, type};
    return true;
}

enum mem_type boot_e820_type(uint32_t type)
{
    switch (type) {
    case 1:
        return MEM_RAM;
    case 3:
        return MEM_ACPI;
    case 4:
        return MEM_NVS;
    case 5:
        return MEM_BAD;
    default: /* 2 reserved, 6 disabled, 7 persistent, and what we have never heard of */
        return MEM_RESERVED;
    }
}

static bool ends_in(const char *s, size_t n, const char *suffix)
{
    size_t m = strlen(suffix);

    return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

void boot_strip_name(char *cmdline)
{
    char *word = cmdline;

    while (*word == ' ')
        word++;

    size_t n = strcspn(word, " ");

    if (memchr(word, '=', n) || (!ends_in(word, n, ".elf") && !ends_in(word, n, ".efi")))
        return;
    word += n;
    while (*word == ' ')
        word++;
    memmove(cmdline, word, strlen(word) + 1);
}

static bool overlap(struct phys_range a, struct phys_range b)
{
    return phys_range_bytes(a) && phys_range_bytes(b) && a.start.a < b.end.a && b.start.a < a.end.a;
}

void boot_check_modules(struct boot_info *bi)
{
    for (uint32_t i = 0; i < bi->module_count; i++) {
        const struct boot_module *m = &bi->module[i];

        if (overlap(m->at, bi->image))
            boot_error(bi, "module %u at 0x%llx to 0x%llx overlaps the kernel", i,
                       (unsigned long long)m->at.start.a, (unsigned long long)m->at.end.a);
        for (uint32_t j = 0; j < i; j++) {
            if (overlap(m->at, bi->module[j].at))
                boot_error(bi, "modules %u and %u overlap at 0x%llx", j, i,
                           (unsigned long long)m->at.start.a);
        }
    }
}
