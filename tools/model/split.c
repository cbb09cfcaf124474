/*
 * Miss classification: a shadow cache and two bitmaps per cache.
 */
#include "tools/model/split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 2^18 lines, 32 KiB a chunk: 16 MiB of guest memory at 64-byte lines. */
#define CHUNK_SHIFT 18u
#define CHUNK_WORDS ((UINT64_C(1) << CHUNK_SHIFT) / 64)

static void lines_clear(struct split_lines *lines)
{
    for (uint64_t i = 0; i < lines->chunks; i++) {
        free(lines->chunk[i]);
    }
    free(lines->chunk);
    memset(lines, 0, sizeof(*lines));
}

/* The word of a line, allocated when asked to; a model that cannot count must not go on. */
static uint64_t *lines_word(struct split_lines *lines, uint64_t line, bool grow)
{
    uint64_t index = line >> CHUNK_SHIFT;

    if (index >= lines->chunks || !lines->chunk[index]) {
        if (!grow) {
            return NULL;
        }
        if (index >= lines->chunks) {
            uint64_t chunks = (index + 1) * 2;
            uint64_t **larger = realloc(lines->chunk, chunks * sizeof(*larger));

            if (!larger) {
                fprintf(stderr, "model: out of memory\n");
                abort();
            }
            memset(larger + lines->chunks, 0, (chunks - lines->chunks) * sizeof(*larger));
            lines->chunk = larger;
            lines->chunks = chunks;
        }
        lines->chunk[index] = calloc(CHUNK_WORDS, sizeof(uint64_t));
        if (!lines->chunk[index]) {
            fprintf(stderr, "model: out of memory\n");
            abort();
        }
    }
    return &lines->chunk[index][line % (UINT64_C(1) << CHUNK_SHIFT) / 64];
}

static bool lines_has(struct split_lines *lines, uint64_t line)
{
    const uint64_t *word = lines_word(lines, line, false);

    return word && (*word >> (line % 64) & 1);
}

static void lines_put(struct split_lines *lines, uint64_t line, bool present)
{
    uint64_t *word = lines_word(lines, line, present);

    if (word && present) {
        *word |= UINT64_C(1) << (line % 64);
    } else if (word) {
        *word &= ~(UINT64_C(1) << (line % 64));
    }
}

int split_init(struct split *split, uint32_t lines)
{
    memset(split, 0, sizeof(*split));
    return lru_init(&split->shadow, lines);
}

void split_destroy(struct split *split)
{
    lru_destroy(&split->shadow);
    lines_clear(&split->seen);
    lines_clear(&split->taken);
}

void split_clear(struct split *split)
{
    lru_clear(&split->shadow);
    lines_clear(&split->seen);
    lines_clear(&split->taken);
}

enum split_kind split_miss(struct split *split, uint64_t line)
{
    if (lines_has(&split->taken, line)) {
        lines_put(&split->taken, line, false);
        return SPLIT_COHERENCE;
    }
    if (!lines_has(&split->seen, line)) {
        lines_put(&split->seen, line, true);
        return SPLIT_COMPULSORY;
    }
    return lru_has(&split->shadow, line) ? SPLIT_CONFLICT : SPLIT_CAPACITY;
}

void split_use(struct split *split, uint64_t line)
{
    /* a line used again at once is in both already, and in its place */
    if (!lru_is_newest(&split->shadow, line) && !lru_use(&split->shadow, line)) {
        lines_put(&split->seen, line, true);
    }
}

void split_remove(struct split *split, uint64_t line, bool by_store)
{
    lru_remove(&split->shadow, line);
    if (by_store) {
        lines_put(&split->taken, line, true);
    }
}
