/*
 * Cache arrays: set-up, hashed indexes, removal. The paths walked on every access are inline in
 * cache.h.
 */
#include "tools/model/cache.h"

#include <stdlib.h>

static uint32_t log2_floor(uint64_t value)
{
    uint32_t bits = 0;

    while (value >>= 1) {
        bits++;
    }
    return bits;
}

int cache_init(struct cache *cache, const struct machine *machine, uint32_t level)
{
    const struct machine_level *info = &machine->level[level];
    uint64_t way_bytes = info->size_bytes / info->ways;
    uint32_t line_shift = log2_floor(machine->line_bytes);

    memset(cache, 0, sizeof(*cache));
    cache->ways = info->ways;
    while (1u << cache->set_shift < cache->ways) {
        cache->set_shift++;
    }
    cache->sets = machine_sets(machine, level);
    if ((cache->sets & (cache->sets - 1)) == 0) {
        cache->set_mask = cache->sets - 1;
    }
    cache->hash_bits = info->hash_bits;
    cache->plain_bits = log2_floor(cache->sets) - info->hash_bits;
    cache->plain_mask = (1u << cache->plain_bits) - 1;
    for (uint32_t bit = 0; bit < info->hash_bits; bit++) {
        cache->hash_mask[bit] = info->hash_mask[bit] >> line_shift;
    }
    cache->positions = 1;
    if (info->virtual_index && way_bytes > machine->page_bytes) {
        cache->positions = (uint32_t)(way_bytes / machine->page_bytes);
    }
    cache->plain_index = cache->positions == 1 && cache->hash_bits == 0 &&
                         (cache->set_mask != 0 || cache->sets == 1);
    cache->page_line_mask = machine->page_bytes / machine->line_bytes - 1;
    cache->entry = calloc((size_t)cache->sets << cache->set_shift, sizeof(*cache->entry));
    if (cache->positions > 1 && (uint64_t)cache->positions * cache->ways <= UINT8_MAX &&
        cache->page_line_mask < 1u << CACHE_HELD_OWN_BITS) {
        cache->held = calloc(CACHE_HELD_COUNTERS, sizeof(*cache->held));
        if (!cache->held) {
            return -1;
        }
    }
    return cache->entry ? 0 : -1;
}

void cache_destroy(struct cache *cache)
{
    free(cache->entry);
    free(cache->held);
    cache->entry = NULL;
    cache->held = NULL;
}

void cache_clear(struct cache *cache)
{
    memset(cache->entry, 0, ((size_t)cache->sets << cache->set_shift) * sizeof(*cache->entry));
    if (cache->held) {
        memset(cache->held, 0, CACHE_HELD_COUNTERS * sizeof(*cache->held));
    }
}

uint32_t cache_set_hashed(const struct cache *cache, uint64_t line)
{
    uint32_t set;

    if (cache->hash_bits == 0) {
        return (uint32_t)(line % cache->sets);
    }
    set = (uint32_t)line & cache->plain_mask;
    for (uint32_t bit = 0; bit < cache->hash_bits; bit++) {
        uint32_t parity = (uint32_t)__builtin_parityll(line & cache->hash_mask[bit]);

        set |= parity << (cache->plain_bits + bit);
    }
    return set;
}

uint64_t *cache_find_all(struct cache *cache, uint64_t line)
{
    for (uint32_t position = 0; position < cache->positions; position++) {
        uint64_t lines_per_page = (uint64_t)cache->page_line_mask + 1;
        uint64_t virtual_line = (line & cache->page_line_mask) + position * lines_per_page;
        uint64_t *entry = cache_set_entries(cache, cache_set(cache, virtual_line, line));

        for (uint32_t way = 0; way < cache->ways; way++) {
            if (entry[way] >> 2 == line + 1) {
                return &entry[way];
            }
        }
    }
    return NULL;
}

void cache_remove(struct cache *cache, uint64_t *entry)
{
    uint64_t way = (uint64_t)(entry - cache->entry) & ((UINT64_C(1) << cache->set_shift) - 1);

    if (cache->held) {
        (*cache_held(cache, cache_entry_line(*entry)))--;
    }
    memmove(entry, entry + 1, (cache->ways - 1 - way) * sizeof(*entry));
    entry[cache->ways - 1 - way] = 0;
}
