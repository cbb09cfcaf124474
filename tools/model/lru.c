/*
 * Fully associative LRU: set-up, and what is not on the path of every access.
 */
#include "tools/model/lru.h"

#include <stdlib.h>
#include <string.h>

int lru_init(struct lru *lru, uint32_t capacity)
{
    uint32_t bits = 1;

    memset(lru, 0, sizeof(*lru));
    while (UINT64_C(1) << bits < UINT64_C(2) * capacity) {
        bits++;
    }
    lru->capacity = capacity;
    lru->bucket_shift = 64 - bits;
    lru->bucket = calloc(UINT64_C(1) << bits, sizeof(*lru->bucket));
    lru->node = calloc((size_t)capacity + 1, sizeof(*lru->node));
    if (!lru->bucket || !lru->node) {
        lru_destroy(lru);
        return -1;
    }
    lru_clear(lru);
    return 0;
}

void lru_destroy(struct lru *lru)
{
    free(lru->bucket);
    free(lru->node);
    memset(lru, 0, sizeof(*lru));
}

void lru_clear(struct lru *lru)
{
    memset(lru->bucket, 0, (UINT64_C(1) << (64 - lru->bucket_shift)) * sizeof(*lru->bucket));
    for (uint32_t node = 1; node <= lru->capacity; node++) {
        lru->node[node].chain = node < lru->capacity ? node + 1 : 0;
    }
    lru->free = 1;
    lru->node[0].newer = 0;
    lru->node[0].older = 0;
}

bool lru_has(const struct lru *lru, uint64_t key)
{
    return lru_find(lru, key) != 0;
}

void lru_remove(struct lru *lru, uint64_t key)
{
    uint32_t node = lru_find(lru, key);

    if (node != 0) {
        lru_unlink_chain(lru, node);
        lru_unlink_age(lru->node, node);
        lru->node[node].chain = lru->free;
        lru->free = node;
    }
}
