/*
 * Physical memory of which only pieces exist, for parsers that follow addresses. boot_memory() of
 * it.
 *
 * A piece is a copy in an allocation of its own, so that AddressSanitizer sees a read past its end.
 * File format (tests/data/boot/pvh): 8 bytes address of the start info, then for each piece 8
 * bytes address, 4 bytes length, the bytes; all little-endian.
 */
#ifndef TT_UNIT_SPARSE_MEMORY_H
#define TT_UNIT_SPARSE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define SPARSE_PIECES_MAX 32

struct sparse_piece {
    uint64_t at;
    size_t bytes;
    char *copy;
};

extern struct sparse_piece sparse[SPARSE_PIECES_MAX];
extern unsigned sparse_count;

void sparse_clear(void);

/* Adds a piece and returns its copy; what is full, or longer than 64 KiB, is left out (NULL). */
void *sparse_add(uint64_t at, const void *from, size_t bytes);

/* Reads the file format above, as far as it makes sense; the address of the start info. */
uint64_t sparse_load(const void *file, size_t bytes);

#endif
