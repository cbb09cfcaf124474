/*
 * Hash tables with chains threaded through the objects, as Linux 2.2 had for pages and buffers:
 * each object has the number of the next one in its chain, and where the link to itself stands, so
 * that it can be taken out without a walk.
 *
 * Objects are numbers: number nr lies at base + nr * stride, so that page descriptors of any stride
 * and buffer heads in scattered pages are the same to a table. Links are 32 bits wide, as the
 * pointers of that time were. Only table_insert and table_remove touch links, heads and the count.
 */
#ifndef TT_CACHE_TABLE_H
#define TT_CACHE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define TABLE_NONE   UINT32_MAX
#define TABLE_BUCKET 0x80000000u /* in a back link: the head of this bucket, not an object */

/* Objects that a table or a queue links, by two fields of theirs. */
struct links {
    uint8_t *next, *prev; /* these fields of object 0 */
    uint64_t stride;
};

static inline struct links links_of(void *base, uint64_t stride, unsigned next, unsigned prev)
{
    return (struct links){(uint8_t *)base + next, (uint8_t *)base + prev, stride};
}

static inline uint32_t *links_next(const struct links *l, uint32_t nr)
{
    return (uint32_t *)(l->next + nr * l->stride);
}

static inline uint32_t *links_prev(const struct links *l, uint32_t nr)
{
    return (uint32_t *)(l->prev + nr * l->stride);
}

struct table {
    uint32_t *head; /* [1 << bits] */
    unsigned bits;
    struct links links; /* next: of the chain; prev: an object, or TABLE_BUCKET | bucket */
    uint32_t count;     /* of objects in it */
};

static inline size_t table_bytes(unsigned bits)
{
    return sizeof(uint32_t) << bits;
}

/* Empty, in memory of table_bytes(bits). Numbers of objects are below TABLE_BUCKET. */
void table_init(struct table *t, unsigned bits, const struct links *links, void *memory);

/* At the front of the bucket's chain. Precondition: it is in no chain. */
void table_insert(struct table *t, uint32_t bucket, uint32_t nr);

/* Out of the chain that it is in. */
void table_remove(struct table *t, uint32_t nr);

#define for_each_in_chain(t, bucket, nr)                                                           \
    for (uint32_t nr = (t)->head[bucket]; nr != TABLE_NONE; nr = *links_next(&(t)->links, nr))

/* How the objects are spread. */
struct table_shape {
    uint32_t used;    /* buckets with objects */
    uint32_t longest; /* chain */
    uint64_t probes;  /* objects looked at when each is looked up once */
};
struct table_shape table_shape(const struct table *t);

/* Back links, bounds and count; NULL, or what is broken. bucket_of: the bucket that an object
 * belongs to; limit: numbers are below. */
const char *table_check(const struct table *t, uint32_t limit,
                        uint32_t (*bucket_of)(const void *arg, uint32_t nr), const void *arg);

#endif
