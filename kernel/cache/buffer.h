/*
 * The buffer cache: blocks of devices, found by device and number, as Linux 2.2's fs/buffer.c had
 * them up to what getblk() does when it finds one.
 *
 * Of a hit 2.2.7 does, under the kernel lock: b_count up, and unless the buffer is dirty, it is put
 * last in the LRU list (lru=list) and its flush time cleared (flushtime). By 2.2.16 the first had
 * gone and the second was left. lru=referenced is what touch_buffer() would be by its comment there
 * (and by seed 003): a bit in the flags of the page that holds the data.
 *
 * Heads have the layout of i386, 72 bytes on 32-byte boundaries (SLAB_HWCACHE_ALIGN); they lie in
 * pages of the instance's allocator, which the caller has. Head number nr lies at base + 32 * nr.
 */
#ifndef TT_CACHE_BUFFER_H
#define TT_CACHE_BUFFER_H

#include "cache/address.h"
#include "cache/hash.h"
#include "cache/queue.h"
#include "mm/page.h"

/* Fields, order and widths of Linux 2.2.7 on i386; links are numbers, and data an address there. */
struct buffer_head {
    uint32_t next; /* of the hash chain */
    uint32_t blocknr;
    uint32_t size;
    uint16_t dev, rdev;
    uint32_t rsector;
    uint32_t this_page;
    uint32_t state; /* BUFFER_UPTODATE, BUFFER_DIRTY */
    uint32_t next_free;
    uint32_t count;
    uint32_t data;
    uint32_t list; /* enum buffer_list */
    uint32_t flushtime;
    uint32_t wait;
    uint32_t pprev; /* of the hash chain */
    uint32_t prev_free;
    uint32_t reqnext;
    uint32_t end_io;
    uint32_t dev_id;
};

/* The code of a 2.2.16 that somebody disassembled for linux-kernel in February 2001. */
_Static_assert(offsetof(struct buffer_head, state) == 0x18, "getblk: mov 0x18(%ebx),%eax");
_Static_assert(offsetof(struct buffer_head, next_free) == 0x1c, "getblk: mov 0x1c(%ebx),%eax");
_Static_assert(offsetof(struct buffer_head, flushtime) == 0x2c, "getblk: movl $0,0x2c(%ebx)");
_Static_assert(offsetof(struct buffer_head, prev_free) == 0x38, "getblk: mov 0x38(%ebx),%eax");

#define BUFFER_UNIT      32u /* bytes that numbers count */
#define BUFFER_STRIDE    96u /* from head to head in a page */
#define BUFFERS_PER_PAGE ((uint32_t)PAGE_SIZE / BUFFER_STRIDE)

#define BUFFER_UPTODATE 1u
#define BUFFER_DIRTY    2u

#define BUFFER_HASH_BITS 15 /* of 2.2's table: 2^5 pages of pointers */

enum buffer_list { BUFFER_LIST_CLEAN, BUFFER_LIST_DIRTY, BUFFER_LISTS };

struct buffer_cache {
    uint8_t *base;
    const struct pages *pages; /* of the data */
    struct table table;
    struct queue list[BUFFER_LISTS];
    uint32_t (*hash)(uint32_t dev, uint32_t block, unsigned bits);
    uint32_t (*getblk)(struct buffer_cache *c, uint32_t dev, uint32_t block, uint32_t size);
};

/* Empty, with a table of 2^bits buckets in memory. NULL, or why it cannot be. */
const char *buffer_cache_init(struct buffer_cache *c, void *base, const struct pages *pages,
                              const struct cache_setup *s, bool flushtime, unsigned bits,
                              void *memory);

static inline struct buffer_head *buffer_at(const struct buffer_cache *c, uint32_t nr)
{
    return (struct buffer_head *)(c->base + (size_t)nr * BUFFER_UNIT);
}

/* A new block, clean and read, its data at an address of cache/address.h. Precondition: it is not
 * there yet; the head is in no use. */
void buffer_cache_add(struct buffer_cache *c, uint32_t nr, uint32_t dev, uint32_t block,
                      uint32_t size, uint32_t data);
void buffer_cache_remove(struct buffer_cache *c, uint32_t nr);

/* Written to: onto the other list, to be flushed at the time. */
void buffer_mark_dirty(struct buffer_cache *c, uint32_t nr, uint32_t flushtime);

/* What getblk() does up to a hit: the head with one more reference, noted as used; TABLE_NONE. */
static inline uint32_t buffer_getblk(struct buffer_cache *c, uint32_t dev, uint32_t block,
                                     uint32_t size)
{
    return c->getblk(c, dev, block, size);
}

/* Gives the reference back: brelse(). */
static inline void buffer_release(struct buffer_cache *c, uint32_t nr)
{
    buffer_at(c, nr)->count--;
}

/* The table, the lists and who is on which; NULL, or what is broken. limit: numbers are below. */
const char *buffer_cache_check(const struct buffer_cache *c, uint32_t limit);

#endif
