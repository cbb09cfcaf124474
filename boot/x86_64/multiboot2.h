/*
 * Multiboot2: the numbers of the format (GNU Multiboot2 specification 2.0), and its parser.
 *
 * Shared by the header in the image (assembly), the kernel's parser, and our own EFI loader, which
 * hands its findings over in this format too: one format, one parser.
 */
#ifndef BOOT_MULTIBOOT2_H
#define BOOT_MULTIBOOT2_H

/* The header in the first 32 KiB of the image, aligned to 8. */
#define MB2_HEADER_MAGIC  0xe85250d6
#define MB2_HEADER_SEARCH 32768
#define MB2_ARCH_I386     0
#define MB2_BOOT_MAGIC    0x36d76289 /* in eax at entry */

#define MB2_HEADER_END         0
#define MB2_HEADER_FRAMEBUFFER 5
#define MB2_HEADER_ALIGN       6
#define MB2_HEADER_ENTRY_EFI64 9
#define MB2_HEADER_RELOCATABLE 10
#define MB2_HEADER_OPTIONAL    1 /* flag of a header tag: a loader need not know it */

/* Tags of the boot information, each aligned to 8 bytes. */
#define MB2_END              0
#define MB2_CMDLINE          1
#define MB2_LOADER           2
#define MB2_MODULE           3
#define MB2_MAP              6
#define MB2_FRAMEBUFFER      8
#define MB2_EFI32            11
#define MB2_EFI64            12
#define MB2_RSDP_V1          14
#define MB2_RSDP_V2          15
#define MB2_EFI_MAP          17
#define MB2_EFI_NOT_FINISHED 18 /* boot services were not left */

#define MB2_FRAMEBUFFER_RGB  1
#define MB2_FRAMEBUFFER_TEXT 2

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

struct mb2_info {
    uint32_t total_bytes; /* these 8 included */
    uint32_t reserved;
};

struct mb2_tag {
    uint32_t type;
    uint32_t bytes; /* these 8 included, padding to the next tag not */
};

struct mb2_module {
    struct mb2_tag tag;
    uint32_t start, end;
    /* its command line, NUL-terminated */
};

/* Head of MB2_MAP and MB2_EFI_MAP; entries follow, each entry_bytes long. */
struct mb2_map {
    struct mb2_tag tag;
    uint32_t entry_bytes;
    uint32_t entry_version;
};

struct mb2_map_entry {
    uint64_t start, size;
    uint32_t type; /* as E820 has it */
    uint32_t reserved;
};

/* An EFI memory descriptor, version 1. */
struct mb2_efi_entry {
    uint32_t type;
    uint32_t padding;
    uint64_t start, virtual, pages, attribute;
};
#define MB2_EFI_PAGE_SHIFT 12

struct mb2_framebuffer {
    struct mb2_tag tag;
    uint64_t base;
    uint32_t pitch_bytes, width, height;
    uint8_t bits_per_pixel;
    uint8_t type;
    uint16_t reserved;
    /* colour fields follow: not needed to draw in black and white */
};

struct mb2_efi64 {
    struct mb2_tag tag;
    uint64_t system_table;
};

_Static_assert(sizeof(struct mb2_map) == 16 && sizeof(struct mb2_map_entry) == 24, "no padding");
_Static_assert(sizeof(struct mb2_efi_entry) == 40, "what EFI calls version 1");
_Static_assert(sizeof(struct mb2_framebuffer) == 32, "no padding");

#endif
#endif
