/* The naive picture of forked spaces. Contract in faults_oracle.h. */
#include "work/faults_oracle.h"

#include <string.h>

static size_t cells(uint32_t pages)
{
    return (size_t)FAULTS_SPACES * pages;
}

size_t oracle_bytes(uint32_t pages)
{
    return cells(pages) * (sizeof(uint32_t) + 2 * 2 * sizeof(uint32_t) + sizeof(uint8_t));
}

void oracle_init(struct faults_oracle *o, uint32_t pages, void *memory)
{
    size_t n = cells(pages);
    *o = (struct faults_oracle){.pages = pages, .content = memory};
    o->sharers = o->content + n;
    o->value = o->sharers + 2 * n;
    o->writable = (uint8_t *)(o->value + 2 * n);
    memset(o->content, 0xff, n * sizeof *o->content);
    memset(o->writable, 0, n);
}

static size_t cell(const struct faults_oracle *o, unsigned space, uint32_t page)
{
    return (size_t)space * o->pages + page;
}

/* New content of a cell: zeroes, or what was there. */
static void fill(struct faults_oracle *o, size_t c, uint32_t value)
{
    o->content[c] = o->copies;
    o->sharers[o->copies] = 1;
    o->value[o->copies++] = value;
    o->writable[c] = 1;
}

void oracle_touch(struct faults_oracle *o, const struct touch *t, uint32_t value)
{
    size_t c = cell(o, t->space, t->page);
    uint32_t old = o->content[c];
    if (old == ORACLE_NONE) {
        o->demand++;
        fill(o, c, 0);
    } else if (t->write && !o->writable[c] && o->sharers[old] > 1) {
        o->copied++;
        o->sharers[old]--;
        fill(o, c, o->value[old]);
    } else if (t->write && !o->writable[c]) {
        o->reused++;
        o->writable[c] = 1;
    }
    if (t->write)
        o->value[o->content[c]] = value;
}

void oracle_fork(struct faults_oracle *o, unsigned child, unsigned parent)
{
    for (uint32_t page = 0; page < o->pages; page++) {
        size_t from = cell(o, parent, page), to = cell(o, child, page);
        o->content[to] = o->content[from];
        if (o->content[to] != ORACLE_NONE)
            o->sharers[o->content[to]]++;
        o->writable[from] = o->writable[to] = 0;
    }
}

void oracle_unmap(struct faults_oracle *o, unsigned space, uint32_t first, uint32_t end)
{
    for (uint32_t page = first; page < end; page++) {
        size_t c = cell(o, space, page);
        if (o->content[c] != ORACLE_NONE)
            o->sharers[o->content[c]]--;
        o->content[c] = ORACLE_NONE;
    }
}

void oracle_protect(struct faults_oracle *o, unsigned space, uint32_t first, uint32_t end)
{
    for (uint32_t page = first; page < end; page++) {
        size_t c = cell(o, space, page);
        o->writable[c] = o->content[c] != ORACLE_NONE && o->sharers[o->content[c]] == 1;
    }
}

bool oracle_mapped(const struct faults_oracle *o, unsigned space, uint32_t page, uint32_t *value)
{
    uint32_t content = o->content[cell(o, space, page)];
    if (content != ORACLE_NONE)
        *value = o->value[content];
    return content != ORACLE_NONE;
}
