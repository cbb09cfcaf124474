/*
 * Queues of objects by when they were last used: rings through the objects, as lru_list[] of Linux
 * 2.2's buffer.c. The first is the oldest, and the one before it in the ring the newest.
 *
 * Objects are numbers, as in table.h. Only link and unlink in queue.c touch links.
 */
#ifndef TT_CACHE_QUEUE_H
#define TT_CACHE_QUEUE_H

#include "cache/table.h"

struct queue {
    uint32_t first; /* TABLE_NONE when empty */
    uint32_t count;
    struct links links;
};

void queue_init(struct queue *q, const struct links *links);

/* As the newest. Precondition: it is in no queue. */
void queue_add(struct queue *q, uint32_t nr);
void queue_remove(struct queue *q, uint32_t nr);

/* Makes an object of the queue its newest: put_last_lru() of Linux 2.2. */
void queue_touch(struct queue *q, uint32_t nr);

/* Links and count; NULL, or what is broken. limit: numbers are below. */
const char *queue_check(const struct queue *q, uint32_t limit);

#endif
