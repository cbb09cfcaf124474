/* Block orders: a block of order k is 2^k frames, aligned to its size. */
#ifndef TT_MM_ORDER_H
#define TT_MM_ORDER_H

/*
 * Largest order kept on a list. 10, as Linux has had it since 2.4: 4 MiB with 4K pages, so a
 * block covers every colour of a 4 MiB direct-mapped cache.
 */
#define MAX_ORDER 10

#endif
