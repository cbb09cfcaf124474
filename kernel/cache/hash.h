/*
 * Hash functions of the caches, as kernels had them and as was proposed: the factor hash=.
 *
 * Keys are those of a 32-bit kernel: a page's are the address of its inode (cache/address.h) and
 * its offset in the file in bytes, or the swap cache's own inode and the swap entry; a buffer's are
 * its device and block; a dentry's its parent's address and a hash of its name; an inode's the
 * address of its file system and its number there. A function gives a bucket of 2^bits. All pure.
 *
 * Sources: Linux 2.2.1 and 2.2.16 (include/linux/pagemap.h, fs/buffer.c, dcache.c, inode.c); Lever,
 * May 1999 (seed 003), and CITI TR 00-1, 2000; Knuth vol. 3, 6.4.
 */
#ifndef TT_CACHE_HASH_H
#define TT_CACHE_HASH_H

#include "mm/cache_setup.h"

struct hash_kind {
    const char *name; /* "2.2" */
    const char *rule;
    uint32_t (*page)(uint32_t inode, uint32_t offset, unsigned bits);
    /* NULL: a kind for pages only. */
    uint32_t (*buffer)(uint32_t dev, uint32_t block, unsigned bits);
    uint32_t (*dentry)(uint32_t parent, uint32_t name_hash, unsigned bits);
    uint32_t (*inode)(uint32_t sb, uint32_t ino, unsigned bits);
};

/* Every kind, NULL-terminated. */
extern const struct hash_kind *const hash_kinds[];

/* Sizes of tables: 2^bits buckets. 2^20 pages are the 4 GiB that 32-bit addresses reach. */
#define HASH_BITS_MIN 1
#define HASH_BITS_MAX 20
#define HASH_BITS_OWN 0   /* as large as the kernel had it */
#define HASH_BITS_RAM 255 /* by the memory there is, hash_bits_of_ram() */

/* "2.2", "mul:14", "2.2:ram": 0, or -TT_EINVAL with what would be valid. */
int hash_parse(const char *s, struct cache_setup *out, char *err, size_t err_bytes);

/* The bits of a level's table, which its kernel had with `own`, over so much memory. */
unsigned hash_bits(const struct cache_setup *s, unsigned own, uint64_t ram_bytes);

/* Ledford's "page_shift", March 1999: as many buckets as four pages, or up to eight, go into the
 * memory; at least 2^10. */
unsigned hash_bits_of_ram(uint64_t bytes);

#endif
