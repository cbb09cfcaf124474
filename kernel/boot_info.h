/*
 * boot_info: what a boot path hands to kernel_main, the same from PVH, Multiboot2, EFI and HWRPB.
 *
 * The code in boot/ copies everything it needs out of the firmware's or loader's memory into
 * this one struct (in .bss of the image) before anything is allocated, so nothing here points at
 * memory that may be reused, except modules, whose own ranges are reserved by memmap. A boot
 * path never judges the map: overlaps, odd types and wrapped ranges are memmap's work. What it
 * cannot parse it says in `error`, and kernel_main prints that and ends the boot not ok.
 */
#ifndef TT_BOOT_INFO_H
#define TT_BOOT_INFO_H

#include "core/types.h"

#define BOOT_CMDLINE_MAX 2048
#define BOOT_MAP_MAX     1024 /* entries; EFI maps seen in practice have 125 to 300 */
#define BOOT_MODULE_MAX  16
#define BOOT_LABEL_MAX   64
#define BOOT_RSDP_BYTES  36 /* ACPI's root pointer, revision 2 */

enum boot_way { BOOT_PVH, BOOT_MULTIBOOT2, BOOT_EFI, BOOT_HWRPB };

/* Types of memory, least restrictive first: where two entries overlap the larger value wins. */
enum mem_type {
    MEM_RAM = 1,  /* free for use */
    MEM_BOOT,     /* loader's data: usable once copied (nothing of ours is left there) */
    MEM_ACPI,     /* ACPI tables */
    MEM_NVS,      /* ACPI NVS: never touch */
    MEM_RESERVED, /* reserved, device, unknown type */
    MEM_BAD,      /* reported defective */
    MEM_TYPES     /* number of types plus one */
};

/* One raw entry as the firmware gave it; size may be 0, or wrap past 2^64: memmap judges. */
struct boot_range {
    uint64_t start;
    uint64_t size;
    uint32_t type; /* enum mem_type; boot paths map unknown firmware types to MEM_RESERVED */
};

struct boot_module {
    struct phys_range at;
    char label[BOOT_LABEL_MAX];
};

struct boot_framebuffer {
    phys_t base; /* 0 when there is none */
    uint32_t width, height, pitch_bytes, bits_per_pixel;
    bool text; /* EGA text cells instead of pixels */
};

struct boot_info {
    enum boot_way way;
    char loader[BOOT_LABEL_MAX];    /* "GRUB 2.06", "qemu-pvh v1", ... */
    char cmdline[BOOT_CMDLINE_MAX]; /* NUL-terminated */
    bool cmdline_cut;               /* the boot path had to drop its end: an error later */
    uint32_t map_count;
    struct boot_range map[BOOT_MAP_MAX];
    struct phys_range image; /* where the kernel image really lies, .bss included */
    uint32_t module_count;
    struct boot_module module[BOOT_MODULE_MAX];
    phys_t rsdp;                        /* ACPI root pointer, 0 if not handed over */
    uint8_t rsdp_copy[BOOT_RSDP_BYTES]; /* by Multiboot2, which hands over itself, not its place */
    phys_t efi_system;                  /* EFI system table, 0 if none */
    phys_t hwrpb;                       /* Alpha, else 0 */
    struct boot_framebuffer fb;
    char error[160]; /* first complaint of the boot path, "" if none */
};

const char *boot_way_name(enum boot_way way); /* "pvh", "multiboot2", "efi", "hwrpb" */
const char *mem_type_name(unsigned type);     /* "ram", ..., "unknown" */

/* Entered by the boot path on the boot stack, paging on, interrupts off, one CPU. */
__attribute__((noreturn)) void kernel_main(struct boot_info *bi);

#endif
