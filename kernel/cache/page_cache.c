/* The page cache. Contract in page_cache.h. */
#include "cache/page_cache.h"

#include "core/atomic.h"

/* Fields of a page's: the first word of each in every shape that has chains. */
static uint32_t *inode_of(const struct page_cache *c, uint32_t page)
{
    return (uint32_t *)(c->inode + page * c->table.links.stride);
}

static uint32_t *offset_of(const struct page_cache *c, uint32_t page)
{
    return (uint32_t *)(c->offset + page * c->table.links.stride);
}

static uint32_t bucket(const struct page_cache *c, uint32_t inode, uint32_t offset)
{
    return c->hash(inode, offset, c->table.bits);
}

/* find_page() of 2.2: inode first, as most of a chain are other files'. lru is a constant, so that
 * no way of noting use costs the others a branch. */
static inline __attribute__((always_inline)) uint32_t find(struct page_cache *c, uint32_t inode,
                                                           uint32_t offset, enum cache_lru lru)
{
    for_each_in_chain(&c->table, bucket(c, inode, offset), page)
    {
        if (*inode_of(c, page) != inode || *offset_of(c, page) != offset)
            continue;
        fetch_add(page_field(c->pages, page, c->pages->shape->count), 1);
        if (lru == LRU_KIND_REFERENCED)
            fetch_or(page_flag_word(c->pages, page), PAGE_REFERENCED);
        if (lru == LRU_KIND_LIST)
            queue_touch(&c->queue, page);
        return page;
    }
    return PAGE_NR_NONE;
}

static uint32_t find_list(struct page_cache *c, uint32_t inode, uint32_t offset)
{
    return find(c, inode, offset, LRU_KIND_LIST);
}

static uint32_t find_referenced(struct page_cache *c, uint32_t inode, uint32_t offset)
{
    return find(c, inode, offset, LRU_KIND_REFERENCED);
}

static uint32_t find_none(struct page_cache *c, uint32_t inode, uint32_t offset)
{
    return find(c, inode, offset, LRU_KIND_NONE);
}

const char *page_cache_init(struct page_cache *c, const struct pages *pages,
                            const struct cache_setup *s, unsigned bits, void *memory)
{
    static uint32_t (*const finds[])(struct page_cache *, uint32_t,
                                     uint32_t) = {[LRU_KIND_LIST] = find_list,
                                                  [LRU_KIND_REFERENCED] = find_referenced,
                                                  [LRU_KIND_NONE] = find_none};
    const struct page_shape *shape = pages->shape;
    if (shape->next_hash == PAGE_NO_FIELD)
        return "these page descriptors have no hash chains; valid: page_struct=2.2 and 2.2l";
    if (pages->count > I386_PAGES)
        return I386_TOO_LARGE;
    struct links chain = links_of(pages->base, pages->stride, shape->next_hash, shape->pprev_hash);
    struct links use = links_of(pages->base, pages->stride, shape->next, shape->prev);
    c->pages = pages;
    c->lru = s->lru;
    c->hash = s->hash->page;
    c->find = finds[s->lru];
    c->inode = pages->base + shape->mapping;
    c->offset = pages->base + shape->index;
    c->hand = 0;
    table_init(&c->table, bits, &chain, memory);
    queue_init(&c->queue, &use);
    return NULL;
}

void page_cache_add(struct page_cache *c, uint32_t page, uint32_t inode, uint32_t offset)
{
    *inode_of(c, page) = inode;
    *offset_of(c, page) = offset;
    *page_field(c->pages, page, c->pages->shape->count) = 1; /* the cache's own */
    table_insert(&c->table, bucket(c, inode, offset), page);
    if (c->lru == LRU_KIND_LIST)
        queue_add(&c->queue, page);
}

void page_cache_put(struct page_cache *c, uint32_t page)
{
    fetch_add(page_field(c->pages, page, c->pages->shape->count), (uint32_t)-1);
}

void page_cache_remove(struct page_cache *c, uint32_t page)
{
    table_remove(&c->table, page);
    if (c->lru == LRU_KIND_LIST)
        queue_remove(&c->queue, page);
    *inode_of(c, page) = 0;
    page_cache_put(c, page);
}

static bool is_free(const struct page_cache *c, uint32_t page)
{
    return load_once(page_field(c->pages, page, c->pages->shape->count)) == 1;
}

static uint32_t oldest(struct page_cache *c, uint64_t *seen)
{
    uint32_t page = c->queue.first;
    for (uint32_t i = 0; i < c->queue.count; i++, page = *links_next(&c->queue.links, page)) {
        ++*seen;
        if (is_free(c, page))
            return page;
    }
    return PAGE_NR_NONE;
}

/* Twice round: the first time may only have cleared marks. */
static uint32_t next_unmarked(struct page_cache *c, uint64_t *seen)
{
    for (uint64_t i = 0; i < 2ul * c->pages->count; i++) {
        uint32_t page = c->hand;
        c->hand = page + 1 == c->pages->count ? 0 : page + 1;
        ++*seen;
        if (!*inode_of(c, page) || !is_free(c, page))
            continue;
        uint32_t *flags = page_flag_word(c->pages, page);
        if (!(load_once(flags) & PAGE_REFERENCED))
            return page;
        fetch_and(flags, ~PAGE_REFERENCED);
    }
    return PAGE_NR_NONE;
}

uint32_t page_cache_victim(struct page_cache *c, uint64_t *seen)
{
    return c->lru == LRU_KIND_LIST ? oldest(c, seen) : next_unmarked(c, seen);
}

static uint32_t bucket_of(const void *arg, uint32_t page)
{
    const struct page_cache *c = arg;
    return bucket(c, *inode_of(c, page), *offset_of(c, page));
}

const char *page_cache_check(const struct page_cache *c)
{
    const char *broken = table_check(&c->table, c->pages->count, bucket_of, c);
    if (!broken)
        broken = queue_check(&c->queue, c->pages->count);
    if (!broken && c->lru == LRU_KIND_LIST && c->queue.count != c->table.count)
        broken = "page cache: not all pages are in the queue";
    return broken;
}
