/*
 * The caches of names: dentries by parent and name, and inodes by file system and number, as Linux
 * 2.2's fs/dcache.c and fs/inode.c found them.
 *
 * Objects have the fields and widths of i386 as far as a lookup comes, and lie in pages of the
 * instance's allocator, which the caller has: dentries 128 bytes apart (SLAB_HWCACHE_ALIGN), inodes
 * packed (cache/address.h). Addresses in keys are i386's. One CPU at a time, as with page_cache.h.
 */
#ifndef TT_CACHE_NAMES_H
#define TT_CACHE_NAMES_H

#include "cache/address.h"
#include "cache/hash.h"
#include "cache/table.h"

/* Numbers of objects count these bytes from a base. */
#define NAMES_UNIT 4u

#define DENTRY_HASH_BITS 10 /* 2.2.1's tables */
#define INODE_HASH_BITS  8

#define DENTRY_STRIDE 128u
#define DENTRY_NAME   16u /* longer names lay elsewhere */

struct dentry {
    uint32_t count, flags, inode;
    uint32_t parent; /* its address */
    uint32_t mounts, covers;
    uint32_t hash_next, hash_prev;
    uint32_t lru[2], child[2], subdirs[2], alias[2];
    uint32_t name, len, hash; /* d_name */
    uint32_t time;
    uint32_t op; /* 0: names in this directory are compared byte by byte */
    uint32_t sb, reftime, fsdata;
    uint8_t iname[DENTRY_NAME];
};

struct inode {
    uint32_t hash_next, hash_prev;
    uint32_t list[2], dentry[2];
    uint32_t ino, count;
    uint32_t other[18];
    uint32_t sb; /* its address */
};

_Static_assert(sizeof(struct dentry) <= DENTRY_STRIDE, "fits");
_Static_assert(sizeof(struct inode) <= INODE_BYTES, "fits");

struct name {
    uint32_t hash;
    uint8_t len;
    uint8_t text[DENTRY_NAME - 1];
};

/* full_name_hash() of 2.2: four bits to a character. */
uint32_t name_hash(const uint8_t *text, uint32_t len);

struct name_cache {
    uint8_t *base;
    struct table table;
    uint32_t (*hash)(uint32_t a, uint32_t b, unsigned bits); /* of dentries, or of inodes */
};

/* Empty caches with a table in memory. NULL, or why it cannot be. */
const char *dentry_cache_init(struct name_cache *c, void *base, const struct cache_setup *s,
                              unsigned bits, void *memory);
const char *inode_cache_init(struct name_cache *c, void *base, const struct cache_setup *s,
                             unsigned bits, void *memory);

static inline struct dentry *dentry_at(const struct name_cache *c, uint32_t nr)
{
    return (struct dentry *)(c->base + (size_t)nr * NAMES_UNIT);
}

static inline struct inode *inode_at(const struct name_cache *c, uint32_t nr)
{
    return (struct inode *)(c->base + (size_t)nr * NAMES_UNIT);
}

/* An object's address as i386 had it: numbers are from the lowest frame up, below NAMES_MAX. */
#define NAMES_MAX (1u << 30)
static inline uint32_t names_address(uint32_t nr)
{
    return I386_PAGE_OFFSET + nr * NAMES_UNIT;
}

/* parent: the number of a dentry; a root is its own. */
void dentry_add(struct name_cache *c, uint32_t nr, uint32_t parent, const struct name *name);
void inode_add(struct name_cache *c, uint32_t nr, uint32_t sb, uint32_t ino);

/* d_lookup(), and iget() as far as find_inode(): the object with one more reference; TABLE_NONE. */
uint32_t dentry_find(struct name_cache *c, uint32_t parent, const struct name *name);
uint32_t inode_find(struct name_cache *c, uint32_t sb, uint32_t ino);

/* The tables; NULL, or what is broken. limit: numbers are below. */
const char *dentry_cache_check(const struct name_cache *c, uint32_t limit);
const char *inode_cache_check(const struct name_cache *c, uint32_t limit);

#endif
