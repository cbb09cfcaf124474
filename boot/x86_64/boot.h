/*
 * What the boot paths of x86_64 share: access to the loader's memory, and how they complain.
 *
 * All of it runs on the boot page tables, before anything is allocated.
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

/* Fills bi from the hvm_start_info at physical address a. */
void pvh_parse(struct boot_info *bi, uint64_t a);

/* Entered from boot32.S. */
__attribute__((noreturn)) void boot_main(enum boot_way way, uint64_t info);

#endif
