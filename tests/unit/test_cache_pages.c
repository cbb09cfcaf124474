/*
 * The page cache: found, kept and forgotten as a naive list has it, for each way of noting use; and
 * how hash functions spread the pages of files whose inodes lie together, or anywhere.
 */
#include "host.h"

#include "mm_instance.h"
#include "work/file_cache.h"
#include "work/files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct instance in;

static void build(const char *hash, enum cache_lru lru, const char *shape, const char *age,
                  uint64_t frames)
{
    struct pfn_range range = {pfn(4096), pfn(4096 + frames)};
    struct setup s = instance_setup("buddy", "next", "off", age);
    char err[256];
    if (page_layout_parse(shape, &s.layout, err, sizeof err) ||
        hash_parse(hash, &s.cache, err, sizeof err))
        fail_msg("%s", err);
    s.cache.lru = lru;
    s.cache.tables_bytes = table_bytes(hash_bits(&s.cache, PAGE_HASH_BITS, frames << PAGE_SHIFT));
    instance_build(&in, &s, &range, 1, 1);
}

/* ---- one page cache ----------------------------------------------------------------------------
 */

#define PAGES      400
#define OPERATIONS 200000

static struct {
    struct page_cache cache;
    uint32_t page[PAGES]; /* descriptors */
    uint32_t inode[PAGES], offset[PAGES];
    bool there[PAGES];
    uint32_t extra[PAGES];    /* references that were taken */
    uint32_t order[PAGES], n; /* by use, oldest first */
    bool marked[PAGES];
    uint32_t hand;     /* a descriptor */
    uint32_t of[1024]; /* by descriptor: whose it is, or PAGES */
} t;

static void forget(uint32_t i)
{
    uint32_t at = 0;
    while (t.order[at] != i)
        at++;
    memmove(t.order + at, t.order + at + 1, (--t.n - at) * sizeof *t.order);
}

static uint32_t naive_find(uint32_t inode, uint32_t offset)
{
    for (uint32_t i = 0; i < PAGES; i++) {
        if (t.there[i] && t.inode[i] == inode && t.offset[i] == offset)
            return i;
    }
    return PAGES;
}

/* A place in one of 40 files of 20 pages, or in the swap cache. */
static void draw_place(struct rng *rng, uint32_t *inode, uint32_t *offset)
{
    uint32_t file = rng_below(rng, 41);
    *inode = file == 40 ? SWAPPER_INODE : inode_address(7 + file / 14, file % 14);
    *offset = file == 40 ? SWAP_ENTRY(1 + rng_below(rng, 60)) : rng_below(rng, 20) << PAGE_SHIFT;
}

static void look_up(struct rng *rng)
{
    uint32_t inode, offset;
    draw_place(rng, &inode, &offset);
    uint32_t i = naive_find(inode, offset);
    if (i == PAGES) {
        assert_int_equal(page_cache_find(&t.cache, inode, offset), PAGE_NR_NONE);
        return;
    }
    assert_int_equal(page_cache_find(&t.cache, inode, offset), t.page[i]);
    t.marked[i] |= t.cache.lru == LRU_KIND_REFERENCED;
    t.extra[i]++;
    forget(i);
    t.order[t.n++] = i;
}

static uint32_t naive_victim(uint64_t *seen)
{
    *seen = 0;
    for (uint32_t k = 0; t.cache.lru == LRU_KIND_LIST && k < t.n; k++) {
        ++*seen;
        if (!t.extra[t.order[k]])
            return t.order[k];
    }
    for (uint32_t k = 0; t.cache.lru != LRU_KIND_LIST && k < 2 * 1024; k++) {
        uint32_t i = t.of[t.hand];
        t.hand = (t.hand + 1) % 1024;
        ++*seen;
        if (i == PAGES || !t.there[i] || t.extra[i])
            continue;
        if (!t.marked[i])
            return i;
        t.marked[i] = false;
    }
    return PAGES;
}

static void give_up(void)
{
    uint64_t seen = 0, naive_seen;
    uint32_t i = naive_victim(&naive_seen), page = page_cache_victim(&t.cache, &seen);
    assert_int_equal(seen, naive_seen);
    assert_int_equal(page, i == PAGES ? PAGE_NR_NONE : t.page[i]);
    if (i == PAGES)
        return;
    page_cache_remove(&t.cache, page);
    t.there[i] = false;
    forget(i);
}

static void add_or_remove(struct rng *rng)
{
    uint32_t i = rng_below(rng, PAGES), inode, offset;
    if (t.there[i] && !t.extra[i]) {
        page_cache_remove(&t.cache, t.page[i]);
        t.there[i] = false;
        forget(i);
    } else if (t.there[i]) {
        page_cache_put(&t.cache, t.page[i]);
        t.extra[i]--;
    } else {
        draw_place(rng, &inode, &offset);
        if (naive_find(inode, offset) < PAGES)
            return;
        page_cache_add(&t.cache, t.page[i], inode, offset);
        t.inode[i] = inode;
        t.offset[i] = offset;
        t.there[i] = true;
        t.order[t.n++] = i;
    }
}

