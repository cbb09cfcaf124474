/* What the loader asks the firmware for: files, memory, tables, the screen. */
#ifndef BOOT_EFI_MACHINE_H
#define BOOT_EFI_MACHINE_H

#include "info.h"

#include <efi.h>

/* Whole pages below 4 GiB, of a type that the kernel may reuse once it has read them. */
EFI_STATUS machine_pages(UINTN bytes, EFI_MEMORY_TYPE type, EFI_PHYSICAL_ADDRESS *at);

struct machine_file {
    char *at; /* in pages of its own below 4 GiB */
    UINTN bytes;
};

/*
 * Reads a file of the volume that this program was loaded from. EFI_NOT_FOUND when there is no such
 * file, or no volume (a program that came with the firmware).
 */
EFI_STATUS machine_read(EFI_HANDLE device, const char *path, struct machine_file *file);

/* Add a tag for what there is: system table, ACPI's RSDP, framebuffer. None of them must be. */
void machine_describe(struct info *info);

#endif
