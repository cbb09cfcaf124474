/* The factors of the caches (seed 003): `hash`, function and size of a table; `lru`, how use of
 * what was found is noted. */
#include "cache/hash.h"
#include "core/kprintf.h"
#include "lab/factor.h"

#include <string.h>

/* Of lru= those that note use. */
#define CACHES "pagehash,getblk,reclaim"

static int level_hash(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    return hash_parse(text, &s->cache, err, err_bytes);
}

static const char *nth_hash(unsigned i)
{
    unsigned n = 0;
    while (n < i && hash_kinds[n])
        n++;
    return hash_kinds[n] ? hash_kinds[n]->name : NULL;
}

static void list_hash(void)
{
    for (const struct hash_kind *const *k = hash_kinds; *k; k++)
        kprintf("#     %-12s %s\n", (*k)->name, (*k)->rule);
}

REGISTER_FACTOR_OF(CACHES ",names", hash, ',', "2.2", "KIND[:BITS|:ram][,...]|all",
                   "hash function of a cache's table, and its size in bits", level_hash, nth_hash,
                   list_hash);

static const char *const lru_words[] = {
    [LRU_KIND_LIST] = "list", [LRU_KIND_REFERENCED] = "referenced", [LRU_KIND_NONE] = "none", NULL};

static const char *nth_lru(unsigned i)
{
    return lru_words[i];
}

static int level_lru(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    for (unsigned i = 0; lru_words[i]; i++) {
        if (!strcmp(lru_words[i], text)) {
            s->cache.lru = (enum cache_lru)i;
            return 0;
        }
    }
    return factor_no_such_level(text, lru_words, err, err_bytes);
}

static void list_lru(void)
{
    kprintf("#     list         moves it to the new end of a list\n"
            "#     referenced   sets a bit in the flags of its page\n"
            "#     none         nothing\n");
}

REGISTER_FACTOR_OF(CACHES, lru, ',', "referenced", "list|referenced|none[,...]|all",
                   "what a cache does with an object that it finds", level_lru, nth_lru, list_lru);
