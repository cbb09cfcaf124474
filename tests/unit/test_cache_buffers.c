/*
 * The buffer cache: what getblk finds and notes in each of its six forms, as a naive list has it;
 * and a cache filled as the workload fills it, in real memory.
 */
#include "host.h"

#include "mm_instance.h"
#include "work/block_cache.h"

#include <stdlib.h>
#include <string.h>

#define BYTES      512u
#define BLOCKS_MAX 600
#define OPERATIONS 200000

static struct instance in;
static void *frames; /* an instance over real memory */

static void build(enum cache_lru lru, unsigned bits, uint64_t pages)
{
    struct setup s = instance_setup("buddy", "next", "off", "off");
    char err[256];
    frames = aligned_alloc(PAGE_SIZE, pages << PAGE_SHIFT);
    memset(frames, 0xa5, pages << PAGE_SHIFT);
    struct pfn_range range = {pfn((uintptr_t)frames >> PAGE_SHIFT), PFN_NONE};
    range.end = pfn(range.start.n + pages);
    if (page_layout_parse("2.2", &s.layout, err, sizeof err) ||
        hash_parse("2.2", &s.cache, err, sizeof err))
        fail_msg("%s", err);
    s.cache.lru = lru;
    s.cache.hash_bits = (uint8_t)bits;
    s.cache.tables_bytes = table_bytes(bits);
    instance_build(&in, &s, &range, 1, 1);
}

static void drop(void)
{
    instance_drop(&in);
    free(frames);
}

/* ---- against a list ---------------------------------------------------------------------------
 */

static struct {
    struct buffer_cache cache;
    bool there[BLOCKS_MAX], dirty[BLOCKS_MAX];
    uint32_t dev[BLOCKS_MAX], block[BLOCKS_MAX], count[BLOCKS_MAX], flushtime[BLOCKS_MAX];
    uint32_t order[BUFFER_LISTS][BLOCKS_MAX], n[BUFFER_LISTS]; /* by use, oldest first */
    bool marked[BLOCKS_MAX / 4 + 1];                           /* pages of data */
} t;

/* Head i lies at the place of its own that slabs would give it; its data are four to a page. */
static uint32_t head(uint32_t i)
{
    return i / BUFFERS_PER_PAGE * (uint32_t)(PAGE_SIZE / BUFFER_UNIT) +
           i % BUFFERS_PER_PAGE * (BUFFER_STRIDE / BUFFER_UNIT);
}

#define DATA_PAGE(i) (200 + (i) / 4)

static void forget(unsigned list, uint32_t i)
{
    uint32_t at = 0;
    while (t.order[list][at] != i)
        at++;
    memmove(t.order[list] + at, t.order[list] + at + 1, (--t.n[list] - at) * sizeof **t.order);
}

static void look_up(struct rng *rng, enum cache_lru lru, bool flushtime)
{
    uint32_t dev = 1 + rng_below(rng, 3), block = rng_below(rng, 300), i = 0;
    uint32_t size = rng_below(rng, 20) ? BYTES : 2 * BYTES;
    while (i < BLOCKS_MAX && !(t.there[i] && t.dev[i] == dev && t.block[i] == block))
        i++;
    uint32_t nr = buffer_getblk(&t.cache, dev, block, size);
    if (i == BLOCKS_MAX || size != BYTES) {
        assert_int_equal(nr, TABLE_NONE);
        return;
    }
    assert_int_equal(nr, head(i));
    t.count[i]++;
    if (!t.dirty[i] && lru == LRU_KIND_LIST) {
        forget(BUFFER_LIST_CLEAN, i);
        t.order[BUFFER_LIST_CLEAN][t.n[BUFFER_LIST_CLEAN]++] = i;
    }
    if (!t.dirty[i] && flushtime)
        t.flushtime[i] = 0;
    if (lru == LRU_KIND_REFERENCED)
        t.marked[i / 4] = true;
}

