/*
 * getblk: blocks looked up in a buffer cache by all CPUs; of five lookups four find one.
 *
 * What Linux 2.2's getblk() does up to a hit, and brelse(), under the kernel lock. What a hit costs
 * beyond finding it is what seed 003 speaks of: with lru=list the buffer is put last in its list,
 * with lru=referenced a bit is set in the flags of its page, in another part of memory, and with
 * buffer=flushtime its flush time is cleared; the first and the last unless it is dirty, so the
 * axis is how many are (dirty=). A lookup that finds nothing walks the whole chain; what would
 * follow, a new buffer and a disk, is left out.
 *
 * In the time of a lookup are the lock, giving the reference back, and reading which block comes
 * next, 8 bytes of kernel memory. How blocks are spread (probes, used, longest) is counted from the
 * whole table.
 */
#include "core/interleave.h"
#include "lab/axis.h"
#include "lab/factor.h"
#include "lab/team.h"
#include "mm/own.h"
#include "work/block_cache.h"

#include <stdlib.h>

enum {
    GETBLK,
    HITS,
    PROBES,
    USED,
    LONGEST,
    TRANSFERS,
    TABLE_MISSES,
    HEAD_MISSES,
    PAGE_MISSES,
    TABLE_TRANSFERS,
    HEAD_TRANSFERS,
    PAGE_TRANSFERS
};

static const struct metric metrics[] = {
    [GETBLK] = {"getblk", "ns", BETTER_LOWER, METRIC_TIME},
    [HITS] = {"hits", "%", BETTER_NONE, METRIC_COUNT},
    [PROBES] = {"probes", "per hit", BETTER_LOWER, METRIC_COUNT},
    [USED] = {"used", "%", BETTER_HIGHER, METRIC_COUNT},
    [LONGEST] = {"longest", "buffers", BETTER_LOWER, METRIC_COUNT},
    [TRANSFERS] = {"transfers", "per getblk", BETTER_LOWER, METRIC_EVENTS, "model"},
    [TABLE_MISSES] = {"table_misses", "per getblk", BETTER_LOWER, METRIC_EVENTS, "model"},
    [HEAD_MISSES] = {"head_misses", "per getblk", BETTER_LOWER, METRIC_EVENTS, "model"},
    [PAGE_MISSES] = {"page_misses", "per getblk", BETTER_LOWER, METRIC_EVENTS, "model"},
    [TABLE_TRANSFERS] = {"table_transfers", "per getblk", BETTER_LOWER, METRIC_EVENTS, "model"},
    [HEAD_TRANSFERS] = {"head_transfers", "per getblk", BETTER_LOWER, METRIC_EVENTS, "model"},
    [PAGE_TRANSFERS] = {"page_transfers", "per getblk", BETTER_LOWER, METRIC_EVENTS, "model"},
};

static const char *const flushtimes[] = {"flushtime", "none", NULL};
enum { FLUSHTIME, NONE };
REGISTER_CHOICE(buffer, "getblk", "flushtime", "flushtime|none[,...]",
                "whether getblk clears the flush time of a buffer that it finds", flushtimes);

REGISTER_AXIS(dirty, "getblk", 1, 100, AXIS_OR_ZERO, "N[,N...]", "percent of the buffers dirty", 10,
              90);

#define LOOKUPS     8192u /* of each CPU in a pass */
#define STREAM_KEYS 0x67657462u

static struct block_cache *cached; /* own memory: some 60 kB */

/* 2.2's kernel lock, on a line of its own. */
static struct {
    struct lock lock;
} __attribute__((aligned(LINE_BYTES))) kernel;

static struct reader {
    struct block *key;      /* LOOKUPS */
    uint64_t sum, expected; /* of the heads' numbers */
    uint32_t hits, expected_hits;
    unsigned passes;
} __attribute__((aligned(LINE_BYTES))) readers[CPU_MAX];

static void look_up(unsigned member, void *arg)
{
    struct reader *r = &readers[member];
    struct buffer_cache *c = &cached->cache;
    (void)arg;
    for (unsigned pass = 0; pass < r->passes; pass++) {
        for (uint32_t i = 0; i < LOOKUPS; i++) {
            lock_take(&kernel.lock);
            uint32_t nr = buffer_getblk(c, r->key[i].dev, r->key[i].number, BLOCK_BYTES);
            if (nr != TABLE_NONE) {
                buffer_release(c, nr);
                r->sum += nr;
                r->hits++;
            }
            lock_drop(&kernel.lock);
            interleave_step();
        }
    }
}

/* Blocks in use, all equally likely. */
static void draw_keys(struct sample *s, unsigned member, unsigned point, unsigned passes)
{
    struct reader *r = &readers[member];
    struct rng rng = rng_stream(lab_seed(s), STREAM_KEYS + CPU_MAX * point + member);
    *r = (struct reader){.key = r->key, .passes = passes};
    for (uint32_t i = 0; i < LOOKUPS; i++) {
        uint32_t b = rng_below(&rng, BLOCKS);
        r->key[i] = cached->block[b];
        r->expected += b < BUFFERS ? cached->head[b] : 0;
        r->expected_hits += b < BUFFERS;
    }
    r->expected *= passes;
    r->expected_hits *= passes;
}

