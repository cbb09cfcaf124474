/* The caches of names. Contract in names.h. */
#include "cache/names.h"

#include <string.h>

#define NOT_OF_NAMES "this hash= is for pages only; valid for names: 2.2, 2.2.16, mul, mul11"

uint32_t name_hash(const uint8_t *text, uint32_t len)
{
    uint32_t hash = 0;
    for (uint32_t i = 0; i < len; i++)
        hash = (hash << 4 | hash >> 28) ^ text[i];
    return hash;
}

static const char *init(struct name_cache *c, void *base, unsigned bits, void *memory,
                        unsigned next, unsigned prev)
{
    struct links chain = links_of(base, NAMES_UNIT, next, prev);
    if (!c->hash)
        return NOT_OF_NAMES;
    c->base = base;
    table_init(&c->table, bits, &chain, memory);
    return NULL;
}

const char *dentry_cache_init(struct name_cache *c, void *base, const struct cache_setup *s,
                              unsigned bits, void *memory)
{
    c->hash = s->hash->dentry;
    return init(c, base, bits, memory, offsetof(struct dentry, hash_next),
                offsetof(struct dentry, hash_prev));
}

const char *inode_cache_init(struct name_cache *c, void *base, const struct cache_setup *s,
                             unsigned bits, void *memory)
{
    c->hash = s->hash->inode;
    return init(c, base, bits, memory, offsetof(struct inode, hash_next),
                offsetof(struct inode, hash_prev));
}

void dentry_add(struct name_cache *c, uint32_t nr, uint32_t parent, const struct name *name)
{
    struct dentry *d = dentry_at(c, nr);
    uint32_t address = names_address(parent);
    *d = (struct dentry){.parent = address, .len = name->len, .hash = name->hash};
    memcpy(d->iname, name->text, name->len);
    table_insert(&c->table, c->hash(address, name->hash, c->table.bits), nr);
}

void inode_add(struct name_cache *c, uint32_t nr, uint32_t sb, uint32_t ino)
{
    *inode_at(c, nr) = (struct inode){.ino = ino, .sb = sb};
    table_insert(&c->table, c->hash(sb, ino, c->table.bits), nr);
}

uint32_t dentry_find(struct name_cache *c, uint32_t parent, const struct name *name)
{
    uint32_t address = names_address(parent);
    for_each_in_chain(&c->table, c->hash(address, name->hash, c->table.bits), nr)
    {
        struct dentry *d = dentry_at(c, nr);
        if (d->hash != name->hash || d->parent != address)
            continue;
        if (dentry_at(c, parent)->op || d->len != name->len ||
            memcmp(d->iname, name->text, name->len))
            continue;
        d->count++;
        return nr;
    }
    return TABLE_NONE;
}

uint32_t inode_find(struct name_cache *c, uint32_t sb, uint32_t ino)
{
    for_each_in_chain(&c->table, c->hash(sb, ino, c->table.bits), nr)
    {
        struct inode *i = inode_at(c, nr);
        if (i->sb != sb || i->ino != ino)
            continue;
        i->count++;
        return nr;
    }
    return TABLE_NONE;
}

static uint32_t dentry_bucket(const void *arg, uint32_t nr)
{
    const struct name_cache *c = arg;
    const struct dentry *d = dentry_at(c, nr);
    return c->hash(d->parent, d->hash, c->table.bits);
}

static uint32_t inode_bucket(const void *arg, uint32_t nr)
{
    const struct name_cache *c = arg;
    const struct inode *i = inode_at(c, nr);
    return c->hash(i->sb, i->ino, c->table.bits);
}

const char *dentry_cache_check(const struct name_cache *c, uint32_t limit)
{
    return table_check(&c->table, limit, dentry_bucket, c);
}

const char *inode_cache_check(const struct name_cache *c, uint32_t limit)
{
    return table_check(&c->table, limit, inode_bucket, c);
}
