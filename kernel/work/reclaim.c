/*
 * reclaim: files read through a page cache that holds some percent of them, by all CPUs.
 *
 * What seed 003 asks: does a bit in a page's flags help almost as much as a list in the order of
 * use, without its cost? For each page that is read find_page(); when it is not there, a page is
 * given up (page_cache_victim()) and takes the place: by the list, by the bit, or with lru=none the
 * next that comes. All under one lock; no disk: time is what the kernel itself spends, and how
 * often a disk would be needed is in `hits`.
 *
 * Which file is read follows Zipf's law: in steps of a power of two each rank is half as likely as
 * the one before, each step as a whole as likely as the other. Files have the sizes of files.h, and
 * are read whole. Reads are independent: nothing is read again soon because it was read just now,
 * and that is all that a list knows and a bit does not.
 */
#include "core/interleave.h"
#include "lab/axis.h"
#include "lab/team.h"
#include "work/file_cache.h"
#include "work/take_page.h"

#include <stdlib.h>

enum { READ, HITS, SEEN, TRANSFERS, DESC_MISSES };

static const struct metric metrics[] = {
    [READ] = {"read", "ns", BETTER_LOWER, METRIC_TIME},
    [HITS] = {"hits", "%", BETTER_HIGHER, METRIC_COUNT},
    [SEEN] = {"seen", "per victim", BETTER_LOWER, METRIC_COUNT},
    [TRANSFERS] = {"transfers", "per page", BETTER_LOWER, METRIC_EVENTS, "model"},
    [DESC_MISSES] = {"desc_misses", "per page", BETTER_LOWER, METRIC_EVENTS, "model"},
};

REGISTER_AXIS(cache, "reclaim", 1, 100, AXIS_NUMBERS, "N[,N...]",
              "size of the page cache, percent of the files", 10, 25, 50);

#define FILES        2048u /* 8,000 pages of 4K */
#define READS        1024u /* files that each CPU reads in a pass, about 4000 pages */
#define WARMUP       8u    /* passes before those that are measured, to fill the cache in use */
#define STREAM_READS 0x7a697066u

static struct file_cache cached;
static uint32_t free_pages; /* of cached.page[] that were taken and hold nothing yet */

/* 2.2's kernel lock, on a line of its own. */
static struct {
    struct lock lock;
} __attribute__((aligned(LINE_BYTES))) kernel;

static struct reader {
    uint16_t file[READS];
    uint64_t pages, hits, victims, seen;
    uint32_t stuck;                               /* no page could be given up */
} __attribute__((aligned(LINE_BYTES))) * readers; /* of each CPU */

/* ---- reading ----------------------------------------------------------------------------------
 */

/* A page for what is not there: a free one while there are, then another's. */
static uint32_t get_page(struct reader *r)
{
    if (free_pages)
        return cached.page[--free_pages];
    uint32_t page = page_cache_victim(&cached.cache, &r->seen);
    r->victims++;
    if (page != PAGE_NR_NONE)
        page_cache_remove(&cached.cache, page);
    return page;
}

static void read_page(struct reader *r, uint32_t inode, uint32_t offset)
{
    struct page_cache *c = &cached.cache;
    lock_take(&kernel.lock);
    uint32_t page = page_cache_find(c, inode, offset);
    if (page != PAGE_NR_NONE) {
        page_cache_put(c, page);
        r->hits++;
    } else {
        page = get_page(r);
        if (page == PAGE_NR_NONE)
            r->stuck = 1;
        else
            page_cache_add(c, page, inode, offset);
    }
    lock_drop(&kernel.lock);
    r->pages++;
    interleave_step();
}

static void read_files(unsigned member, void *arg)
{
    struct reader *r = &readers[member];
    (void)arg;
    for (uint32_t i = 0; i < READS && !r->stuck; i++) {
        const struct file *f = &cached.file[r->file[i]];
        for (uint32_t k = 0; k < f->pages; k++)
            read_page(r, f->inode, k << PAGE_SHIFT);
    }
}

/* A rank from 0, in [2^k - 1, 2^(k+1) - 1) for every k alike. */
static uint32_t draw_rank(struct rng *rng)
{
    uint32_t step = 1u << rng_below(rng, (uint32_t)__builtin_ctz(FILES));
    return step - 1 + rng_below(rng, step);
}

/* ---- a sample ---------------------------------------------------------------------------------
 */

static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    (void)scale;
    return axis_points(&cache_axis, x);
}

/* What the largest cache needs, in memory of which half is free, and a third more: as on a machine
 * that serves files, the cache is a good part of all memory. */
static uint64_t subject_bytes(const struct lab_scale *scale)
{
    (void)scale;
    uint64_t files_bytes = FILES * ((12ul << 10) + PAGE_SIZE);
    return max_u64(files_bytes * axis_largest(&cache_axis) / 100 * 27 / 10, 16ul << 20);
}

