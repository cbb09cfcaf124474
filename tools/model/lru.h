/*
 * A fully associative LRU set of 64-bit keys with constant-time operations: the shadow that tells
 * conflict from capacity misses. A hash table with chains over numbered nodes, which also form a
 * ring in order of use; node 0 closes the ring and ends the chains.
 */
#ifndef TOOLS_MODEL_LRU_H
#define TOOLS_MODEL_LRU_H

#include <stdbool.h>
#include <stdint.h>

struct lru_node {
    uint64_t key;
    uint32_t chain; /* next in the hash chain, or in the list of free nodes; 0: none */
    uint32_t newer; /* of node 0: the oldest */
    uint32_t older; /* of node 0: the newest */
};

struct lru {
    uint32_t capacity;
    uint32_t free;         /* first unused node, 0: none */
    uint32_t bucket_shift; /* of the hash, to a bucket's number */
    uint32_t *bucket;      /* first node of a hash chain, 0: none */
    struct lru_node *node; /* 0, then 1 to capacity */
};

/* Returns -1 when memory is short. capacity >= 1. */
int lru_init(struct lru *lru, uint32_t capacity);
void lru_destroy(struct lru *lru);
void lru_clear(struct lru *lru);

/* Is the key there? Order unchanged. */
bool lru_has(const struct lru *lru, uint64_t key);

/* Take a key out, if it is there. */
void lru_remove(struct lru *lru, uint64_t key);

/* The first node of a key's chain. Fibonacci hashing: the product with 2^64 / golden ratio has
 * well mixed upper bits. */
static inline uint32_t *lru_bucket(const struct lru *lru, uint64_t key)
{
    return &lru->bucket[key * UINT64_C(0x9e3779b97f4a7c15) >> lru->bucket_shift];
}

static inline uint32_t lru_find(const struct lru *lru, uint64_t key)
{
    uint32_t node = *lru_bucket(lru, key);

    while (node != 0 && lru->node[node].key != key) {
        node = lru->node[node].chain;
    }
    return node;
}

static inline void lru_unlink_age(struct lru_node *nodes, uint32_t node)
{
    nodes[nodes[node].newer].older = nodes[node].older;
    nodes[nodes[node].older].newer = nodes[node].newer;
}

static inline void lru_link_newest(struct lru_node *nodes, uint32_t node)
{
    uint32_t newest = nodes[0].older;

    nodes[node].newer = 0;
    nodes[node].older = newest;
    nodes[newest].newer = node;
    nodes[0].older = node;
}

static inline void lru_unlink_chain(struct lru *lru, uint32_t node)
{
    uint32_t *link = lru_bucket(lru, lru->node[node].key);

    while (*link != node) {
        link = &lru->node[*link].chain;
    }
    *link = lru->node[node].chain;
}

/* Was this key the last that was used? */
static inline bool lru_is_newest(const struct lru *lru, uint64_t key)
{
    uint32_t newest = lru->node[0].older;

    return newest != 0 && lru->node[newest].key == key;
}

/* Make a key the newest, inserting it (and dropping the oldest of a full set) if it is not there.
 * Returns true if it was there. */
static inline bool lru_use(struct lru *lru, uint64_t key)
{
    struct lru_node *nodes = lru->node;
    uint32_t node = lru_find(lru, key);
    bool there = node != 0;
    uint32_t *bucket;

    if (!there) {
        node = lru->free;
        if (node != 0) {
            lru->free = nodes[node].chain;
        } else {
            node = nodes[0].newer;
            lru_unlink_chain(lru, node);
            lru_unlink_age(nodes, node);
        }
        bucket = lru_bucket(lru, key);
        nodes[node].key = key;
        nodes[node].chain = *bucket;
        *bucket = node;
    } else {
        lru_unlink_age(nodes, node);
    }
    lru_link_newest(nodes, node);
    return there;
}

#endif
