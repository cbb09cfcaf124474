/* Names of boot ways and memory types, for records and messages. */
#include "boot_info.h"

const char *boot_way_name(enum boot_way way)
{
    switch (way) {
    case BOOT_PVH:
        return "pvh";
    case BOOT_MULTIBOOT2:
        return "multiboot2";
    case BOOT_EFI:
        return "efi";
    case BOOT_HWRPB:
        return "hwrpb";
    }
    return "unknown";
}

const char *mem_type_name(unsigned type)
{
    switch (type) {
    case MEM_RAM:
        return "ram";
    case MEM_BOOT:
        return "boot";
    case MEM_ACPI:
        return "acpi";
    case MEM_NVS:
        return "nvs";
    case MEM_RESERVED:
        return "reserved";
    case MEM_BAD:
        return "bad";
    case MEM_TYPES: /* MEMMAP_KERNEL */
        return "kernel";
    }
    return "unknown";
}