static size_t tables_bytes(const struct cache_setup *s, uint64_t bytes)
{
    return table_bytes(hash_bits(s, PAGE_HASH_BITS, bytes));
}

/* One pass of all CPUs: every one draws what it will read, from a stream that goes on. */
static int run_pass(struct sample *s, unsigned n, struct rng *rng, struct lab_team_interval *t)
{
    for (unsigned cpu = 0; cpu < n; cpu++) {
        for (uint32_t i = 0; i < READS; i++)
            readers[cpu].file[i] = (uint16_t)draw_rank(rng);
    }
    if (lab_team(s, n, read_files, NULL, t))
        return -1;
    for (unsigned cpu = 0; cpu < n; cpu++) {
        if (readers[cpu].stuck)
            return lab_fail(s, "CPU %u found no page to give up", cpu);
    }
    return 0;
}

static int measure(struct sample *s, unsigned point, struct rng *rng)
{
    unsigned n = lab_cpus(s);
    struct lab_team_interval t, sum = {.i = {0}};
    uint64_t pages = 0, hits = 0, victims = 0, seen = 0;
    for (unsigned pass = 0; pass < WARMUP; pass++) {
        if (run_pass(s, n, rng, &t))
            return -1;
    }
    for (unsigned cpu = 0; cpu < n; cpu++)
        readers[cpu] = (struct reader){.stuck = 0};
    struct model_range_events before = model_range_events(0);
    for (unsigned pass = 0; pass < lab_passes(s); pass++) {
        if (run_pass(s, n, rng, &t))
            return -1;
        lab_team_add(&sum, &t);
    }
    struct model_range_events after = model_range_events(0);
    for (unsigned cpu = 0; cpu < n; cpu++) {
        pages += readers[cpu].pages;
        hits += readers[cpu].hits;
        victims += readers[cpu].victims;
        seen += readers[cpu].seen;
    }
    lab_team_measured(s, point, READ, &sum, pages);
    lab_value(s, point, HITS, 100 * (double)hits / (double)pages, false);
    if (victims)
        lab_value(s, point, SEEN, (double)seen / (double)victims, false);
    lab_model_value(s, point, TRANSFERS, (double)sum.lines.transfers / (double)pages);
    lab_model_value(s, point, DESC_MISSES, (double)(after.misses - before.misses) / (double)pages);
    return 0;
}

/* Takes pages of the instance until the cache may have so many. */
static int grow(struct sample *s, uint32_t pages)
{
    for (; cached.pages < pages; cached.pages++) {
        uint32_t page = take_page(lab_memory(s), cached.pages);
        if (page == PAGE_NR_NONE)
            return lab_fail(
                s, "no memory left for %u pages; valid: a larger subject=", (unsigned)pages);
        cached.page[free_pages++] = page; /* what was free is in use by now */
    }
    return 0;
}

static int run_points(struct sample *s)
{
    const struct pages *descriptors = cached.cache.pages;
    const struct file *last = &cached.file[FILES - 1];
    uint64_t all = last->first + last->pages;
    model_name_range(0, "descriptors", descriptors->base, descriptors->count * descriptors->stride);
    for (unsigned point = 0; point < lab_points(s); point++) {
        struct rng rng = rng_stream(lab_seed(s), STREAM_READS + point);
        if (grow(s, (uint32_t)max_u64(all * lab_x(s, point) / 100, 1)) || measure(s, point, &rng))
            return -1;
        const char *broken = page_cache_check(&cached.cache);
        if (!broken && cached.cache.table.count + free_pages != cached.pages)
            broken = "pages were lost";
        if (broken)
            return lab_fail(s, "%s", broken);
    }
    return 0;
}

static int run(struct sample *s)
{
    const char *why = file_cache_init(&cached, lab_memory(s), FILES, lab_seed(s));
    free_pages = 0;
    kernel.lock = LOCK_INIT("kernel");
    readers = calloc(lab_cpus(s), sizeof *readers);
    if (!why && !readers)
        why = "no memory left for a list of what is read";
    if (!why && !file_cache_add_inodes(&cached, FILES))
        why = "no memory left for inodes; valid: a larger subject=";
    int bad = why ? lab_fail(s, "%s", why) : run_points(s);
    free(readers);
    file_cache_free(&cached);
    return bad;
}

REGISTER(workload, reclaim) = {
    .name = "reclaim",
    .what = "files read through a small page cache by all CPUs, by lru=, with page_struct=2.2",
    .source = "seed 003: a referenced bit instead of an LRU list",
    .axis = "cache, percent of the files",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .team = true,
    .points = points,
    .subject_bytes = subject_bytes,
    .tables_bytes = tables_bytes,
    .run = run,
};
