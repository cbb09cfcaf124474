/* Colour accounting: set-up and check. Contract in account.h. */
#include "mm/account.h"

#include <string.h>

size_t account_bytes(const struct color_map *map)
{
    return 2 * sizeof(uint32_t) * map->colors;
}

void account_init(struct account *a, const struct color_map *map, void *memory)
{
    a->map = map;
    a->wanted = memory;
    a->got = a->wanted + map->colors;
    account_reset(a);
}

void account_reset(struct account *a)
{
    struct account fresh = {.map = a->map, .wanted = a->wanted, .got = a->got};
    *a = fresh;
    memset(a->wanted, 0, account_bytes(a->map));
}

const char *account_check(const struct account *a)
{
    uint64_t wanted = 0, got = 0;
    for (uint32_t c = 0; c < a->map->colors; c++) {
        wanted += a->wanted[c];
        got += a->got[c];
    }
    if (got != a->allocations)
        return "account: got does not add up to the allocations";
    if (wanted != a->wishes)
        return "account: wanted does not add up to the wishes";
    return a->missed <= a->wishes ? NULL : "account: more misses than wishes";
}
