/*
 * Caches of names full of files, over an instance: what `names` looks up.
 *
 * Two ext2 file systems with directories of 15 files each, below their roots. A directory's inodes
 * have consecutive numbers in a block group of 2048 that few others share. Names are 3 to 12 small
 * letters, and an ending in two of three. Dentries and inodes come in the order of a walk through
 * the directories, from pages that the instance's allocator gives.
 */
#ifndef TT_WORK_NAME_CACHES_H
#define TT_WORK_NAME_CACHES_H

#include "cache/names.h"
#include "core/rng.h"
#include "mm/memory.h"

#define NAMES_SYSTEMS   2u
#define NAMES_DIRECTORY 16u /* one and its files */

/* A name in its directory, and where its dentry and its inode are. */
struct named {
    struct name name;
    uint32_t parent, dentry; /* numbers */
    uint32_t sb, ino, inode;
};

struct name_caches {
    struct name_cache dentries, inodes;
    struct named *named;
    uint32_t count;
    uint32_t dentry_limit, inode_limit; /* numbers are below */
};

/* Fills both caches with n names and their inodes. NULL, or why it cannot be; name_caches_free() in
 * either case. */
const char *name_caches_init(struct name_caches *c, struct memory *m, uint32_t n, uint64_t seed);
void name_caches_free(struct name_caches *c);

/* Bytes of both tables. */
size_t name_caches_tables(const struct cache_setup *s, uint64_t ram_bytes);

/* No reference must be left, and the tables whole; NULL, or what is wrong. */
const char *name_caches_check(const struct name_caches *c);

#endif
