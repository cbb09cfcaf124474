/*
 * pagehash: files in a page cache, looked up by all CPUs, by hash function and size of the table.
 *
 * Linux 2.2's find_page() on a cache filled as file_cache.h has it. What a lookup touches: the
 * table, of each descriptor on the way inode, offset and next_hash, of the one found also count and
 * what lru= notes. All under one lock, as there. Files are read from start to end, in random order
 * (lookup=file), or single pages at random (page); with swap=quarter also clusters of the swap
 * cache.
 *
 * In the time of a lookup are the lock, the reference taken and given back, and reading which run
 * of pages comes next: 8 bytes of kernel memory for each run. How keys are spread (probes, used,
 * longest) is counted from the whole table, not from what was looked up.
 */
#include "core/interleave.h"
#include "lab/axis.h"
#include "lab/factor.h"
#include "lab/team.h"
#include "work/file_cache.h"

#include <stdlib.h>

enum {
    LOOKUP,
    PROBES,
    EXPECTED,
    USED,
    LONGEST,
    SWAP_PROBES,
    TRANSFERS,
    TABLE_MISSES,
    TABLE_TRANSFERS,
    DESC_MISSES,
    DESC_TRANSFERS
};

static const struct metric metrics[] = {
    [LOOKUP] = {"lookup", "ns", BETTER_LOWER, METRIC_TIME},
    [PROBES] = {"probes", "per hit", BETTER_LOWER, METRIC_COUNT},
    [EXPECTED] = {"expected", "per hit", BETTER_NONE, METRIC_COUNT, "theory"},
    [USED] = {"used", "%", BETTER_HIGHER, METRIC_COUNT},
    [LONGEST] = {"longest", "pages", BETTER_LOWER, METRIC_COUNT},
    [SWAP_PROBES] = {"swap_probes", "per hit", BETTER_LOWER, METRIC_COUNT},
    [TRANSFERS] = {"transfers", "per lookup", BETTER_LOWER, METRIC_EVENTS, "model"},
    [TABLE_MISSES] = {"table_misses", "per lookup", BETTER_LOWER, METRIC_EVENTS, "model"},
    [TABLE_TRANSFERS] = {"table_transfers", "per lookup", BETTER_LOWER, METRIC_EVENTS, "model"},
    [DESC_MISSES] = {"desc_misses", "per lookup", BETTER_LOWER, METRIC_EVENTS, "model"},
    [DESC_TRANSFERS] = {"desc_transfers", "per lookup", BETTER_LOWER, METRIC_EVENTS, "model"},
};

/* 2.2 kept at most 4096 inodes unless told otherwise (inode-max). */
REGISTER_AXIS(files, "pagehash", 1, 1000000, AXIS_NUMBERS, "N[,N...]", "files in the page cache",
              2500);

static const char *const lookups[] = {"file", "page", NULL};
enum { WHOLE_FILES, SINGLE_PAGES };
REGISTER_CHOICE(lookup, "pagehash", "file", "file|page[,...]",
                "what is looked up: whole files, or single pages", lookups);

static const char *const shares[] = {"none", "quarter", NULL};
enum { NONE, QUARTER };
REGISTER_CHOICE(swap, "pagehash", "none", "none|quarter[,...]",
                "the swap cache's share of the cached pages", shares);

#define LOOKUPS     8192u /* of each CPU in a pass, and the rest of the last file */
#define STREAM_KEYS 0x6b657973u

static struct file_cache cached;

/* 2.2's kernel lock, on a line of its own. */
static struct {
    struct lock lock;
} __attribute__((aligned(LINE_BYTES))) kernel;

static struct reader {
    struct file_key *key;
    uint32_t keys;
    uint32_t absent; /* pages that were not found */
    uint64_t
        lookups; /* in all passes; then the sum of the pages' numbers found, and as it should be */
    uint64_t sum, expected;
    unsigned passes;
} __attribute__((aligned(LINE_BYTES))) readers[CPU_MAX];

/* ---- looking up -------------------------------------------------------------------------------
 */

static void look_up(struct reader *r, uint32_t inode, uint32_t offset)
{
    lock_take(&kernel.lock);
    uint32_t page = page_cache_find(&cached.cache, inode, offset);
    if (page != PAGE_NR_NONE)
        page_cache_put(&cached.cache, page);
    lock_drop(&kernel.lock);
    r->sum += page;
    r->absent += page == PAGE_NR_NONE;
    interleave_step();
}

static void read_keys(unsigned member, void *arg)
{
    struct reader *r = &readers[member];
    (void)arg;
    for (unsigned pass = 0; pass < r->passes; pass++) {
        for (uint32_t i = 0; i < r->keys; i++) {
            uint32_t inode = r->key[i].inode, at = r->key[i].at, step = file_key_step(inode);
            uint32_t left = at & FILE_KEY_PAGES;
            for (at -= left; left; left--, at += step)
                look_up(r, inode, at);
        }
    }
}

static void draw_keys(struct sample *s, unsigned member, unsigned point, unsigned passes)
{
    struct reader *r = &readers[member];
    struct rng rng = rng_stream(lab_seed(s), STREAM_KEYS + CPU_MAX * point + member);
    bool single = lab_choice(s, &lookup_factor) == SINGLE_PAGES;
    *r = (struct reader){.key = r->key, .passes = passes};
    while (r->lookups < LOOKUPS) {
        struct file_key k = file_cache_draw(&cached, &rng, single, &r->expected);
        r->lookups += k.at & FILE_KEY_PAGES;
        r->key[r->keys++] = k;
    }
    r->lookups *= passes;
    r->expected *= passes;
}

