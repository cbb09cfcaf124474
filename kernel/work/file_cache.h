/*
 * A page cache full of files, and of swapped pages, over an instance: what pagehash looks up.
 *
 * Inodes first, then the pages of their files in order: so directories are walked before files are
 * read. Inodes are packed into pages that the instance's allocator gives (cache/address.h); sizes
 * are those of files.h. Every page of a file is in the cache. Pages of the swap cache come in
 * between, at consecutive entries. Nothing here is measured.
 */
#ifndef TT_WORK_FILE_CACHE_H
#define TT_WORK_FILE_CACHE_H

#include "cache/page_cache.h"
#include "core/rng.h"
#include "mm/memory.h"

struct file {
    uint32_t inode;
    uint32_t first, pages; /* in file_cache.page[] */
};

struct file_cache {
    struct page_cache cache;
    struct memory *memory;
    struct file *file;
    uint32_t files;  /* that are in the cache */
    uint32_t inodes; /* of so many files */
    uint32_t *page;  /* descriptors: of all files, in order */
    uint32_t pages;
    uint32_t *swap; /* of the swap cache, by entry - 1 */
    uint32_t swaps;
    uint32_t inode_page; /* the last one */
};

/* Empty, with the sizes of so many files, and room for them and for a third as many pages of the
 * swap cache. NULL, or why it cannot be. file_cache_free() in either case. */
const char *file_cache_init(struct file_cache *f, struct memory *m, uint32_t files, uint64_t seed);
void file_cache_free(struct file_cache *f);

/* Gives so many files an inode. False: the instance had no page left. */
bool file_cache_add_inodes(struct file_cache *f, uint32_t files);

/* Adds files until there are so many, and with swap so many pages of the swap cache that they are a
 * quarter of all. False: the instance had no page left. */
bool file_cache_fill(struct file_cache *f, uint32_t files, bool swap);

/* A run of consecutive pages to look up. */
struct file_key {
    uint32_t inode;
    uint32_t at; /* offset of the first; how many in the low byte, which is 0 in offsets */
};

#define FILE_KEY_PAGES 0xffu

/* What lies between the offsets of a run's pages. */
static inline uint32_t file_key_step(uint32_t inode)
{
    return inode == SWAPPER_INODE ? SWAP_ENTRY(1) : (uint32_t)PAGE_SIZE;
}

/*
 * Draws what to look up, all pages being equally likely: one page (single), or a whole file or
 * SWAP_CLUSTER pages of the swap cache. Adds the numbers of the pages that are there to *sum.
 */
#define SWAP_CLUSTER 16u /* 2.2 read that many at once (page_cluster) */
struct file_key file_cache_draw(const struct file_cache *f, struct rng *rng, bool single,
                                uint64_t *sum);

/* Mean probes of the swap cache's pages alone. Precondition: there are some. */
double file_cache_swap_probes(const struct file_cache *f);

/* Takes every page out again; NULL, or what is left: a reference, a page. */
const char *file_cache_empty(struct file_cache *f);

#endif
