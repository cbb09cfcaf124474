/* Leaving boot services (leave.h). */
#include "leave.h"

/* A change is an event that fires in between, a timer's for instance: a second one is rare. */
#define ATTEMPTS 8

EFI_STATUS leave_boot_services(EFI_BOOT_SERVICES *services, EFI_HANDLE image, struct leave_map *map,
                               BOOLEAN *tried)
{
    EFI_STATUS status = EFI_ABORTED;

    *tried = FALSE;
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        UINTN key;

        map->bytes = map->room;
        status = services->GetMemoryMap(&map->bytes, map->at, &key, &map->stride, &map->version);
        if (EFI_ERROR(status))
            return status;
        *tried = TRUE;
        status = services->ExitBootServices(image, key);
        if (status != EFI_INVALID_PARAMETER) /* which is: the key is not that of the current map */
            return status;
    }
    return status;
}
