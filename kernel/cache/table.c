/* Hash tables. Contract in table.h. */
#include "cache/table.h"

#include "core/panic.h"

#include <string.h>

void table_init(struct table *t, unsigned bits, const struct links *links, void *memory)
{
    *t = (struct table){.head = memory, .bits = bits, .links = *links};
    memset(t->head, 0xff, table_bytes(bits)); /* TABLE_NONE */
}

void table_insert(struct table *t, uint32_t bucket, uint32_t nr)
{
    uint32_t next = t->head[bucket];
    check(1, bucket >> t->bits == 0 && nr < TABLE_BUCKET);
    *links_next(&t->links, nr) = next;
    if (next != TABLE_NONE)
        *links_prev(&t->links, next) = nr;
    t->head[bucket] = nr;
    *links_prev(&t->links, nr) = TABLE_BUCKET | bucket;
    t->count++;
}

void table_remove(struct table *t, uint32_t nr)
{
    uint32_t next = *links_next(&t->links, nr), prev = *links_prev(&t->links, nr);
    if (next != TABLE_NONE)
        *links_prev(&t->links, next) = prev;
    if (prev & TABLE_BUCKET)
        t->head[prev & ~TABLE_BUCKET] = next;
    else
        *links_next(&t->links, prev) = next;
    t->count--;
}

struct table_shape table_shape(const struct table *t)
{
    struct table_shape s = {0};
    for (uint32_t bucket = 0; bucket >> t->bits == 0; bucket++) {
        uint32_t n = 0;
        for_each_in_chain(t, bucket, nr) s.probes += ++n;
        s.used += n > 0;
        s.longest = n > s.longest ? n : s.longest;
    }
    return s;
}

const char *table_check(const struct table *t, uint32_t limit,
                        uint32_t (*bucket_of)(const void *arg, uint32_t nr), const void *arg)
{
    uint32_t n = 0;
    for (uint32_t bucket = 0; bucket >> t->bits == 0; bucket++) {
        uint32_t prev = TABLE_BUCKET | bucket;
        for_each_in_chain(t, bucket, nr)
        {
            if (nr >= limit || n++ == t->count)
                return "table: a chain leads nowhere, or there are more objects than counted";
            if (*links_prev(&t->links, nr) != prev)
                return "table: an object does not point back";
            if (bucket_of(arg, nr) != bucket)
                return "table: an object is in another one's bucket";
            prev = nr;
        }
    }
    return n == t->count ? NULL : "table: there are fewer objects than counted";
}
