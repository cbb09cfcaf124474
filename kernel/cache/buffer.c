/* The buffer cache. Contract in buffer.h. */
#include "cache/buffer.h"

#include "core/atomic.h"

static uint32_t bucket(const struct buffer_cache *c, uint32_t dev, uint32_t block)
{
    return c->hash(dev, block, c->table.bits);
}

/*
 * get_hash_table(), and what getblk() does with what that finds. lru and flushtime are constants,
 * so that the branch which seed 003 speaks of is there or is not.
 */
static inline __attribute__((always_inline)) uint32_t getblk(struct buffer_cache *c, uint32_t dev,
                                                             uint32_t block, uint32_t size,
                                                             enum cache_lru lru, bool flushtime)
{
    for_each_in_chain(&c->table, bucket(c, dev, block), nr)
    {
        struct buffer_head *b = buffer_at(c, nr);
        if (b->blocknr != block || b->size != size || b->dev != dev)
            continue;
        b->count++;
        if ((lru == LRU_KIND_LIST || flushtime) && !(b->state & BUFFER_DIRTY)) {
            if (lru == LRU_KIND_LIST && (b->state & BUFFER_UPTODATE))
                queue_touch(&c->list[b->list], nr);
            if (flushtime)
                b->flushtime = 0;
        }
        if (lru == LRU_KIND_REFERENCED)
            fetch_or(page_flag_word(c->pages, i386_page(b->data)), PAGE_REFERENCED);
        return nr;
    }
    return TABLE_NONE;
}

#define GETBLK(name, lru, flushtime)                                                               \
    static uint32_t name(struct buffer_cache *c, uint32_t dev, uint32_t block, uint32_t size)      \
    {                                                                                              \
        return getblk(c, dev, block, size, lru, flushtime);                                        \
    }

GETBLK(getblk_list, LRU_KIND_LIST, false)
GETBLK(getblk_list_flushtime, LRU_KIND_LIST, true)
GETBLK(getblk_referenced, LRU_KIND_REFERENCED, false)
GETBLK(getblk_referenced_flushtime, LRU_KIND_REFERENCED, true)
GETBLK(getblk_none, LRU_KIND_NONE, false)
GETBLK(getblk_none_flushtime, LRU_KIND_NONE, true)

const char *buffer_cache_init(struct buffer_cache *c, void *base, const struct pages *pages,
                              const struct cache_setup *s, bool flushtime, unsigned bits,
                              void *memory)
{
    static uint32_t (*const all[][2])(struct buffer_cache *, uint32_t, uint32_t, uint32_t) = {
        [LRU_KIND_LIST] = {getblk_list, getblk_list_flushtime},
        [LRU_KIND_REFERENCED] = {getblk_referenced, getblk_referenced_flushtime},
        [LRU_KIND_NONE] = {getblk_none, getblk_none_flushtime}};
    struct links chain = links_of(base, BUFFER_UNIT, offsetof(struct buffer_head, next),
                                  offsetof(struct buffer_head, pprev));
    struct links use = links_of(base, BUFFER_UNIT, offsetof(struct buffer_head, next_free),
                                offsetof(struct buffer_head, prev_free));
    if (!s->hash->buffer)
        return "this hash= is for pages only; valid for buffers: 2.2, 2.2.16, mul, mul11";
    if (pages->count > I386_PAGES)
        return I386_TOO_LARGE;
    c->base = base;
    c->pages = pages;
    c->hash = s->hash->buffer;
    c->getblk = all[s->lru][flushtime];
    table_init(&c->table, bits, &chain, memory);
    for (unsigned i = 0; i < BUFFER_LISTS; i++)
        queue_init(&c->list[i], &use);
    return NULL;
}

void buffer_cache_add(struct buffer_cache *c, uint32_t nr, uint32_t dev, uint32_t block,
                      uint32_t size, uint32_t data)
{
    *buffer_at(c, nr) = (struct buffer_head){.blocknr = block,
                                             .size = size,
                                             .dev = (uint16_t)dev,
                                             .rdev = (uint16_t)dev,
                                             .state = BUFFER_UPTODATE,
                                             .data = data,
                                             .list = BUFFER_LIST_CLEAN};
    table_insert(&c->table, bucket(c, dev, block), nr);
    queue_add(&c->list[BUFFER_LIST_CLEAN], nr);
}

void buffer_cache_remove(struct buffer_cache *c, uint32_t nr)
{
    table_remove(&c->table, nr);
    queue_remove(&c->list[buffer_at(c, nr)->list], nr);
}

void buffer_mark_dirty(struct buffer_cache *c, uint32_t nr, uint32_t flushtime)
{
    struct buffer_head *b = buffer_at(c, nr);
    queue_remove(&c->list[b->list], nr);
    b->state |= BUFFER_DIRTY;
    b->list = BUFFER_LIST_DIRTY;
    b->flushtime = flushtime;
    queue_add(&c->list[b->list], nr);
}

static uint32_t bucket_of(const void *arg, uint32_t nr)
{
    const struct buffer_cache *c = arg;
    const struct buffer_head *b = buffer_at(c, nr);
    return bucket(c, b->dev, b->blocknr);
}

const char *buffer_cache_check(const struct buffer_cache *c, uint32_t limit)
{
    const char *broken = table_check(&c->table, limit, bucket_of, c);
    uint32_t listed = 0;
    for (unsigned i = 0; i < BUFFER_LISTS && !broken; i++) {
        broken = queue_check(&c->list[i], limit);
        listed += c->list[i].count;
        uint32_t nr = c->list[i].first;
        for (uint32_t n = 0; n < c->list[i].count && !broken; n++) {
            const struct buffer_head *b = buffer_at(c, nr);
            if (b->list != i || !(b->state & BUFFER_DIRTY) != (i == BUFFER_LIST_CLEAN))
                broken = "buffers: one is on another list than it says, or than its state";
            nr = b->next_free;
        }
    }
    return broken || listed == c->table.count ? broken : "buffers: not all are on a list";
}
