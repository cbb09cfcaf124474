/* What a level asks for of the caches (kernel/cache/): how they are hashed, how use is noted. */
#ifndef TT_MM_CACHE_SETUP_H
#define TT_MM_CACHE_SETUP_H

#include <stddef.h>
#include <stdint.h>

struct hash_kind;

/* Factor lru=: what a cache does with an object that was found. */
enum cache_lru {
    LRU_KIND_LIST,       /* moves it to the new end of a list */
    LRU_KIND_REFERENCED, /* sets a bit in a page's flags */
    LRU_KIND_NONE,
};

struct cache_setup {
    const struct hash_kind *hash; /* cache/hash.h */
    uint8_t hash_bits;            /* of a table's size; or HASH_BITS_OWN, HASH_BITS_RAM */
    enum cache_lru lru;
    size_t
        tables_bytes; /* of hash tables, beside the descriptors as kernels of the time had them */
};

#endif
