/*
 * Pagevecs: small arrays of pages on their way to the LRU lists, so that a list's lock is taken
 * once for many pages. Capacity and header are chosen at run time (pagevec=): the factor of seed
 * 004, whose patch made 72 bytes 64 on a machine with lines of 32.
 *
 * A kind is a layout that a kernel had, or that was proposed: the counter's width, what stands
 * beside it, how many entries of which size. Entries are descriptor numbers (mm/page.h) in as many
 * bytes as the pointers had. The offset says where a pagevec starts in its first line.
 */
#ifndef TT_MM_PAGEVEC_H
#define TT_MM_PAGEVEC_H

#include <stddef.h>
#include <stdint.h>

struct pagevec_kind {
    const char *name;
    const char *origin;   /* whose */
    uint8_t capacity;     /* 0: by the number of CPUs, pagevec_capacity() */
    uint8_t header_bytes; /* before the entries, padding included */
    uint8_t nr_bytes;     /* width of the counter, which comes first */
    uint8_t entry_bytes;
};

/* Every kind, NULL-terminated. */
extern const struct pagevec_kind *const pagevec_kinds[];

#define PAGEVEC_CAPACITY_MAX 31
#define PAGEVEC_BYTES_MAX    (8 + 8 * PAGEVEC_CAPACITY_MAX)
#define PAGEVEC_OFFSET_MAX   128 /* exclusive */

/* One level of pagevec=. */
struct pagevec_layout {
    const struct pagevec_kind *kind;
    uint32_t offset_bytes; /* of the pagevec from a boundary of 128 bytes, a multiple of 4 */
};

/* "16", "15p32+8": 0, or -TT_EINVAL with what would be valid. */
int pagevec_layout_parse(const char *s, struct pagevec_layout *out, char *err, size_t err_bytes);

/* Entries of a kind with n CPUs; Irwin's proposal of 2004 is max(4, 4 * ceil(log2 n)). */
unsigned pagevec_capacity(const struct pagevec_kind *k, unsigned cpus);

struct pagevec {
    uint8_t *at; /* nothing of the layout is here but this: the rest is constant */
    const struct pagevec_kind *kind;
    unsigned capacity;
};

/* Empty, in memory of at least offset + PAGEVEC_BYTES_MAX bytes, aligned to 128. */
void pagevec_init(struct pagevec *v, const struct pagevec_layout *l, unsigned cpus, void *memory);

static inline unsigned pagevec_count(const struct pagevec *v)
{
    switch (v->kind->nr_bytes) {
    case 1:
        return *v->at;
    case 2:
        return *(uint16_t *)v->at;
    case 4:
        return *(uint32_t *)v->at;
    default:
        return (unsigned)*(uint64_t *)v->at;
    }
}

static inline void pagevec_set_count(const struct pagevec *v, unsigned n)
{
    switch (v->kind->nr_bytes) {
    case 1:
        *v->at = (uint8_t)n;
        break;
    case 2:
        *(uint16_t *)v->at = (uint16_t)n;
        break;
    case 4:
        *(uint32_t *)v->at = n;
        break;
    default:
        *(uint64_t *)v->at = n;
    }
}

static inline uint8_t *pagevec_entry(const struct pagevec *v, unsigned i)
{
    return v->at + v->kind->header_bytes + (size_t)i * v->kind->entry_bytes;
}

static inline uint32_t pagevec_get(const struct pagevec *v, unsigned i)
{
    const uint8_t *e = pagevec_entry(v, i);
    return v->kind->entry_bytes == 4 ? *(const uint32_t *)e : (uint32_t) * (const uint64_t *)e;
}

/* Appends a page; returns how many more there is room for. Precondition: it is not full. */
static inline unsigned pagevec_add(const struct pagevec *v, uint32_t page)
{
    unsigned n = pagevec_count(v);
    uint8_t *e = pagevec_entry(v, n);
    if (v->kind->entry_bytes == 4)
        *(uint32_t *)e = page;
    else
        *(uint64_t *)e = page;
    pagevec_set_count(v, n + 1);
    return v->capacity - n - 1;
}

#endif
