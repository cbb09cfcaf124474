/*
 * Reading the firmware's HWRPB: is it one that this kernel understands, and what memory it names.
 * Pure functions over the block, for boot_main.c and for tests on the host.
 */
#ifndef BOOT_HWRPB_READ_H
#define BOOT_HWRPB_READ_H

#include "boot_info.h"

#include <arch/boot.h>

/* "HWRPB" and three NULs: as the string it is specified to be, and as QEMU writes it. */
#define HWRPB_ID         0x4250525748
#define HWRPB_ID_SWAPPED 0x4857525042000000

/* The first revision with the fields that are read here; QEMU's firmware states none. */
#define HWRPB_REVISION      5
#define HWRPB_REVISION_NONE 0

/* Firmware has a handful; a larger count is not believed. */
#define HWRPB_CLUSTERS_MAX 64

/* Memory data descriptor table, at mddt_offset. */
struct cluster {
    uint64_t start_pfn, pages, pages_tested, bitmap_va, bitmap_pa, bitmap_checksum, usage;
};

struct mddt {
    uint64_t checksum, extra, count;
    struct cluster cluster[];
};

/* usage: 0 is the system's, bit 0 the console's, bit 1 not volatile. */
#define USAGE_SYSTEM 0

/* 0, or -TT_EINVAL with what is wrong in why. Reads the fixed part only. */
int hwrpb_check(const struct hwrpb *h, char *why, size_t why_bytes);

/* Adds its clusters to bi's map. 0, or -TT_EINVAL with what is wrong in why and no cluster added.
 */
int hwrpb_clusters(const struct hwrpb *h, struct boot_info *bi, char *why, size_t why_bytes);

#endif
