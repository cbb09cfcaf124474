/* The naive picture of forked spaces. Contract in faults_oracle.h. */
#include "work/faults_oracle.h"

#include <string.h>

static size_t cells(uint32_t pages)
{
    return (size_t)FAULTS_SPACES * pages;
}

size_t oracle_bytes(uint32_t pages)
{
    size_t content = (1 + ORACLE_WORDS) * sizeof(uint32_t);
    return cells(pages) * (sizeof(uint32_t) + 2 * content + sizeof(uint8_t));
}

void oracle_init(struct faults_oracle *o, uint32_t pages, void *memory)
{
    size_t n = cells(pages);
    *o = (struct faults_oracle){.pages = pages, .content = memory};
    o->sharers = o->content + n;
    o->value = o->sharers + 2 * n;
    o->writable = (uint8_t *)(o->value + 2 * n * ORACLE_WORDS);
    memset(o->content, 0xff, n * sizeof *o->content);
    memset(o->writable, 0, n);
}

static size_t cell(const struct faults_oracle *o, unsigned space, uint32_t page)
{
    return (size_t)space * o->pages + page;
}

static uint32_t *values(const struct faults_oracle *o, uint32_t content)
{
    return o->value + (size_t)content * ORACLE_WORDS;
}

/* New content of a cell: a copy of another, or zeroes. */
static void fill(struct faults_oracle *o, size_t c, uint32_t from)
{
    uint32_t new = o->copies++;
    o->content[c] = new;
    o->sharers[new] = 1;
    o->writable[c] = 1;
    for (unsigned i = 0; i < ORACLE_WORDS; i++)
        values(o, new)[i] = from == ORACLE_NONE ? 0 : values(o, from)[i];
}

void oracle_touch(struct faults_oracle *o, const struct touch *t, unsigned word, uint32_t value)
{
    size_t c = cell(o, t->space, t->page);
    uint32_t old = o->content[c];
    if (old == ORACLE_NONE) {
        o->demand++;
        fill(o, c, ORACLE_NONE);
    } else if (t->write && !o->writable[c] && o->sharers[old] > 1) {
        o->copied++;
        o->sharers[old]--;
        fill(o, c, old);
    } else if (t->write && !o->writable[c]) {
        o->reused++;
        o->writable[c] = 1;
    }
    if (t->write)
        values(o, o->content[c])[word] = value;
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

const uint32_t *oracle_values(const struct faults_oracle *o, unsigned space, uint32_t page)
{
    uint32_t content = o->content[cell(o, space, page)];
    return content == ORACLE_NONE ? NULL : values(o, content);
}
