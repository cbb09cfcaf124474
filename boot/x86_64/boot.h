/*
 * What the boot paths of x86_64 share: access to the loader's memory, and how they complain.
 *
 * All of it runs on the boot page tables, before anything is allocated. The parsers read bytes and
 * fill a boot_info, and touch nothing else: the host tests run them as they are.
 */
#ifndef BOOT_X86_64_BOOT_H
#define BOOT_X86_64_BOOT_H

#include "boot_info.h"

/* [a, a + bytes) through the early map, or NULL when it is 0 or reaches past the early map. */
const void *boot_memory(uint64_t a, uint64_t bytes);

/*
 * Copies the NUL-terminated string at physical address a; at most bytes - 1 characters are taken,
 * and the result is always terminated. Returns false when the string was longer or has no
 * reachable end: what was reachable is in to.
 */
bool boot_copy_string(char *to, size_t bytes, uint64_t a);

/* Keeps the first complaint in bi->error. */
__attribute__((format(printf, 2, 3))) void boot_error(struct boot_info *bi, const char *fmt, ...);

/* Adds a range to bi->map, joined to the one before where they fit. False when the map is full. */
bool boot_add_range(struct boot_info *bi, uint64_t start, uint64_t size, enum mem_type type);

/* What an E820 type (BIOS, PVH, Multiboot2) means; an unknown one is reserved. */
enum mem_type boot_e820_type(uint32_t type);

/* Takes a first word away that is the name of the kernel or loader (ends in .elf or .efi). */
void boot_strip_name(char *cmdline);

/* Complains about modules that overlap the image or each other: one of the two is lost. */
void boot_check_modules(struct boot_info *bi);

/* Fills bi from the hvm_start_info at physical address a. */
void pvh_parse(struct boot_info *bi, uint64_t a);

/*
 * Fills bi from Multiboot2 information, of which [info, info + bytes) can be read; it states its
 * own size, which must not be larger. info is aligned to 8.
 */
void multiboot2_parse(struct boot_info *bi, const void *info, uint64_t bytes);

/* A word on the screen, if bi has one: where the results go, or the complaint. */
void screen_say(const struct boot_info *bi);

/* bi is there for good: the self-test of modules reads it when asked to run. */
void modules_init(const struct boot_info *bi);

/* Entered from boot32.S. */
__attribute__((noreturn)) void boot_main(enum boot_way way, uint64_t info);

#endif