static void change(struct rng *rng)
{
    uint32_t i = rng_below(rng, BLOCKS_MAX);
    if (!t.there[i]) {
        uint32_t dev = 1 + rng_below(rng, 3), block = rng_below(rng, 300);
        for (uint32_t k = 0; k < BLOCKS_MAX; k++) {
            if (t.there[k] && t.dev[k] == dev && t.block[k] == block)
                return;
        }
        buffer_cache_add(&t.cache, head(i), dev, block, BYTES,
                         i386_address(DATA_PAGE(i)) + i % 4 * BYTES);
        buffer_at(&t.cache, head(i))->flushtime = t.flushtime[i] = 77;
        t.there[i] = true;
        t.dirty[i] = false;
        t.dev[i] = dev;
        t.block[i] = block;
        t.order[BUFFER_LIST_CLEAN][t.n[BUFFER_LIST_CLEAN]++] = i;
    } else if (t.count[i]) {
        buffer_release(&t.cache, head(i));
        t.count[i]--;
    } else if (!t.dirty[i] && rng_below(rng, 2)) {
        buffer_mark_dirty(&t.cache, head(i), 99);
        forget(BUFFER_LIST_CLEAN, i);
        t.order[BUFFER_LIST_DIRTY][t.n[BUFFER_LIST_DIRTY]++] = i;
        t.dirty[i] = true;
        t.flushtime[i] = 99;
    } else {
        buffer_cache_remove(&t.cache, head(i));
        forget(t.dirty[i] ? BUFFER_LIST_DIRTY : BUFFER_LIST_CLEAN, i);
        t.there[i] = false;
    }
}

static void compare(void)
{
    const char *broken = buffer_cache_check(&t.cache, head(BLOCKS_MAX));
    if (broken)
        fail_msg("%s", broken);
    for (uint32_t i = 0; i < BLOCKS_MAX; i++) {
        const struct buffer_head *b = buffer_at(&t.cache, head(i));
        bool marked = page_flags(&in.memory.pages, DATA_PAGE(i)) & PAGE_REFERENCED;
        assert_int_equal(marked, t.marked[i / 4]);
        if (!t.there[i])
            continue;
        assert_int_equal(b->count, t.count[i]);
        assert_int_equal(b->flushtime, t.flushtime[i]);
    }
    for (unsigned list = 0; list < BUFFER_LISTS; list++) {
        uint32_t at = t.cache.list[list].first;
        assert_int_equal(t.cache.list[list].count, t.n[list]);
        for (uint32_t i = 0; i < t.n[list]; i++, at = buffer_at(&t.cache, at)->next_free)
            assert_int_equal(at, head(t.order[list][i]));
    }
}

static void each_form_of_getblk(void **state)
{
    (void)state;
    for (unsigned form = 0; form < 6; form++) {
        struct rng rng = {form + 1};
        enum cache_lru lru = (enum cache_lru)(form / 2);
        build(lru, 7, 512);
        memset(&t, 0, sizeof t);
        assert_null(buffer_cache_init(&t.cache, frames, &in.memory.pages, &in.setup.cache, form % 2,
                                      7, in.memory.tables));
        for (unsigned i = 0; i < OPERATIONS; i++) {
            if (rng_below(&rng, 3))
                look_up(&rng, lru, form % 2);
            else
                change(&rng);
            if (i % 500 == 0)
                compare();
        }
        compare();
        drop();
    }
}

static void what_cannot_be_is_refused(void **state)
{
    char err[160];
    (void)state;
    build(LRU_KIND_NONE, 7, 512);
    assert_int_equal(hash_parse("swap", &in.setup.cache, err, sizeof err), 0);
    const char *why = buffer_cache_init(&t.cache, frames, &in.memory.pages, &in.setup.cache, false,
                                        7, in.memory.tables);
    assert_non_null(strstr(why, "valid for buffers: 2.2, 2.2.16, mul, mul11"));
    assert_int_equal(hash_parse("mul", &in.setup.cache, err, sizeof err), 0);
    in.memory.pages.count = I386_PAGES + 1;
    why = buffer_cache_init(&t.cache, frames, &in.memory.pages, &in.setup.cache, false, 7,
                            in.memory.tables);
    assert_non_null(strstr(why, "valid: subject= up to 4G"));
    for (unsigned k = 0; hash_kinds[k]; k++) /* and the message is right */
        assert_int_equal(hash_kinds[k]->buffer != NULL, strcmp(hash_kinds[k]->name, "swap") != 0);
    drop();
}

