/*
 * One set-associative array of lines with exact LRU: knows places and states, nothing of levels,
 * CPUs or time.
 *
 * Invariants: the entries of a set are ordered most recent first, the empty ones behind all
 * others; a line is in at most one place. In a virtually indexed cache whose way is larger than a
 * page, a line has several possible places (positions); the caller, who knows the virtual address,
 * names the set, and cache_find() looks through all of them.
 */
#ifndef TOOLS_MODEL_CACHE_H
#define TOOLS_MODEL_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tools/model/machine.h"

/* MESI. A level's copy may be weaker than the CPU's own best copy; see model.h. */
enum cache_state {
    CACHE_INVALID = 0,
    CACHE_SHARED = 1,
    CACHE_EXCLUSIVE = 2,
    CACHE_MODIFIED = 3,
};

struct cache {
    uint64_t *entry; /* sets << set_shift; (line + 1) << 2 | state, 0 when empty */
    uint32_t ways;
    uint32_t set_shift; /* a set's place is 2^n entries: found by a shift */
    bool plain_index;   /* the line's low bits, by set_mask */
    uint32_t sets;
    uint32_t set_mask;   /* sets - 1 when a power of two, else 0 and the index is a remainder */
    uint32_t plain_mask; /* index bits below the hashed ones */
    uint32_t plain_bits;
    uint32_t hash_bits;
    uint64_t hash_mask[MACHINE_MAX_HASH]; /* of line numbers, not of addresses */
    uint32_t positions; /* places of a line: 1 unless virtually indexed with a way > a page */
    uint32_t page_line_mask;
    /*
     * For a cache with several positions only: how many of its lines have each value of a hash. 0
     * says that a line is in none of its positions, which is nearly always so on a miss. Lines with
     * one value share their place in the page, hence their positions, so a counter goes to
     * positions x ways at most; the few geometries in which that is more than 255 go without.
     */
    uint8_t *held;
};

/*
 * 16384 counters, sixteen for each line of the largest such cache, the 64 KiB L1 of EV6 and K7. The
 * lowest bits are the line's own: as many as there are lines in a page of 4 KiB / 32 or 8 KiB / 64.
 */
#define CACHE_HELD_BITS     14u
#define CACHE_HELD_OWN_BITS 7u
#define CACHE_HELD_COUNTERS (1u << CACHE_HELD_BITS)

static inline uint8_t *cache_held(const struct cache *cache, uint64_t line)
{
    uint64_t above = line >> CACHE_HELD_BITS << CACHE_HELD_OWN_BITS;

    return &cache->held[(line ^ above) % CACHE_HELD_COUNTERS];
}

/* Returns -1 when memory is short. */
int cache_init(struct cache *cache, const struct machine *machine, uint32_t level);
void cache_destroy(struct cache *cache);

/* Empty all sets. */
void cache_clear(struct cache *cache);

/* The set of a line, by its physical line number and, if virtually indexed, its virtual one. */
uint32_t cache_set_hashed(const struct cache *cache, uint64_t line);

static inline uint32_t cache_set(const struct cache *cache, uint64_t virtual_line, uint64_t line)
{
    if (cache->plain_index) {
        return (uint32_t)line & cache->set_mask;
    }
    if (cache->positions > 1) {
        return (uint32_t)virtual_line & cache->set_mask;
    }
    return cache_set_hashed(cache, line);
}

static inline uint64_t cache_entry_line(uint64_t entry)
{
    return (entry >> 2) - 1;
}

static inline enum cache_state cache_entry_state(uint64_t entry)
{
    return (enum cache_state)(entry & 3);
}

static inline void cache_entry_set_state(uint64_t *entry, enum cache_state state)
{
    *entry = (*entry & ~UINT64_C(3)) | (uint64_t)state;
}

static inline uint64_t *cache_set_entries(const struct cache *cache, uint32_t set)
{
    return cache->entry + ((uint64_t)set << cache->set_shift);
}

/* Look a line up in one set and make it the most recent. NULL when absent. */
static inline uint64_t *cache_touch_at(uint64_t *entry, uint32_t ways, uint64_t line)
{
    uint64_t wanted = line + 1;

    if (entry[0] >> 2 == wanted) {
        return entry;
    }
    /* shifted by hand, here and below: a call of memmove costs more than a few ways do */
    for (uint32_t way = 1; way < ways; way++) {
        uint64_t found = entry[way];

        if (found >> 2 == wanted) {
            for (; way > 0; way--) {
                entry[way] = entry[way - 1];
            }
            entry[0] = found;
            return entry;
        }
    }
    return NULL;
}

static inline uint64_t *cache_touch(struct cache *cache, uint32_t set, uint64_t line)
{
    return cache_touch_at(cache_set_entries(cache, set), cache->ways, line);
}

/* Look a line up in all its positions; order unchanged. NULL when absent. */
uint64_t *cache_find_all(struct cache *cache, uint64_t line);

static inline uint64_t *cache_find(struct cache *cache, uint64_t line)
{
    if (cache->held && *cache_held(cache, line) == 0) {
        return NULL;
    }
    return cache_find_all(cache, line);
}

/* Put an absent line in front of a set. Returns the entry that had to leave, 0 if none. */
static inline uint64_t cache_insert_at(struct cache *cache, uint64_t *entry, uint64_t line,
                                       enum cache_state state)
{
    uint32_t way = cache->ways - 1;
    uint64_t victim = entry[way];

    for (; way > 0; way--) {
        entry[way] = entry[way - 1];
    }
    entry[0] = (line + 1) << 2 | (uint64_t)state;
    if (cache->held) {
        (*cache_held(cache, line))++;
        if (victim) {
            (*cache_held(cache, cache_entry_line(victim)))--;
        }
    }
    return victim;
}

static inline uint64_t cache_insert(struct cache *cache, uint32_t set, uint64_t line,
                                    enum cache_state state)
{
    return cache_insert_at(cache, cache_set_entries(cache, set), line, state);
}

/* Take out the entry that cache_touch() or cache_find() returned. */
void cache_remove(struct cache *cache, uint64_t *entry);

#endif
