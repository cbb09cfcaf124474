/*
 * Names for addresses: the functions of the linked image, for backtraces and profiles.
 *
 * The table is made from the image itself by tools/ksyms.awk and linked in by a second pass, in
 * its own section behind the rest of the read-only data, so that no function moves. An image of
 * the first pass has none: then nothing is found, and that is all.
 */
#ifndef TT_CORE_SYMBOLS_H
#define TT_CORE_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* The function that holds pc, or NULL; *offset (if not NULL): how far into it. */
const char *symbol_of(uintptr_t pc, uintptr_t *offset);

/* "name+0x12", or "0xffffffff80001234" when there is no name; like ksnprintf. */
size_t symbol_format(char *buf, size_t bytes, uintptr_t pc);

/* How many functions the table names; 0: there is no table. */
unsigned symbols_count(void);

/* Walks the whole table; NULL, or what is broken. */
const char *symbols_check(void);

#endif
