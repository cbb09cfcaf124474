/*
 * The page cache, and in it the swap cache: pages found by inode and offset in one hash table whose
 * chains run through the page descriptors, as in Linux 2.2.
 *
 * The shape must have the fields for that (page_struct=2.2 or 2.2l). Keys are a 32-bit kernel's
 * (cache/address.h): a page of the swap cache has the inode SWAPPER_INODE and a SWAP_ENTRY for its
 * offset. lru=list threads the pages through next and prev, with which 2.2 kept the list of an
 * inode's pages.
 *
 * One CPU at a time: 2.2 had the kernel lock for it, which is the caller's.
 */
#ifndef TT_CACHE_PAGE_CACHE_H
#define TT_CACHE_PAGE_CACHE_H

#include "cache/address.h"
#include "cache/hash.h"
#include "cache/queue.h"
#include "mm/page.h"

#define PAGE_HASH_BITS 11 /* 2.2.1's table */

struct page_cache {
    const struct pages *pages;
    struct table table;
    struct queue queue; /* of lru=list */
    enum cache_lru lru;
    uint32_t (*hash)(uint32_t inode, uint32_t offset, unsigned bits);
    uint32_t (*find)(struct page_cache *c, uint32_t inode, uint32_t offset);
    uint8_t *inode, *offset; /* these fields of descriptor 0; inode 0: a page in no cache */
    uint32_t hand;           /* of page_cache_victim(): the next descriptor */
};

/* Empty, with a table of 2^bits buckets in memory. NULL, or why these descriptors cannot do it. */
const char *page_cache_init(struct page_cache *c, const struct pages *pages,
                            const struct cache_setup *s, unsigned bits, void *memory);

/* Preconditions: page is in use, in no cache; nothing is at this place yet. */
void page_cache_add(struct page_cache *c, uint32_t page, uint32_t inode, uint32_t offset);

/* The page at this place with one more reference, noted as used; PAGE_NR_NONE: there is none. */
static inline uint32_t page_cache_find(struct page_cache *c, uint32_t inode, uint32_t offset)
{
    return c->find(c, inode, offset);
}

/* Gives the reference back. */
void page_cache_put(struct page_cache *c, uint32_t page);

void page_cache_remove(struct page_cache *c, uint32_t page);

/*
 * The page to give up: in the cache, and nobody has a reference to it but the cache. With a list it
 * is the one that was not used for longest. Else the next in the array of descriptors, from where
 * the last search ended, that is not marked; marks that are passed are cleared (shrink_mmap() of
 * 2.2; "second chance"). *seen grows by the descriptors looked at. PAGE_NR_NONE: there is none.
 */
uint32_t page_cache_victim(struct page_cache *c, uint64_t *seen);

/* The table, and the queue of lru=list; NULL, or what is broken. */
const char *page_cache_check(const struct page_cache *c);

#endif
