/*
 * Multiboot2: reads the boot information that GRUB, or our own EFI loader, left behind.
 *
 * Pure: reads only [info, info + bytes) and writes only the boot_info, so that damaged information
 * can be tried on the host. It is a chain of tags; nothing in it is believed before its length is
 * checked. Where there are two memory maps the firmware's own (EFI) is taken.
 */
#include "multiboot2.h"

#include "boot.h"
#include "multiboot2_map.h"

#include <string.h>

/* GRUB's is about 9 KiB on UEFI; module lines and a map of thousands of entries fit. */
#define INFO_MAX 0x100000

struct found {
    const struct mb2_map *map, *efi_map;
    unsigned rsdp; /* the better of MB2_RSDP_V1 and _V2 that has been seen, 0: none */
    unsigned once; /* bit per tag type that was there and may be there only once */
};

struct tag_kind {
    uint32_t type;
    uint32_t least_bytes; /* what is read without further checks */
    bool once;
    const char *name;
    void (*take)(struct boot_info *bi, struct found *f, const struct mb2_tag *tag);
};

/* Copies the string at `from` in the tag, which must end inside; true if it fitted whole. */
static bool copy_string(struct boot_info *bi, char *to, size_t to_bytes, const struct mb2_tag *tag,
                        size_t from)
{
    const char *s = (const char *)tag + from;
    const char *end = memchr(s, '\0', tag->bytes - from);

    if (!end) {
        boot_error(bi, "multiboot2: the string in tag %u has no end", tag->type);
        return false;
    }

    size_t n = min_u64(end - s, to_bytes - 1);

    memcpy(to, s, n);
    to[n] = '\0';
    return !s[n];
}

static void take_cmdline(struct boot_info *bi, struct found *f, const struct mb2_tag *tag)
{
    (void)f;
    bi->cmdline_cut = !copy_string(bi, bi->cmdline, sizeof(bi->cmdline), tag, sizeof(*tag));
}

static void take_loader(struct boot_info *bi, struct found *f, const struct mb2_tag *tag)
{
    (void)f;
    copy_string(bi, bi->loader, sizeof(bi->loader), tag, sizeof(*tag)); /* a name may be cut */
}

static void take_module(struct boot_info *bi, struct found *f, const struct mb2_tag *tag)
{
    const struct mb2_module *m = (const void *)tag;
    struct boot_module *to = &bi->module[bi->module_count];

    (void)f;
    if (bi->module_count == BOOT_MODULE_MAX) {
        boot_error(bi, "multiboot2: more than %u modules", BOOT_MODULE_MAX);
        return;
    }
    if (m->end < m->start) {
        boot_error(bi, "multiboot2: module %u ends at 0x%x, before its start 0x%x",
                   bi->module_count, m->end, m->start);
        return;
    }
    to->at = (struct phys_range){phys(m->start), phys(m->end)};
    copy_string(bi, to->label, sizeof(to->label), tag, sizeof(*m)); /* a label may be cut */
    bi->module_count++;
}

static void take_map(struct boot_info *bi, struct found *f, const struct mb2_tag *tag)
{
    (void)bi;
    if (tag->type == MB2_MAP)
        f->map = (const void *)tag;
    else
        f->efi_map = (const void *)tag;
}

static void take_framebuffer(struct boot_info *bi, struct found *f, const struct mb2_tag *tag)
{
    const struct mb2_framebuffer *fb = (const void *)tag;

    (void)f;
    if (fb->type != MB2_FRAMEBUFFER_RGB && fb->type != MB2_FRAMEBUFFER_TEXT)
        return; /* palettes and what is yet to be invented: no screen, no reason to stop */
    bi->fb = (struct boot_framebuffer){.base = phys(fb->base),
                                       .width = fb->width,
                                       .height = fb->height,
                                       .pitch_bytes = fb->pitch_bytes,
                                       .bits_per_pixel = fb->bits_per_pixel,
                                       .text = fb->type == MB2_FRAMEBUFFER_TEXT};
}

static void take_efi64(struct boot_info *bi, struct found *f, const struct mb2_tag *tag)
{
    (void)f;
    bi->efi_system = phys(((const struct mb2_efi64 *)tag)->system_table);
}

static void take_rsdp(struct boot_info *bi, struct found *f, const struct mb2_tag *tag)
{
    if (f->rsdp > tag->type)
        return;
    f->rsdp = tag->type;
    memset(bi->rsdp_copy, 0, sizeof(bi->rsdp_copy));
    memcpy(bi->rsdp_copy, tag + 1, min_u64(tag->bytes - sizeof(*tag), sizeof(bi->rsdp_copy)));
}

