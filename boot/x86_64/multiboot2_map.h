/* The two memory maps of Multiboot2 information. Called by multiboot2.c; pure. */
#ifndef BOOT_MULTIBOOT2_MAP_H
#define BOOT_MULTIBOOT2_MAP_H

#include "boot_info.h"
#include "multiboot2.h"

/*
 * Add the entries of a map tag to bi->map; what makes no sense is said in bi->error, with `name`.
 * The tag is whole: tag.bytes can be read, and are at least those of struct mb2_map.
 */
void multiboot2_map(struct boot_info *bi, const struct mb2_map *map, const char *name);
void multiboot2_efi_map(struct boot_info *bi, const struct mb2_map *map, const char *name);

#endif
