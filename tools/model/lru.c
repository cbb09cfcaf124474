/*
 * Fully associative LRU: a hash table with chains over numbered nodes, which also form a list in
 * order of use. Node 0 means "none".
 */
#include "tools/model/lru.h"

#include <stdlib.h>
#include <string.h>

/* Fibonacci hashing: 2^64 / golden ratio; the upper half of the product is well mixed. */
static uint32_t bucket_of(const struct lru *lru, uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & lru->bucket_mask;
}

int lru_init(struct lru *lru, uint32_t capacity)
{
    uint32_t buckets = 2;

    memset(lru, 0, sizeof(*lru));
    while (buckets < 2 * capacity) {
        buckets *= 2;
    }
    lru->capacity = capacity;
    lru->bucket_mask = buckets - 1;
    lru->bucket = calloc(buckets, sizeof(*lru->bucket));
    lru->key = calloc((size_t)capacity + 1, sizeof(*lru->key));
    lru->chain = calloc((size_t)capacity + 1, sizeof(*lru->chain));
    lru->newer = calloc((size_t)capacity + 1, sizeof(*lru->newer));
    lru->older = calloc((size_t)capacity + 1, sizeof(*lru->older));
    if (!lru->bucket || !lru->key || !lru->chain || !lru->newer || !lru->older) {
        lru_destroy(lru);
        return -1;
    }
    lru_clear(lru);
    return 0;
}

void lru_destroy(struct lru *lru)
{
    free(lru->bucket);
    free(lru->key);
    free(lru->chain);
    free(lru->newer);
    free(lru->older);
    memset(lru, 0, sizeof(*lru));
}

void lru_clear(struct lru *lru)
{
    memset(lru->bucket, 0, ((size_t)lru->bucket_mask + 1) * sizeof(*lru->bucket));
    for (uint32_t node = 1; node <= lru->capacity; node++) {
        lru->chain[node] = node < lru->capacity ? node + 1 : 0;
    }
    lru->free = 1;
    lru->newest = 0;
    lru->oldest = 0;
    lru->count = 0;
}

static uint32_t find(const struct lru *lru, uint64_t key)
{
    uint32_t node = lru->bucket[bucket_of(lru, key)];

    while (node != 0 && lru->key[node] != key) {
        node = lru->chain[node];
    }
    return node;
}

static void unlink_age(struct lru *lru, uint32_t node)
{
    uint32_t newer = lru->newer[node];
    uint32_t older = lru->older[node];

    if (newer) {
        lru->older[newer] = older;
    } else {
        lru->newest = older;
    }
    if (older) {
        lru->newer[older] = newer;
    } else {
        lru->oldest = newer;
    }
}

static void link_newest(struct lru *lru, uint32_t node)
{
    lru->newer[node] = 0;
    lru->older[node] = lru->newest;
    if (lru->newest) {
        lru->newer[lru->newest] = node;
    } else {
        lru->oldest = node;
    }
    lru->newest = node;
}

static void drop(struct lru *lru, uint32_t node)
{
    uint32_t *link = &lru->bucket[bucket_of(lru, lru->key[node])];

    while (*link != node) {
        link = &lru->chain[*link];
    }
    *link = lru->chain[node];
    unlink_age(lru, node);
    lru->chain[node] = lru->free;
    lru->free = node;
    lru->count--;
}

bool lru_has(const struct lru *lru, uint64_t key)
{
    return find(lru, key) != 0;
}

bool lru_use(struct lru *lru, uint64_t key)
{
    uint32_t node = lru->newest;

    if (node != 0 && lru->key[node] == key) {
        return true;
    }
    node = find(lru, key);
    if (node != 0) {
        unlink_age(lru, node);
        link_newest(lru, node);
        return true;
    }
    if (lru->count == lru->capacity) {
        drop(lru, lru->oldest);
    }
    node = lru->free;
    lru->free = lru->chain[node];
    lru->key[node] = key;
    lru->chain[node] = lru->bucket[bucket_of(lru, key)];
    lru->bucket[bucket_of(lru, key)] = node;
    link_newest(lru, node);
    lru->count++;
    return false;
}

void lru_remove(struct lru *lru, uint64_t key)
{
    uint32_t node = find(lru, key);

    if (node != 0) {
        drop(lru, node);
    }
}
