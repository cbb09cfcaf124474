/*
 * Telling misses of one cache by kind: compulsory (this cache never held the line), coherence
 * (another CPU's store took it away), conflict (a fully associative LRU cache of the same size,
 * given the same operations, still has it), capacity (the rest). Looked at in that order, with
 * coherence before compulsory. Costs time and memory, so it is optional.
 */
#ifndef TOOLS_MODEL_SPLIT_H
#define TOOLS_MODEL_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/model/lru.h"

enum split_kind {
    SPLIT_COMPULSORY,
    SPLIT_CAPACITY,
    SPLIT_CONFLICT,
    SPLIT_COHERENCE,
};

/* A growing set of line numbers: a two-level bitmap. */
struct split_lines {
    uint64_t **chunk;
    uint64_t chunks;
};

struct split {
    struct lru shadow;
    struct split_lines seen;
    struct split_lines taken; /* by another CPU's store, and not missed since */
};

/* Returns -1 when memory is short. lines: capacity of the cache. */
int split_init(struct split *split, uint32_t lines);
void split_destroy(struct split *split);
void split_clear(struct split *split);

/* The kind of a miss on line; call before the fill. */
enum split_kind split_miss(struct split *split, uint64_t line);

/* The cache was hit by, or filled with, line. */
void split_use(struct split *split, uint64_t line);

/* The cache lost line other than by running out of room. by_store: of another CPU. */
void split_remove(struct split *split, uint64_t line, bool by_store);

#endif