static int run_team(struct sample *s, unsigned n, unsigned point, unsigned passes,
                    struct lab_team_interval *t)
{
    for (unsigned cpu = 0; cpu < n; cpu++)
        draw_keys(s, cpu, point, passes);
    if (lab_team(s, n, look_up, NULL, t))
        return -1;
    for (unsigned cpu = 0; cpu < n; cpu++) {
        if (readers[cpu].hits != readers[cpu].expected_hits ||
            readers[cpu].sum != readers[cpu].expected)
            return lab_fail(s, "CPU %u found other blocks than are cached", cpu);
    }
    return 0;
}

/* ---- a sample ---------------------------------------------------------------------------------
 */

static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    (void)scale;
    return axis_points(&dirty_axis, x);
}

static uint64_t subject_bytes(const struct lab_scale *scale)
{
    (void)scale;
    return 128ul << 20; /* the post's machine */
}

static size_t tables_bytes(const struct cache_setup *s, uint64_t bytes)
{
    return table_bytes(hash_bits(s, BUFFER_HASH_BITS, bytes));
}

static void name_ranges(void)
{
    const struct buffer_cache *c = &cached->cache;
    model_name_range(0, "table", c->table.head, table_bytes(c->table.bits));
    model_name_range(1, "heads", block_cache_heads(cached, 0), PAGE_SIZE);
    for (uint32_t i = 1; i < BLOCK_HEAD_PAGES; i++)
        model_extend_range(1, block_cache_heads(cached, i), PAGE_SIZE);
    model_name_range(2, "descriptors", c->pages->base, c->pages->count * c->pages->stride);
}

static void count_shape(struct sample *s, unsigned point)
{
    const struct table *t = &cached->cache.table;
    struct table_shape shape = table_shape(t);
    lab_value(s, point, PROBES, (double)shape.probes / t->count, false);
    lab_value(s, point, USED, 100 * shape.used / (double)(1u << t->bits), false);
    lab_value(s, point, LONGEST, shape.longest, false);
}

static int measure(struct sample *s, unsigned point)
{
    unsigned n = lab_cpus(s);
    double all = (double)n * LOOKUPS * lab_passes(s), hits = 0;
    struct lab_team_interval t;
    struct model_range_events before[3];
    if (run_team(s, n, point, 1, &t)) /* fills the processors' caches */
        return -1;
    for (unsigned i = 0; i < 3; i++)
        before[i] = model_range_events(i);
    if (run_team(s, n, point, lab_passes(s), &t))
        return -1;
    for (unsigned i = 0; i < 3; i++) {
        struct model_range_events e = model_range_events(i);
        lab_model_value(s, point, TABLE_MISSES + i, (double)(e.misses - before[i].misses) / all);
        lab_model_value(s, point, TABLE_TRANSFERS + i,
                        (double)(e.transfers - before[i].transfers) / all);
    }
    for (unsigned cpu = 0; cpu < n; cpu++)
        hits += readers[cpu].hits;
    lab_team_measured(s, point, GETBLK, &t, (uint64_t)all);
    lab_model_value(s, point, TRANSFERS, (double)t.lines.transfers / all);
    lab_value(s, point, HITS, 100 * hits / all, false);
    count_shape(s, point);
    const char *broken = buffer_cache_check(&cached->cache, cached->limit);
    return broken ? lab_fail(s, "%s", broken) : 0;
}

static int run_points(struct sample *s)
{
    name_ranges();
    for (unsigned point = 0; point < lab_points(s); point++) {
        block_cache_dirty(cached, (uint32_t)lab_x(s, point));
        if (measure(s, point))
            return -1;
    }
    const char *left = block_cache_empty(cached);
    return left ? lab_fail(s, "%s", left) : 0;
}

static int run(struct sample *s)
{
    unsigned n = lab_cpus(s);
    bool room = true;
    if (!cached)
        cached = own_array(sizeof *cached);
    for (unsigned cpu = 0; cpu < n; cpu++) {
        readers[cpu].key = malloc(LOOKUPS * sizeof *readers[cpu].key);
        room &= readers[cpu].key != NULL;
    }
    const char *why = "no memory left for a list of the blocks";
    if (cached && room)
        why = block_cache_init(cached, lab_memory(s), lab_choice(s, &buffer_factor) == FLUSHTIME,
                               lab_seed(s));
    kernel.lock = LOCK_INIT("kernel");
    int bad = why ? lab_fail(s, "%s", why) : run_points(s);
    for (unsigned cpu = 0; cpu < n; cpu++)
        free(readers[cpu].key);
    return bad;
}

REGISTER(workload, getblk) = {
    .name = "getblk",
    .what = "blocks looked up in a buffer cache by all CPUs, by lru=, buffer= and hash=",
    .source = "seed 003; Linux 2.2's fs/buffer.c",
    .axis = "dirty buffers, percent",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .team = true,
    .points = points,
    .subject_bytes = subject_bytes,
    .tables_bytes = tables_bytes,
    .run = run,
};