static void compare(void)
{
    const struct pages *pages = t.cache.pages;
    const char *broken = page_cache_check(&t.cache);
    if (broken)
        fail_msg("%s", broken);
    assert_int_equal(t.cache.table.count, t.n);
    for (uint32_t i = 0; i < PAGES; i++) {
        assert_int_equal(*page_field(pages, t.page[i], pages->shape->count),
                         t.there[i] ? 1 + t.extra[i] : 0);
        assert_int_equal(!!(page_flags(pages, t.page[i]) & PAGE_REFERENCED), t.marked[i]);
    }
    if (t.cache.lru != LRU_KIND_LIST)
        return;
    uint32_t at = t.cache.queue.first;
    for (uint32_t i = 0; i < t.n; i++, at = *page_next(pages, at))
        assert_int_equal(at, t.page[t.order[i]]);
}

static void against_the_list(const char *hash, enum cache_lru lru, const char *shape)
{
    struct rng rng = {9};
    build(hash, lru, shape, "off", 1024);
    memset(&t, 0, sizeof t);
    assert_null(page_cache_init(&t.cache, &in.memory.pages, &in.setup.cache, 6, in.memory.tables));
    for (uint32_t i = 0; i < PAGES; i++) {
        struct place_request q = {.pid = 1};
        t.page[i] = page_nr(&in.memory.pages, instance_alloc(&in, &q));
    }
    for (uint32_t nr = 0; nr < 1024; nr++)
        t.of[nr] = PAGES;
    for (uint32_t i = 0; i < PAGES; i++)
        t.of[t.page[i]] = i;
    assert_null(page_cache_check(&t.cache));
    give_up(); /* of an empty cache: none */
    for (unsigned i = 0; i < OPERATIONS; i++) {
        if (rng_below(&rng, 20) == 0)
            give_up();
        else if (rng_below(&rng, 2))
            look_up(&rng);
        else
            add_or_remove(&rng);
        if (i % 1000 == 0)
            compare();
    }
    compare();
    assert_null(memory_check(&in.memory));
    instance_drop(&in);
}

