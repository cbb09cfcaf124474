/* Caches of names full of files. Contract in name_caches.h. */
#include "work/name_caches.h"

#include "work/slab.h"

#include <stdlib.h>

#define GROUPS       64u
#define GROUP_INODES 2048u
#define STREAM       0x6e616d65u

/* Where kmalloc() may have put two super blocks. */
static const uint32_t systems[NAMES_SYSTEMS] = {0xc7e11400, 0xc7ea3000};

static struct name draw_name(struct rng *rng)
{
    static const char endings[] = "cho";
    struct name n = {.len = (uint8_t)(3 + rng_below(rng, 10))};
    for (uint32_t i = 0; i < n.len; i++)
        n.text[i] = (uint8_t)('a' + rng_below(rng, 26));
    if (rng_below(rng, 3)) {
        n.text[n.len++] = '.';
        n.text[n.len++] = (uint8_t)endings[rng_below(rng, 3)];
    }
    n.hash = name_hash(n.text, n.len);
    return n;
}

/* The i-th name of the walk: every sixteenth is a directory, the first of a system its root. */
static void place(struct name_caches *c, uint32_t i, struct rng *rng, uint32_t *ino)
{
    struct named *at = &c->named[i];
    uint32_t directory = i / NAMES_DIRECTORY, system = directory % NAMES_SYSTEMS;
    uint32_t first = i - i % NAMES_DIRECTORY, root = system * NAMES_DIRECTORY;
    at->name = draw_name(rng);
    if (i == first)
        *ino = rng_below(rng, GROUPS) * GROUP_INODES + 1 + rng_below(rng, GROUP_INODES / 2);
    at->parent = c->named[i == first ? min_u64(root, i) : first].dentry;
    at->sb = systems[system];
    at->ino = (*ino)++;
}

static bool there(struct name_caches *c, const struct named *at)
{
    uint32_t d = dentry_find(&c->dentries, at->parent, &at->name);
    uint32_t i = inode_find(&c->inodes, at->sb, at->ino);
    if (d != TABLE_NONE)
        dentry_at(&c->dentries, d)->count--;
    if (i != TABLE_NONE)
        inode_at(&c->inodes, i)->count--;
    return d != TABLE_NONE || i != TABLE_NONE;
}

static const char *fill(struct name_caches *c, struct memory *m, uint32_t n, struct rng *rng)
{
    struct slab dentries = {.memory = m, .stride = DENTRY_STRIDE, .unit = NAMES_UNIT};
    struct slab inodes = {.memory = m, .stride = INODE_BYTES, .unit = NAMES_UNIT};
    uint32_t ino = 0;
    for (; c->count < n; c->count++) {
        struct named *at = &c->named[c->count];
        at->dentry = slab_next(&dentries, NAMES_MAX);
        at->inode = slab_next(&inodes, NAMES_MAX);
        if (at->dentry == TABLE_NONE || at->inode == TABLE_NONE)
            return "no memory left for names; valid: more subject=, fewer names=";
        do {
            place(c, c->count, rng, &ino);
        } while (there(c, at));
        dentry_add(&c->dentries, at->dentry, at->parent, &at->name);
        inode_add(&c->inodes, at->inode, at->sb, at->ino);
        c->dentry_limit = (uint32_t)max_u64(c->dentry_limit, at->dentry + 1);
        c->inode_limit = (uint32_t)max_u64(c->inode_limit, at->inode + 1);
    }
    return NULL;
}

size_t name_caches_tables(const struct cache_setup *s, uint64_t ram_bytes)
{
    return table_bytes(hash_bits(s, DENTRY_HASH_BITS, ram_bytes)) +
           table_bytes(hash_bits(s, INODE_HASH_BITS, ram_bytes));
}

const char *name_caches_init(struct name_caches *c, struct memory *m, uint32_t n, uint64_t seed)
{
    const struct cache_setup *s = &m->setup->cache;
    uint64_t ram = (uint64_t)m->pages.count << PAGE_SHIFT;
    unsigned bits = hash_bits(s, DENTRY_HASH_BITS, ram),
             inode_bits = hash_bits(s, INODE_HASH_BITS, ram);
    char *inode_table = (char *)m->tables + table_bytes(bits);
    struct rng rng = rng_stream(seed, STREAM);
    *c = (struct name_caches){.named = malloc(n * sizeof *c->named)};
    if (!c->named)
        return "no memory left for a list of the names";
    const char *why = dentry_cache_init(&c->dentries, slab_base(m), s, bits, m->tables);
    if (!why)
        why = inode_cache_init(&c->inodes, slab_base(m), s, inode_bits, inode_table);
    return why ? why : fill(c, m, n, &rng);
}

void name_caches_free(struct name_caches *c)
{
    free(c->named);
}

const char *name_caches_check(const struct name_caches *c)
{
    const char *broken = dentry_cache_check(&c->dentries, c->dentry_limit);
    if (!broken)
        broken = inode_cache_check(&c->inodes, c->inode_limit);
    for (uint32_t i = 0; i < c->count && !broken; i++) {
        if (dentry_at(&c->dentries, c->named[i].dentry)->count ||
            inode_at(&c->inodes, c->named[i].inode)->count)
            broken = "a name keeps a reference";
    }
    return broken;
}