static int run_team(struct sample *s, unsigned n, unsigned point, unsigned passes,
                    struct lab_team_interval *t)
{
    for (unsigned cpu = 0; cpu < n; cpu++)
        draw_keys(s, cpu, point, passes);
    if (lab_team(s, n, read_keys, NULL, t))
        return -1;
    for (unsigned cpu = 0; cpu < n; cpu++) {
        if (readers[cpu].absent || readers[cpu].sum != readers[cpu].expected)
            return lab_fail(s, "CPU %u found other pages than are cached; %u not at all", cpu,
                            (unsigned)readers[cpu].absent);
    }
    return 0;
}

/* ---- a sample ---------------------------------------------------------------------------------
 */

static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    (void)scale;
    return axis_points(&files_axis, x);
}

/* What the files need with swap=quarter, in memory of which half is free, and a fifth more. The
 * post's machine had 128 MB. */
static uint64_t subject_bytes(const struct lab_scale *scale)
{
    (void)scale;
    return max_u64(axis_largest(&files_axis) * ((36ul << 10) + 4 * PAGE_SIZE), 128ul << 20);
}

static size_t tables_bytes(const struct cache_setup *s, uint64_t bytes)
{
    return table_bytes(hash_bits(s, PAGE_HASH_BITS, bytes));
}

static void count_shape(struct sample *s, unsigned point)
{
    const struct table *t = &cached.cache.table;
    struct table_shape shape = table_shape(t);
    double buckets = (double)(1u << t->bits);
    lab_value(s, point, PROBES, (double)shape.probes / t->count, false);
    lab_value(s, point, EXPECTED, 1 + (t->count - 1) / (2 * buckets), false);
    lab_value(s, point, USED, 100 * shape.used / buckets, false);
    lab_value(s, point, LONGEST, shape.longest, false);
    if (cached.swaps)
        lab_value(s, point, SWAP_PROBES, file_cache_swap_probes(&cached), false);
}

static int measure(struct sample *s, unsigned point)
{
    const struct pages *pages = cached.cache.pages;
    unsigned n = lab_cpus(s);
    struct lab_team_interval t;
    struct model_range_events before[2];
    uint64_t all = 0;
    model_name_range(0, "table", cached.cache.table.head, table_bytes(cached.cache.table.bits));
    model_name_range(1, "descriptors", pages->base, pages->count * pages->stride);
    if (run_team(s, n, point, 1, &t)) /* fills the processors' caches */
        return -1;
    for (unsigned i = 0; i < 2; i++)
        before[i] = model_range_events(i);
    if (run_team(s, n, point, lab_passes(s), &t))
        return -1;
    for (unsigned cpu = 0; cpu < n; cpu++)
        all += readers[cpu].lookups;
    lab_team_measured(s, point, LOOKUP, &t, all);
    lab_model_value(s, point, TRANSFERS, (double)t.lines.transfers / (double)all);
    for (unsigned i = 0; i < 2; i++) {
        struct model_range_events e = model_range_events(i);
        uint64_t misses = e.misses - before[i].misses;
        uint64_t transfers = e.transfers - before[i].transfers;
        lab_model_value(s, point, i ? DESC_MISSES : TABLE_MISSES, (double)misses / (double)all);
        lab_model_value(s, point, i ? DESC_TRANSFERS : TABLE_TRANSFERS,
                        (double)transfers / (double)all);
    }
    count_shape(s, point);
    const char *broken = page_cache_check(&cached.cache);
    return broken ? lab_fail(s, "%s", broken) : 0;
}

static int run_points(struct sample *s)
{
    for (unsigned point = 0; point < lab_points(s); point++) {
        uint32_t files = (uint32_t)lab_x(s, point);
        if (!file_cache_fill(&cached, files, lab_choice(s, &swap_factor) == QUARTER))
            return lab_fail(s, "no memory left for %u files; valid: more subject=, fewer files=",
                            (unsigned)files);
        if (measure(s, point))
            return -1;
    }
    const char *left = file_cache_empty(&cached);
    return left ? lab_fail(s, "%s", left) : 0;
}

static bool make_keys(unsigned n)
{
    bool room = true;
    for (unsigned cpu = 0; cpu < n; cpu++) {
        readers[cpu].key = malloc(LOOKUPS * sizeof *readers[cpu].key);
        room &= readers[cpu].key != NULL;
    }
    return room;
}

static int run(struct sample *s)
{
    unsigned n = lab_cpus(s);
    const char *why =
        file_cache_init(&cached, lab_memory(s), (uint32_t)axis_largest(&files_axis), lab_seed(s));
    if (!make_keys(n) && !why)
        why = "no memory left for keys";
    kernel.lock = LOCK_INIT("kernel");
    int bad = why ? lab_fail(s, "%s", why) : run_points(s);
    for (unsigned cpu = 0; cpu < n; cpu++)
        free(readers[cpu].key);
    file_cache_free(&cached);
    return bad;
}

REGISTER(workload, pagehash) = {
    .name = "pagehash",
    .what = "files looked up in a page cache by all CPUs, by hash=, with page_struct=2.2",
    .source = "seed 003; Linux 2.2's page cache; Lever 2000",
    .axis = "files",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .team = true,
    .points = points,
    .subject_bytes = subject_bytes,
    .tables_bytes = tables_bytes,
    .run = run,
};
