/*
 * Writes Multiboot2 information, which is how the loader tells the kernel what it found.
 *
 * Pure; on the host what it writes is read back by the kernel's own parser.
 */
#ifndef BOOT_EFI_INFO_H
#define BOOT_EFI_INFO_H

#include "multiboot2.h"

#include <stdbool.h>

struct info {
    char *at;          /* aligned to 8 */
    size_t room, used; /* bytes; used is a multiple of 8 */
    bool full;         /* a tag did not fit and is not there */
};

/* Begins in at[0, room), which need not be clear. */
void info_begin(struct info *i, void *at, size_t room);

/* A tag with room for `bytes` behind its head, all zero; NULL when it does not fit. */
void *info_tag(struct info *i, uint32_t type, size_t bytes);

void info_string(struct info *i, uint32_t type, const char *s);
void info_module(struct info *i, uint32_t start, uint32_t end, const char *label);

/*
 * The EFI map comes last, because it is known last: where it goes, and how many bytes are free for
 * it. info_end says what has been put there, and closes the information.
 */
void *info_map(struct info *i, size_t *room);
void info_end(struct info *i, size_t map_bytes, uint32_t entry_bytes, uint32_t entry_version);

#endif
