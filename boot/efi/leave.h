/*
 * Leaving boot services, with the memory map as it is at that moment.
 *
 * Compiled for the host, too, where a test is the firmware.
 */
#ifndef BOOT_EFI_LEAVE_H
#define BOOT_EFI_LEAVE_H

#include <efi.h>

struct leave_map {
    void *at;
    UINTN room;  /* bytes at `at` */
    UINTN bytes; /* the rest is what GetMemoryMap says */
    UINTN stride;
    UINT32 version;
};

/*
 * Gets the map and leaves boot services, again when the map changed in between. After the first
 * attempt nothing else of the firmware may be used, whatever the outcome, not even to print: *tried
 * says whether there was one.
 */
EFI_STATUS leave_boot_services(EFI_BOOT_SERVICES *services, EFI_HANDLE image, struct leave_map *map,
                               BOOLEAN *tried);

#endif
