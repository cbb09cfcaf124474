/*
 * PVH: reads the hvm_start_info (Xen's public/arch-x86/hvm/start_info.h describes it).
 *
 * Version 1 added the memory map; a version 0 structure ends before it, so nothing past
 * rsdp may be read there. A later version only appends. Runs before any allocation and copies
 * all it needs; what makes no sense is said in boot_info.error.
 */
#include "boot.h"

#include "core/kprintf.h"

#include <string.h>

struct pvh_start_info {
    uint32_t magic;
    uint32_t version;
    uint32_t flags;
    uint32_t modules;
    uint64_t module_list;
    uint64_t cmdline;
    uint64_t rsdp;
    /* version 1 and up */
    uint64_t map;
    uint32_t map_entries;
    uint32_t reserved;
};

struct pvh_module {
    uint64_t start;
    uint64_t bytes;
    uint64_t cmdline;
    uint64_t reserved;
};

struct pvh_range {
    uint64_t start;
    uint64_t bytes;
    uint32_t type;
    uint32_t reserved;
};

_Static_assert(offsetof(struct pvh_start_info, map) == 40, "version 0 is 40 bytes long");
_Static_assert(sizeof(struct pvh_start_info) == 56, "version 1 is 56 bytes long");
_Static_assert(sizeof(struct pvh_module) == 32 && sizeof(struct pvh_range) == 24, "list entries");

#define PVH_MAGIC 0x336ec578

static void parse_map(struct boot_info *bi, const struct pvh_start_info *si)
{
    if (si->version == 0) {
        boot_error(bi, "pvh: start info version 0 has no memory map; use a loader that gives "
                       "version 1 (QEMU 4.0 or later)");
        return;
    }
    if (si->map_entries == 0 || si->map_entries > BOOT_MAP_MAX) {
        boot_error(bi, "pvh: %u memory map entries; from 1 to %u can be taken", si->map_entries,
                   BOOT_MAP_MAX);
        return;
    }

    uint64_t bytes = si->map_entries * (uint64_t)sizeof(struct pvh_range);
    const char *list = boot_memory(si->map, bytes);

    if (!list) {
        boot_error(bi, "pvh: the memory map at 0x%llx is out of reach (0, or past 4 GiB)",
                   (unsigned long long)si->map);
        return;
    }
    for (uint32_t i = 0; i < si->map_entries; i++) {
        struct pvh_range r;

        memcpy(&r, list + i * sizeof(r), sizeof(r)); /* nobody promises alignment */
        boot_add_range(bi, r.start, r.bytes, boot_e820_type(r.type));
    }
}

static void parse_modules(struct boot_info *bi, const struct pvh_start_info *si)
{
    if (si->modules == 0)
        return;
    if (si->modules > BOOT_MODULE_MAX) {
        boot_error(bi, "pvh: %u modules; at most %u can be taken", si->modules, BOOT_MODULE_MAX);
        return;
    }

    uint64_t bytes = si->modules * (uint64_t)sizeof(struct pvh_module);
    const char *list = boot_memory(si->module_list, bytes);

    if (!list) {
        boot_error(bi, "pvh: the module list at 0x%llx is out of reach (0, or past 4 GiB)",
                   (unsigned long long)si->module_list);
        return;
    }
    for (uint32_t i = 0; i < si->modules; i++) {
        struct boot_module *to = &bi->module[i];
        struct pvh_module m;

        memcpy(&m, list + i * sizeof(m), sizeof(m));
        if (m.bytes > UINT64_MAX - m.start) {
            boot_error(bi, "pvh: module %u wraps: 0x%llx bytes at 0x%llx", i,
                       (unsigned long long)m.bytes, (unsigned long long)m.start);
            return;
        }
        to->at.start = phys(m.start);
        to->at.end = phys(m.start + m.bytes);
        if (m.cmdline)
            boot_copy_string(to->label, sizeof(to->label), m.cmdline); /* a label may be cut */
        bi->module_count = i + 1;
    }
}

/* Copies as much of the start info as its version has; false when there is none at a. */
static bool copy_start_info(struct pvh_start_info *si, uint64_t a)
{
    size_t bytes = offsetof(struct pvh_start_info, map);
    const void *from = boot_memory(a, bytes);

    memset(si, 0, sizeof(*si));
    if (!from)
        return false;
    memcpy(si, from, bytes);
    if (si->magic != PVH_MAGIC)
        return false;
    if (si->version > 0) {
        from = boot_memory(a, sizeof(*si));
        if (!from)
            return false;
        memcpy(si, from, sizeof(*si));
    }
    return true;
}

void pvh_parse(struct boot_info *bi, uint64_t a)
{
    struct pvh_start_info si;

    if (!copy_start_info(&si, a)) {
        boot_error(bi, "pvh: no start info at 0x%llx", (unsigned long long)a);
        return;
    }
    ksnprintf(bi->loader, sizeof(bi->loader), "pvh start info v%u", si.version);

    if (si.cmdline) {
        if (!boot_memory(si.cmdline, 1))
            boot_error(bi, "pvh: the command line at 0x%llx is out of reach (past 4 GiB)",
                       (unsigned long long)si.cmdline);
        bi->cmdline_cut = !boot_copy_string(bi->cmdline, sizeof(bi->cmdline), si.cmdline);
    }
    bi->rsdp = phys(si.rsdp);
    parse_map(bi, &si);
    parse_modules(bi, &si);
}
