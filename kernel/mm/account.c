/* Colour accounting: set-up and check. Contract in account.h. */
#include "mm/account.h"

#include <string.h>

#define ORDERS (MAX_ORDER + 1)

size_t account_bytes(const struct color_map *map)
{
    return (1 + ORDERS) * sizeof(uint32_t) * map->colors;
}

void account_init(struct account *a, const struct color_map *map, void *memory)
{
    a->map = map;
    a->wanted = memory;
    for (unsigned k = 0; k < ORDERS; k++)
        a->got[k] = a->wanted + (1 + k) * (size_t)map->colors;
    account_reset(a);
}

void account_reset(struct account *a)
{
    struct account fresh = {.map = a->map, .wanted = a->wanted};
    memcpy(fresh.got, a->got, sizeof fresh.got);
    *a = fresh;
    memset(a->wanted, 0, account_bytes(a->map));
}

void account_move(struct account *to, struct account *from)
{
    size_t n = account_bytes(to->map) / sizeof *to->wanted; /* wanted, and got behind it */
    for (size_t i = 0; i < n; i++)
        to->wanted[i] += from->wanted[i];
    to->allocations += from->allocations;
    to->wishes += from->wishes;
    to->missed += from->missed;
    to->failed += from->failed;
    to->probes += from->probes;
    to->distance_sum += from->distance_sum;
    if (from->distance_max > to->distance_max)
        to->distance_max = from->distance_max;
    for (unsigned i = 0; i < NUMA_NODES; i++) {
        to->node_wanted[i] += from->node_wanted[i];
        to->node_got[i] += from->node_got[i];
    }
    to->local += from->local;
    account_reset(from);
}

/* From c to the nearest colour of the block, whose first colour is given, either way round. */
static uint32_t distance_to_block(const struct color_map *map, color_t first, unsigned order,
                                  color_t c)
{
    /* An interval's colours are first, first + 1, ...; else those with the same class. */
    color_t span = map->interval[order] ? 1u << order : 1u << map->shift[order];
    if (!map->interval[order])
        first &= ~(span - 1);
    uint32_t low = color_distance(map, c, first);
    uint32_t high = color_distance(map, c, (first + span - 1) % map->colors);
    return low < high ? low : high;
}

void account_got(struct account *a, color_t want, pfn_t p, unsigned order)
{
    color_t got = color_of(a->map, p);
    if (want == COLOR_NONE) {
        account_any(a, got, a->got[order]);
        return;
    }
    account_hit(a, want, got, a->got[order]);
    if (color_covers(a->map, got, order, want))
        return;
    uint32_t distance = distance_to_block(a->map, got, order, want);
    a->missed++;
    a->distance_sum += distance;
    if (distance > a->distance_max)
        a->distance_max = distance;
}

/* n blocks whose first frame has colour `first`. */
static void add_blocks(const struct color_map *map, color_t first, unsigned order, uint32_t n,
                       uint32_t *frames)
{
    bool interval = map->interval[order];
    color_t span = interval ? 1u << order : 1u << map->shift[order];
    if (!interval)
        first &= ~(span - 1);
    for (color_t i = 0; i < span; i++)
        frames[(first + i) % map->colors] += n * ((1u << order) / span);
}

uint64_t account_frames(const struct account *a, uint32_t *frames)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < ORDERS; k++) {
        for (color_t c = 0; c < a->map->colors; c++) {
            uint32_t n = a->got[k][c];
            if (n)
                add_blocks(a->map, c, k, n, frames);
            sum += (uint64_t)n << k;
        }
    }
    return sum;
}

/* All zero where there is one node. */
static const char *check_nodes(const struct account *a)
{
    uint64_t wanted = 0, got = 0, here = 0;
    for (unsigned i = 0; i < NUMA_NODES; i++) {
        wanted += a->node_wanted[i];
        got += a->node_got[i];
        here += min_u64(a->node_wanted[i], a->node_got[i]);
    }
    if (wanted != got || (wanted && wanted != a->allocations))
        return "account: the nodes do not add up to the allocations";
    return a->local <= here ? NULL : "account: more local blocks than a node wanted and got";
}

static uint64_t sum(const uint32_t *v, uint32_t n)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += v[i];
    return all;
}

const char *account_check(const struct account *a)
{
    uint32_t colors = a->map->colors;
    uint64_t wanted = sum(a->wanted, colors), got = 0;
    for (unsigned k = 0; k < ORDERS; k++)
        got += sum(a->got[k], colors);
    if (got != a->allocations)
        return "account: got does not add up to the allocations";
    if (wanted != a->wishes)
        return "account: wanted does not add up to the wishes";
    if (a->missed > a->wishes)
        return "account: more misses than wishes";
    return check_nodes(a);
}
