/*
 * A buffer cache full of blocks, over an instance: what getblk looks up.
 *
 * Two disks of 64 ext2 block groups (8192 blocks of 1 kB each). In use of each group are 40 blocks:
 * the bitmaps and the beginning of the inode table, at the same place in every group, and a run of
 * data somewhere in it. Four of five, drawn at random, are in the cache. Heads are packed into
 * pages that the instance's allocator gives; pages of data are its, too, and never touched.
 */
#ifndef TT_WORK_BLOCK_CACHE_H
#define TT_WORK_BLOCK_CACHE_H

#include "cache/buffer.h"
#include "core/rng.h"
#include "mm/memory.h"

#define BLOCK_BYTES  1024u
#define BLOCK_DISKS  2u
#define BLOCK_GROUPS 64u
#define BLOCK_TABLE  20u /* blocks of a group: bitmaps and inodes */
#define BLOCK_DATA   20u
#define BLOCKS       (BLOCK_DISKS * BLOCK_GROUPS * (BLOCK_TABLE + BLOCK_DATA))
#define BUFFERS      (BLOCKS / 5 * 4)

struct block {
    uint32_t dev, number;
};

/* All blocks in use, no two the same, in random order. */
void block_list(struct block block[BLOCKS], struct rng *rng);

struct block_cache {
    struct buffer_cache cache;
    struct block block[BLOCKS];
    uint32_t head[BUFFERS]; /* of block[i] */
    uint32_t limit;         /* numbers of heads are below */
    uint32_t dirty;         /* so many of the first blocks */
};

/* Fills the cache with the first BUFFERS blocks, clean. NULL, or why it cannot be. */
const char *block_cache_init(struct block_cache *b, struct memory *m, bool flushtime,
                             uint64_t seed);

/* Memory of the i-th page of heads: for naming it. */
#define BLOCK_HEAD_PAGES ((BUFFERS + BUFFERS_PER_PAGE - 1) / BUFFERS_PER_PAGE)
static inline void *block_cache_heads(const struct block_cache *b, uint32_t i)
{
    return buffer_at(&b->cache, b->head[i * BUFFERS_PER_PAGE]);
}

/* Makes more buffers dirty, until so many percent are. */
void block_cache_dirty(struct block_cache *b, uint32_t percent);

/* Takes every block out again; NULL, or what is left: a reference, a block. */
const char *block_cache_empty(struct block_cache *b);

#endif
