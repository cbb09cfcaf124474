/* Physical memory of pieces (sparse_memory.h). */
#include "sparse_memory.h"

#include "boot.h"

#include <stdlib.h>
#include <string.h>

struct sparse_piece sparse[SPARSE_PIECES_MAX];
unsigned sparse_count;

const void *boot_memory(uint64_t a, uint64_t bytes)
{
    for (unsigned i = 0; a && i < sparse_count; i++) {
        const struct sparse_piece *p = &sparse[i];
        if (a >= p->at && a - p->at < p->bytes && bytes <= p->bytes - (a - p->at))
            return p->copy + (a - p->at);
    }
    return NULL;
}

void sparse_clear(void)
{
    while (sparse_count)
        free(sparse[--sparse_count].copy);
}

void *sparse_add(uint64_t at, const void *from, size_t bytes)
{
    if (sparse_count == SPARSE_PIECES_MAX || bytes > 65536 || !bytes)
        return NULL;
    char *copy = malloc(bytes);
    memcpy(copy, from, bytes);
    sparse[sparse_count++] = (struct sparse_piece){at, bytes, copy};
    return copy;
}

uint64_t sparse_load(const void *file, size_t bytes)
{
    const char *f = file;
    uint64_t start, at;
    uint32_t n;

    sparse_clear();
    if (bytes < sizeof start)
        return 0;
    memcpy(&start, f, sizeof start);
    for (size_t i = sizeof start; bytes - i >= 12; i += 12 + n) {
        memcpy(&at, f + i, sizeof at);
        memcpy(&n, f + i + 8, sizeof n);
        if (n > bytes - i - 12)
            break;
        sparse_add(at, f + i + 12, n);
    }
    return start;
}
