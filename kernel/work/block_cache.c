/* A buffer cache full of blocks. Contract in block_cache.h. */
#include "work/block_cache.h"

#include "work/slab.h"

#define GROUP_BLOCKS 8192u /* as many as one block has bits */
#define FIRST        3u    /* behind the copies of superblock and group descriptors */
#define STREAM       0x626c6f63u

/* sda1, sdb1 */
static const uint32_t devices[BLOCK_DISKS] = {0x801, 0x811};

void block_list(struct block block[BLOCKS], struct rng *rng)
{
    const uint32_t free = FIRST + BLOCK_TABLE;
    uint32_t n = 0;
    for (uint32_t i = 0; i < BLOCK_DISKS * BLOCK_GROUPS; i++) {
        uint32_t dev = devices[i / BLOCK_GROUPS], group = i % BLOCK_GROUPS * GROUP_BLOCKS;
        uint32_t data = free + rng_below(rng, GROUP_BLOCKS - free - BLOCK_DATA);
        for (uint32_t k = 0; k < BLOCK_TABLE; k++)
            block[n++] = (struct block){dev, group + FIRST + k};
        for (uint32_t k = 0; k < BLOCK_DATA; k++)
            block[n++] = (struct block){dev, group + data + k};
    }
    for (uint32_t i = BLOCKS; i > 1; i--) {
        uint32_t j = rng_below(rng, i);
        struct block other = block[i - 1];
        block[i - 1] = block[j];
        block[j] = other;
    }
}

static const char *fill(struct block_cache *b, struct memory *m)
{
    const uint32_t in_page = (uint32_t)PAGE_SIZE / BLOCK_BYTES;
    struct slab heads = {.memory = m, .stride = BUFFER_STRIDE, .unit = BUFFER_UNIT};
    uint32_t data = 0;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        uint32_t head = slab_next(&heads, TABLE_BUCKET);
        if (i % in_page == 0)
            data = take_page(m, i / in_page);
        if (head == TABLE_NONE || data == PAGE_NR_NONE)
            return "no memory left for buffers; valid: a larger subject=";
        b->head[i] = head;
        b->limit = (uint32_t)max_u64(b->limit, head + 1);
        buffer_cache_add(&b->cache, head, b->block[i].dev, b->block[i].number, BLOCK_BYTES,
                         i386_address(data) + i % in_page * BLOCK_BYTES);
    }
    return NULL;
}

const char *block_cache_init(struct block_cache *b, struct memory *m, bool flushtime, uint64_t seed)
{
    const struct cache_setup *setup = &m->setup->cache;
    unsigned bits = hash_bits(setup, BUFFER_HASH_BITS, (uint64_t)m->pages.count << PAGE_SHIFT);
    struct rng rng = rng_stream(seed, STREAM);
    const char *why =
        buffer_cache_init(&b->cache, slab_base(m), &m->pages, setup, flushtime, bits, m->tables);
    b->limit = b->dirty = 0;
    block_list(b->block, &rng);
    return why ? why : fill(b, m);
}

void block_cache_dirty(struct block_cache *b, uint32_t percent)
{
    for (; b->dirty < BUFFERS / 100.0 * percent; b->dirty++)
        buffer_mark_dirty(&b->cache, b->head[b->dirty], 3000); /* 30 s in 1/100 s */
}

const char *block_cache_empty(struct block_cache *b)
{
    for (uint32_t i = 0; i < BUFFERS; i++) {
        buffer_cache_remove(&b->cache, b->head[i]);
        if (buffer_at(&b->cache, b->head[i])->count)
            return "a buffer keeps a reference";
    }
    if (b->cache.table.count)
        return "blocks are left in the cache";
    return buffer_cache_check(&b->cache, b->limit);
}
