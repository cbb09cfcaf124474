/*
 * Reads the kernel's ELF file: what has to be copied where, and how it is entered.
 *
 * Pure: looks at nothing but the bytes of the file and believes none of them, because the file
 * comes from a disk. Also compiled for the host, for unit tests and fuzzing.
 */
#ifndef BOOT_EFI_ELF_H
#define BOOT_EFI_ELF_H

#include <stddef.h>
#include <stdint.h>

#define ELF_SEGMENTS_MAX 8

/* Addresses are physical, as linked; ranges are [start, end). */
struct elf_plan {
    uint64_t start, end;      /* of all segments, start and end on pages */
    uint64_t lowest, highest; /* where the image may be moved to; both 0: nowhere */
    uint64_t align;           /* of such a place, a power of two and at least a page */
    uint64_t entry;           /* of the 64-bit EFI entry */
    unsigned segments;
    struct elf_segment {
        uint64_t offset, file_bytes; /* in the file */
        uint64_t at, bytes;          /* in memory; what the file does not fill is zero */
    } segment[ELF_SEGMENTS_MAX];
};

/*
 * Fills plan from the file; NULL, or what is wrong with it. After NULL every segment lies in the
 * file and in [start, end), the whole below 4 GiB, and the entry in a segment.
 */
const char *elf_read(struct elf_plan *plan, const void *file, size_t bytes);

/* Copies the segments to `to`, which has plan->end - plan->start bytes. */
void elf_copy(const struct elf_plan *plan, const void *file, void *to);

#endif
