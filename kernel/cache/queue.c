/* Queues by use. Contract in queue.h. */
#include "cache/queue.h"

void queue_init(struct queue *q, const struct links *links)
{
    *q = (struct queue){.first = TABLE_NONE, .links = *links};
}

static void link(struct queue *q, uint32_t nr)
{
    uint32_t first = q->first;
    if (first == TABLE_NONE) {
        q->first = *links_next(&q->links, nr) = *links_prev(&q->links, nr) = nr;
        return;
    }
    uint32_t newest = *links_prev(&q->links, first);
    *links_next(&q->links, nr) = first;
    *links_prev(&q->links, nr) = newest;
    *links_next(&q->links, newest) = nr;
    *links_prev(&q->links, first) = nr;
}

static void unlink(struct queue *q, uint32_t nr)
{
    uint32_t next = *links_next(&q->links, nr), prev = *links_prev(&q->links, nr);
    *links_next(&q->links, prev) = next;
    *links_prev(&q->links, next) = prev;
    if (q->first == nr)
        q->first = next == nr ? TABLE_NONE : next;
}

void queue_add(struct queue *q, uint32_t nr)
{
    link(q, nr);
    q->count++;
}

void queue_remove(struct queue *q, uint32_t nr)
{
    unlink(q, nr);
    q->count--;
}

void queue_touch(struct queue *q, uint32_t nr)
{
    if (q->first == nr) { /* in a ring the oldest is the newest when the ring has turned */
        q->first = *links_next(&q->links, nr);
        return;
    }
    unlink(q, nr);
    link(q, nr);
}

const char *queue_check(const struct queue *q, uint32_t limit)
{
    uint32_t n = 0, nr = q->first;
    if (nr == TABLE_NONE)
        return q->count ? "queue: it is empty, and objects are counted" : NULL;
    do {
        if (nr >= limit || n++ == q->count)
            return "queue: it leads nowhere, or is longer than its count";
        uint32_t next = *links_next(&q->links, nr);
        if (next < limit && *links_prev(&q->links, next) != nr)
            return "queue: an object does not point back";
        nr = next;
    } while (nr != q->first);
    return n == q->count ? NULL : "queue: it is shorter than its count";
}
