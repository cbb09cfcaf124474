/*
 * A fully associative LRU set of 64-bit keys with constant-time operations: the shadow that tells
 * conflict from capacity misses, and fully associative TLBs.
 */
#ifndef TOOLS_MODEL_LRU_H
#define TOOLS_MODEL_LRU_H

#include <stdbool.h>
#include <stdint.h>

struct lru {
    uint32_t capacity;
    uint32_t count;
    uint32_t bucket_mask;
    uint32_t *bucket; /* first node of a hash chain, 0: none */
    uint64_t *key;    /* nodes are numbered from 1 to capacity */
    uint32_t *chain;  /* next in the hash chain, or in the list of free nodes */
    uint32_t *newer;
    uint32_t *older;
    uint32_t newest;
    uint32_t oldest;
    uint32_t free;
};

/* Returns -1 when memory is short. capacity >= 1. */
int lru_init(struct lru *lru, uint32_t capacity);
void lru_destroy(struct lru *lru);
void lru_clear(struct lru *lru);

/* Is the key there? Order unchanged. */
bool lru_has(const struct lru *lru, uint64_t key);

/* Make a key the newest, inserting it (and dropping the oldest of a full set) if it is not there.
 * Returns true if it was there. */
bool lru_use(struct lru *lru, uint64_t key);

/* Take a key out, if it is there. */
void lru_remove(struct lru *lru, uint64_t key);

#endif