static void the_check_sees_damage(void **state)
{
    (void)state;
    build(LRU_KIND_LIST, 7, 512);
    assert_null(buffer_cache_init(&t.cache, frames, &in.memory.pages, &in.setup.cache, false, 7,
                                  in.memory.tables));
    for (uint32_t i = 0; i < 10; i++)
        buffer_cache_add(&t.cache, head(i), 1, i, BYTES, i386_address(DATA_PAGE(i)));
    assert_null(buffer_cache_check(&t.cache, head(10)));
    buffer_at(&t.cache, head(3))->state |= BUFFER_DIRTY;
    assert_non_null(strstr(buffer_cache_check(&t.cache, head(10)), "another list"));
    buffer_at(&t.cache, head(3))->state &= ~BUFFER_DIRTY;
    queue_remove(&t.cache.list[BUFFER_LIST_CLEAN], head(3));
    assert_non_null(strstr(buffer_cache_check(&t.cache, head(10)), "not all"));
    queue_add(&t.cache.list[BUFFER_LIST_CLEAN], head(3));
    buffer_at(&t.cache, head(3))->blocknr++;
    assert_non_null(buffer_cache_check(&t.cache, head(10)));
    drop();
}

/* ---- blocks -----------------------------------------------------------------------------------
 */

static int by_number(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    if (x->dev != y->dev)
        return x->dev < y->dev ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void blocks_are_as_said(void **state)
{
    static struct block block[BLOCKS];
    struct rng rng = {1};
    unsigned tables = 0;
    (void)state;
    block_list(block, &rng);
    for (unsigned i = 0; i < BLOCKS; i++)
        tables += block[i].number % 8192 - 3 < BLOCK_TABLE;
    assert_int_equal(tables, BLOCK_DISKS * BLOCK_GROUPS * BLOCK_TABLE);
    /* Drawn at random: of the first half, about half are tables'. */
    for (unsigned i = tables = 0; i < BLOCKS / 2; i++)
        tables += block[i].number % 8192 - 3 < BLOCK_TABLE;
    assert_true(tables > BLOCKS / 4 - 200 && tables < BLOCKS / 4 + 200);
    qsort(block, BLOCKS, sizeof *block, by_number);
    for (unsigned i = 1; i < BLOCKS; i++) {
        assert_true(by_number(&block[i - 1], &block[i]) < 0);
        assert_true(block[i].number < BLOCK_GROUPS * 8192);
    }
}

static void the_workloads_cache(void **state)
{
    static struct block_cache b;
    (void)state;
    build(LRU_KIND_LIST, BUFFER_HASH_BITS, 2048);
    assert_null(block_cache_init(&b, &in.memory, true, 5));
    assert_int_equal(b.cache.table.count, BUFFERS);
    for (unsigned percent = 0; percent <= 100; percent += 25) {
        block_cache_dirty(&b, percent);
        assert_int_equal(b.cache.list[BUFFER_LIST_DIRTY].count, BUFFERS / 100.0 * percent);
        assert_null(buffer_cache_check(&b.cache, b.limit));
    }
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint32_t nr = buffer_getblk(&b.cache, b.block[i].dev, b.block[i].number, BLOCK_BYTES);
        assert_int_equal(nr, i < BUFFERS ? b.head[i] : TABLE_NONE);
        if (nr == TABLE_NONE)
            continue;
        const struct buffer_head *h = buffer_at(&b.cache, nr);
        assert_true((uintptr_t)h % BUFFER_UNIT == 0);
        assert_true((uintptr_t)h >> PAGE_SHIFT == ((uintptr_t)(h + 1) - 1) >> PAGE_SHIFT);
        assert_true(page_is_block(&in.memory.pages, i386_page(h->data), PAGE_USED, 0));
        buffer_release(&b.cache, nr);
    }
    for (uint32_t i = 0; i < BLOCK_HEAD_PAGES; i++)
        assert_int_equal((uintptr_t)block_cache_heads(&b, i) % PAGE_SIZE, 0);
    buffer_getblk(&b.cache, b.block[7].dev, b.block[7].number, BLOCK_BYTES);
    assert_string_equal(block_cache_empty(&b), "a buffer keeps a reference");
    drop();
}

static void full_memory_is_said(void **state)
{
    static struct block_cache b;
    (void)state;
    build(LRU_KIND_LIST, BUFFER_HASH_BITS, 1024);
    assert_non_null(strstr(block_cache_init(&b, &in.memory, true, 5), "a larger subject="));
    drop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_of_getblk),   cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(the_check_sees_damage), cmocka_unit_test(blocks_are_as_said),
        cmocka_unit_test(the_workloads_cache),   cmocka_unit_test(full_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
