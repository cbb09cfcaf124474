/*
 * The E820-like map and the EFI map of Multiboot2 information (multiboot2_map.h).
 *
 * Entries may be longer than what we know of them, by any number of bytes: they are copied out one
 * by one and never used in place.
 */
#include "multiboot2_map.h"

#include "boot.h"

#include <string.h>

/* EFI memory types (UEFI specification 2.10, table 7.10), as long as boot services are left. */
#define EFI_LOADER_CODE   1
#define EFI_LOADER_DATA   2
#define EFI_BOOT_CODE     3
#define EFI_BOOT_DATA     4
#define EFI_CONVENTIONAL  7
#define EFI_UNUSABLE      8
#define EFI_ACPI_TABLES   9
#define EFI_ACPI_NVS      10
#define EFI_SPECIAL       0x40000ull /* attribute: RAM set aside for a purpose, HBM for instance */
#define EFI_ENTRY_VERSION 1

static enum mem_type efi_type(const struct mb2_efi_entry *e)
{
    switch (e->type) {
    case EFI_CONVENTIONAL:
        return e->attribute & EFI_SPECIAL ? MEM_RESERVED : MEM_RAM;
    case EFI_LOADER_CODE:
    case EFI_LOADER_DATA:
    case EFI_BOOT_CODE:
    case EFI_BOOT_DATA:
        return MEM_BOOT;
    case EFI_ACPI_TABLES:
        return MEM_ACPI;
    case EFI_ACPI_NVS:
        return MEM_NVS;
    case EFI_UNUSABLE:
        return MEM_BAD;
    default: /* runtime services, devices, persistent, unaccepted, and the unheard of */
        return MEM_RESERVED;
    }
}

/* Number of entries of at least `least` bytes; 0 after a complaint. */
static uint32_t entries(struct boot_info *bi, const struct mb2_map *map, size_t least,
                        const char *name)
{
    uint32_t bytes = map->tag.bytes - sizeof(*map);

    if (map->entry_bytes < least)
        boot_error(bi, "multiboot2: %s has entries of %u bytes; they have %u at least", name,
                   map->entry_bytes, (unsigned)least);
    else if (!bytes || bytes % map->entry_bytes)
        boot_error(bi, "multiboot2: %s is %u bytes long, not a number of entries of %u", name,
                   bytes, map->entry_bytes);
    else
        return bytes / map->entry_bytes;
    return 0;
}

static const void *entry(const struct mb2_map *map, uint32_t i)
{
    return (const char *)(map + 1) + (size_t)i * map->entry_bytes;
}

static void full(struct boot_info *bi, const char *name)
{
    boot_error(bi, "multiboot2: %s has more than %u ranges", name, BOOT_MAP_MAX);
}

void multiboot2_map(struct boot_info *bi, const struct mb2_map *map, const char *name)
{
    uint32_t count = entries(bi, map, sizeof(struct mb2_map_entry), name);

    for (uint32_t i = 0; i < count; i++) {
        struct mb2_map_entry e;

        memcpy(&e, entry(map, i), sizeof(e));
        if (!boot_add_range(bi, e.start, e.size, boot_e820_type(e.type))) {
            full(bi, name);
            return;
        }
    }
}

void multiboot2_efi_map(struct boot_info *bi, const struct mb2_map *map, const char *name)
{
    uint32_t count = entries(bi, map, sizeof(struct mb2_efi_entry), name);

    if (map->entry_version != EFI_ENTRY_VERSION) {
        boot_error(bi, "multiboot2: %s has entries of version %u; only 1 is known", name,
                   map->entry_version);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct mb2_efi_entry e;

        memcpy(&e, entry(map, i), sizeof(e));

        /* More pages than 64 bits of bytes: stays as large as can be said, for memmap to judge. */
        uint64_t size = e.pages <= UINT64_MAX >> MB2_EFI_PAGE_SHIFT ? e.pages << MB2_EFI_PAGE_SHIFT
                                                                    : UINT64_MAX;

        if (!boot_add_range(bi, e.start, size, efi_type(&e))) {
            full(bi, name);
            return;
        }
    }
}