static void take_not_finished(struct boot_info *bi, struct found *f, const struct mb2_tag *tag)
{
    (void)f, (void)tag;
    boot_error(bi, "multiboot2: the loader has not left EFI boot services");
}

#define TAG_BYTES sizeof(struct mb2_tag)

static const struct tag_kind kinds[] = {
    {MB2_CMDLINE, TAG_BYTES + 1, true, "the command line", take_cmdline},
    {MB2_LOADER, TAG_BYTES + 1, true, "the loader's name", take_loader},
    {MB2_MODULE, sizeof(struct mb2_module) + 1, false, "a module", take_module},
    {MB2_MAP, sizeof(struct mb2_map), true, "the memory map", take_map},
    {MB2_FRAMEBUFFER, sizeof(struct mb2_framebuffer), true, "the framebuffer", take_framebuffer},
    {MB2_EFI64, sizeof(struct mb2_efi64), true, "the EFI system table", take_efi64},
    {MB2_RSDP_V1, TAG_BYTES + 20, true, "the ACPI 1.0 RSDP", take_rsdp},
    {MB2_RSDP_V2, TAG_BYTES + 36, true, "the ACPI 2.0 RSDP", take_rsdp},
    {MB2_EFI_MAP, sizeof(struct mb2_map), true, "the EFI memory map", take_map},
    {MB2_EFI_NOT_FINISHED, TAG_BYTES, true, "boot services", take_not_finished},
};

static const char *kind_name(uint32_t type)
{
    for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (kinds[i].type == type)
            return kinds[i].name;
    }
    return "unknown";
}

static void take_tag(struct boot_info *bi, struct found *f, const struct mb2_tag *tag)
{
    for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
        const struct tag_kind *k = &kinds[i];

        if (k->type != tag->type)
            continue;
        if (tag->bytes < k->least_bytes)
            boot_error(bi, "multiboot2: tag %u (%s) has %u bytes, too few", k->type, k->name,
                       tag->bytes);
        else if (k->once && (f->once & 1u << k->type))
            boot_error(bi, "multiboot2: tag %u (%s) comes twice", k->type, k->name);
        else
            k->take(bi, f, tag);
        f->once |= 1u << k->type;
        return;
    }
}

/* False after a complaint: nothing behind the broken tag can be found. */
static bool walk(struct boot_info *bi, struct found *f, const char *info, uint32_t total)
{
    for (uint32_t at = sizeof(struct mb2_info); total - at >= TAG_BYTES;) {
        const struct mb2_tag *tag = (const void *)(info + at);

        if (tag->bytes < TAG_BYTES) {
            boot_error(bi, "multiboot2: tag %u at byte %u says %u bytes: the list would loop",
                       tag->type, at, tag->bytes);
            return false;
        }
        if (tag->bytes > total - at) {
            boot_error(bi, "multiboot2: tag %u (%s) at byte %u has %u bytes, only %u are left",
                       tag->type, kind_name(tag->type), at, tag->bytes, total - at);
            return false;
        }
        if (tag->type == MB2_END)
            return true;
        take_tag(bi, f, tag);
        at = min_u64(align_up((uint64_t)at + tag->bytes, 8), total);
    }
    boot_error(bi, "multiboot2: the list of tags has no end tag: it was cut");
    return false;
}

void multiboot2_parse(struct boot_info *bi, const void *info, uint64_t bytes)
{
    const struct mb2_info *head = info;
    struct found found = {0};

    if (bytes < sizeof(*head) || head->total_bytes < sizeof(*head) ||
        head->total_bytes > min_u64(bytes, INFO_MAX)) {
        boot_error(bi, "multiboot2: %u bytes of boot information, of which %llu can be read",
                   bytes < sizeof(*head) ? 0 : head->total_bytes,
                   (unsigned long long)min_u64(bytes, INFO_MAX));
        return;
    }
    if (!walk(bi, &found, info, head->total_bytes))
        return;
    if (found.efi_map)
        multiboot2_efi_map(bi, found.efi_map, kind_name(MB2_EFI_MAP));
    else if (found.map)
        multiboot2_map(bi, found.map, kind_name(MB2_MAP));
    else
        boot_error(bi, "multiboot2: no memory map");
}