static void pages_are_found_as_in_a_list(void **state)
{
    (void)state;
    for (enum cache_lru lru = LRU_KIND_LIST; lru <= LRU_KIND_NONE; lru++) {
        against_the_list("2.2", lru, "2.2:40");
        against_the_list("mul", lru, "2.2:64+8");
        against_the_list("2.2.16", lru, "2.2l:88");
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    build("2.2", LRU_KIND_NONE, "2.6:56", "off", 1024);
    const char *why =
        page_cache_init(&t.cache, &in.memory.pages, &in.setup.cache, 6, in.memory.tables);
    assert_non_null(strstr(why, "valid: page_struct=2.2 and 2.2l"));
    instance_drop(&in);
    build("2.2", LRU_KIND_NONE, "2.2", "off", 1024);
    in.memory.pages.count = I386_PAGES + 1;
    why = page_cache_init(&t.cache, &in.memory.pages, &in.setup.cache, 6, in.memory.tables);
    assert_non_null(strstr(why, "valid: subject= up to 4G"));
    instance_drop(&in);
}

/* ---- files -------------------------------------------------------------------------------------
 */

/* The survey's table: shares of files up to a size, and the mean that follows, within 3 s. */
static void sizes_are_those_of_the_survey(void **state)
{
    enum { N = 200000 };
    static const struct {
        uint32_t kib;
        double share; /* of the files up to 1 MiB */
    } upto[] = {{4, .7244}, {8, .8186}, {16, .8908}, {64, .9669}, {256, .992}, {1020, 1}};
    struct rng rng = {2};
    uint64_t below[ARRAY_SIZE(upto)] = {0}, sum = 0;
    (void)state;
    for (unsigned i = 0; i < N; i++) {
        uint32_t kib = file_kib(&rng);
        assert_true(kib >= 4 && kib <= FILE_KIB_MAX && kib % 4 == 0);
        sum += kib;
        for (unsigned k = 0; k < ARRAY_SIZE(upto); k++)
            below[k] += kib <= upto[k].kib;
    }
    for (unsigned k = 0; k < ARRAY_SIZE(upto); k++)
        assert_true(fabs((double)below[k] / N - upto[k].share) < 0.003);
    assert_true(fabs((double)sum / N - 14.9) < 0.5);
}

/* What is drawn is there, as often as it must be, and nothing else. */
static void keys_are_of_cached_pages(void **state)
{
    static struct file_cache f;
    (void)state;
    for (unsigned single = 0; single < 2; single++) {
        struct rng rng = {4};
        uint64_t sum = 0, expected = 0, lookups = 0, swapped = 0;
        build("2.2", LRU_KIND_NONE, "2.2", "off", 8192);
        assert_null(file_cache_init(&f, &in.memory, 500, 3));
        assert_true(file_cache_fill(&f, 100, false));
        assert_true(file_cache_fill(&f, 500, true));
        assert_int_equal(f.swaps, f.pages / 3);
        for (unsigned i = 0; i < 20000; i++) {
            struct file_key k = file_cache_draw(&f, &rng, single, &expected);
            uint32_t n = k.at & FILE_KEY_PAGES;
            assert_true(n >= 1 && (!single || n == 1));
            for (uint32_t p = 0; p < n; p++) {
                uint32_t at = (k.at & ~FILE_KEY_PAGES) + p * file_key_step(k.inode);
                uint32_t page = page_cache_find(&f.cache, k.inode, at);
                assert_int_not_equal(page, PAGE_NR_NONE);
                page_cache_put(&f.cache, page);
                sum += page;
            }
            lookups += n;
            swapped += k.inode == SWAPPER_INODE ? n : 0;
        }
        assert_int_equal(sum, expected);
        assert_true(fabs((double)swapped / (double)lookups - 0.25) < 0.02);
        assert_null(file_cache_empty(&f));
        file_cache_free(&f);
        instance_drop(&in);
    }
}

static void full_memory_is_said(void **state)
{
    static struct file_cache f;
    (void)state;
    build("2.2", LRU_KIND_NONE, "2.2", "off", 1024);
    assert_null(file_cache_init(&f, &in.memory, 5000, 3));
    assert_false(file_cache_fill(&f, 5000, false));
    assert_null(page_cache_check(&f.cache));
    file_cache_free(&f);
    instance_drop(&in);
}

/* ---- how keys are spread -----------------------------------------------------------------------
 */

#define FILES 6000 /* with 23,000 pages and 429 pages of inodes */

/* How many other pages a lookup meets on average, over what random buckets would give. */
static double crowd(const char *kind, unsigned bits, const char *age)
{
    static struct file_cache f;
    char hash[16];
    snprintf(hash, sizeof hash, "%s:%u", kind, bits);
    build(hash, LRU_KIND_NONE, "2.2", age, 60000);
    assert_null(file_cache_init(&f, &in.memory, FILES, 7));
    assert_true(file_cache_fill(&f, FILES, false));
    struct table_shape shape = table_shape(&f.cache.table);
    double n = f.cache.table.count, met = (double)shape.probes / n - 1;
    double random = (n - 1) / (2 * (double)(1u << bits));
    file_cache_free(&f);
    instance_drop(&in);
    return met / random;
}

#define FRESH "off"
#define AGED  "4:95:50"

/* What the workload is there to show: within() is far wider than another seed changes it. */
static void within(double low, double value, double high)
{
    if (value < low || value > high)
        fail_msg("%.2f is not from %.2f to %.2f", value, low, high);
}

/* Of 2^11 buckets s(i + o) makes good use, and much better than i + o alone: a page of inodes is
 * 1024 of its units, so that all inodes of a place in their page share two buckets. */
static void small_tables_need_the_fold(void **state)
{
    (void)state;
    within(0.9, crowd("2.2", 11, FRESH), 1.1);
    within(0.9, crowd("2.2", 11, AGED), 1.1);
    within(5, crowd("2.2.16", 11, FRESH), 9);
    within(5, crowd("2.2.16", 11, AGED), 9);
}

/* In larger ones the fold has fewer bits of the page's number to bring in: pages of inodes that
 * follow each other crowd, more so with each bit, where scattered ones do not. */
static void large_tables_depend_on_where_inodes_lie(void **state)
{
    double before = 1;
    (void)state;
    for (unsigned bits = 14; bits <= 16; bits++) {
        double fresh = crowd("2.2", bits, FRESH);
        within(before + 0.04, fresh, 2);
        within(0.9, crowd("2.2", bits, AGED), 1.1);
        before = fresh;
    }
}

static void a_multiplication_spreads_at_every_size(void **state)
{
    (void)state;
    for (unsigned bits = 11; bits <= 16; bits++) {
        within(0.8, crowd("mul", bits, FRESH), 1.1);
        within(0.9, crowd("mul", bits, AGED), 1.1);
    }
}

/* Sixteen swap entries to a bucket, until a function of their own, or their low bits, spread them.
 */
static void swap_entries_crowd(void **state)
{
    static struct file_cache f;
    static const struct {
        const char *hash;
        double low, high;
    } cases[] = {{"2.2:14", 8, 10}, {"swap:14", 1, 2}, {"2.2.16:14", 1, 2}};
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        build(cases[i].hash, LRU_KIND_NONE, "2.2", FRESH, 60000);
        assert_null(file_cache_init(&f, &in.memory, 2500, 7));
        assert_true(file_cache_fill(&f, 2500, true));
        double probes = file_cache_swap_probes(&f);
        within(cases[i].low, probes, cases[i].high);
        file_cache_free(&f);
        instance_drop(&in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_found_as_in_a_list),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(sizes_are_those_of_the_survey),
        cmocka_unit_test(keys_are_of_cached_pages),
        cmocka_unit_test(full_memory_is_said),
        cmocka_unit_test(small_tables_need_the_fold),
        cmocka_unit_test(large_tables_depend_on_where_inodes_lie),
        cmocka_unit_test(a_multiplication_spreads_at_every_size),
        cmocka_unit_test(swap_entries_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
