/*
 * Planning the subject: on random memory maps the plan owns only RAM, never its own notes, as many
 * frames as were asked for or as there can be, and says so when that is too few. On nodes every
 * page of descriptors lies on the node of frames that it describes.
 */
#include "host.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/errno.h"
#include "core/rng.h"
#include "lab/descriptors.h"
#include "lab/subject.h"
#include "mm/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct memmap map;
static struct subject plan;
static struct levels levels;
static struct topology topology;
static char err[200];

/* Descriptors, where they are in the area, and a fixed part: what memory_bytes is asked for here.
 */
size_t memory_bytes(const struct setup *s, const struct topology *t, uint32_t pages)
{
    return (memory_by_node(s, t) ? 0 : pages_bytes(&s->layout, pages)) + 5000;
}

/* ---- the own window: pages with any frame behind them -----------------------------------------
 */

#define WINDOW_PAGES 200000
static struct {
    size_t pages, limit;
    uint64_t frame[WINDOW_PAGES];
} window = {.limit = WINDOW_PAGES};

void *own_map_frames(size_t pages, pfn_t (*next)(void *arg), void *arg)
{
    if (pages > window.limit - window.pages)
        return NULL;
    void *at = (char *)ARCH_OWN + (window.pages << PAGE_SHIFT);
    for (size_t i = 0; i < pages; i++)
        window.frame[window.pages++] = next(arg).n;
    return at;
}

/* Of the direct map the addresses are the frames'. */
phys_t arch_space_lookup(const struct arch_space *s, uintptr_t va, unsigned *prot)
{
    (void)s, (void)prot;
    if (va < ARCH_OWN)
        return phys(va);
    return pfn_to_phys(pfn(window.frame[(va - ARCH_OWN) >> PAGE_SHIFT]));
}

/* ---- the plan ---------------------------------------------------------------------------------
 */

static void one_level(uint32_t stride)
{
    levels.count = 2;
    levels.level[0].setup.layout.stride_bytes = 40;
    levels.level[1].setup.layout.stride_bytes = stride;
}

static void add(uint64_t start, uint64_t end, uint32_t type)
{
    assert_int_equal(memmap_set(&map, (struct pfn_range){pfn(start), pfn(end)}, type), 0);
}

static bool is_ram(uint64_t frame)
{
    for_each_range (&map, r, MEM_RAM) {
        if (frame >= r->at.start.n && frame < r->at.end.n)
            return true;
    }
    return false;
}

/* Everything a plan promises, frame by frame. */
static void check_plan(void)
{
    uint64_t pages = 0, area = arch_virt_to_phys(plan.area).a >> PAGE_SHIFT;
    uint64_t area_pages = plan.area_bytes >> PAGE_SHIFT;
    for (unsigned i = 0; i < plan.range_count; i++) {
        struct pfn_range r = plan.range[i];
        assert_true(r.start.n < r.end.n);
        if (i)
            assert_true(plan.range[i - 1].end.n <= r.start.n);
        for (uint64_t f = r.start.n; f < r.end.n; f++) {
            assert_true(is_ram(f));
            assert_false(f >= area && f < area + area_pages);
        }
        pages += r.end.n - r.start.n;
    }
    for (uint64_t f = area; f < area + area_pages; f++)
        assert_true(is_ram(f));
    assert_int_equal(pages, plan.pages);
    for (unsigned i = 0; i < levels.count; i++)
        assert_true(memory_bytes(&levels.level[i].setup, &plan.topology, plan.pages) <=
                    plan.area_bytes);
}

static void random_maps(void **state)
{
    (void)state;
    struct rng g = rng_stream(1, 1);
    for (unsigned round = 0; round < 300; round++) {
        map.count = 0;
        one_level(40 + 4 * rng_below(&g, 40));
        for (unsigned i = rng_below(&g, 6) + 1; i > 0; i--) {
            uint64_t start = rng_below(&g, 40000) + 1;
            add(start, start + 1 + rng_below(&g, 8000), rng_below(&g, 3) ? MEM_RAM : MEM_RESERVED);
        }
        uint64_t want = (1024ul + rng_below(&g, 9000)) << PAGE_SHIFT;
        if (subject_plan(&plan, &map, &topology, &levels, want, false, err, sizeof err)) {
            assert_non_null(strstr(err, "subject: "));
            continue;
        }
        check_plan();
        assert_true(plan.pages <= want >> PAGE_SHIFT);
        assert_true(plan.pages >= 1024);
        /* strict means: exactly that much, or an error */
        if (!subject_plan(&plan, &map, &topology, &levels, want, true, err, sizeof err))
            assert_int_equal(plan.pages, want >> PAGE_SHIFT);
    }
}

static void the_largest_stride_decides(void **state)
{
    (void)state;
    uint64_t pages[2];
    for (unsigned i = 0; i < 2; i++) {
        map.count = 0;
        add(1000, 9000, MEM_RAM);
        one_level(i ? 2048 : 64);
        assert_int_equal(
            subject_plan(&plan, &map, &topology, &levels, 1ul << 40, false, err, sizeof err), 0);
        check_plan();
        pages[i] = plan.pages;
    }
    /* 8000 frames: of 65 64ths, and of 3 halves, at most 3% less than could be */
    assert_true(pages[0] <= 8000 * 64 / 65 && pages[0] >= 8000 * 64 / 65 * 96 / 100);
    assert_true(pages[1] <= 8000 * 2 / 3 && pages[1] >= 8000 * 2 / 3 * 96 / 100);
}

/* One range large enough is taken alone, from a block of the largest order on. */
static void largest_range_first_and_aligned(void **state)
{
    (void)state;
    map.count = 0;
    add(1, 159, MEM_RAM);
    add(300, 2000, MEM_RAM);
    add(2100, 40000, MEM_RAM);
    one_level(64);
    assert_int_equal(
        subject_plan(&plan, &map, &topology, &levels, 8192ul << PAGE_SHIFT, true, err, sizeof err),
        0);
    check_plan();
    assert_int_equal(plan.range_count, 1);
    assert_int_equal(plan.range[0].start.n, 3072);
    assert_int_equal(plan.pages, 8192);
}

/* ---- nodes -------------------------------------------------------------------------------------
 */

static uint64_t pages_on(const struct numa *n, unsigned node)
{
    uint64_t pages = 0;
    for (unsigned i = 0; i < plan.range_count; i++)
        for (uint64_t f = plan.range[i].start.n; f < plan.range[i].end.n; f++)
            pages += numa_node_of(n, pfn(f)) == node;
    return pages;
}

/* Shares are those of the RAM that is left beside the area, to a block of the largest order. */
static void each_node_gives_its_share(void **state)
{
    struct rng g = rng_stream(2, 1);
    static struct numa numa;
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        map.count = 0;
        numa = (struct numa){.nodes = 3};
        uint64_t at = rng_below(&g, 2000), ram[3] = {0}, all = 0;
        for (unsigned i = 0; i < 3; i++) {
            uint64_t end = at + 2000 + rng_below(&g, 20000);
            numa.range[numa.ranges++] = (struct arch_numa_range){
                {phys(at << PAGE_SHIFT), phys(end << PAGE_SHIFT)}, (uint8_t)(2 - i)};
            add(at + rng_below(&g, 1000), end, MEM_RAM);
            at = end + (round % 2 ? rng_below(&g, 5000) : 0);
        }
        one_level(64);
        topology.numa = &numa;
        window.pages = 0;
        uint64_t want = 4096 + rng_below(&g, 2000);
        assert_int_equal(subject_plan(&plan, &map, &topology, &levels, want << PAGE_SHIFT, false,
                                      err, sizeof err),
                         0);
        check_plan();
        uint64_t area = arch_virt_to_phys(plan.area).a >> PAGE_SHIFT;
        for (uint64_t f = area; f < area + (plan.area_bytes >> PAGE_SHIFT); f++)
            ram[numa_node_of(&numa, pfn(f))]--;
        for (unsigned i = 0; i < 3; i++) {
            ram[i] += numa_pages(&numa, &map, i);
            all += ram[i];
        }
        for (unsigned i = 0; i < 3; i++) {
            int64_t more = (int64_t)pages_on(&numa, i) - (int64_t)(plan.pages * ram[i] / all);
            assert_true(more >= -1024 && more <= 1024);
        }
        /* Where no level has nodes, there are none: one range, as ever. */
        levels.level[0].setup.numa = levels.level[1].setup.numa = NUMA_OFF;
        assert_int_equal(
            subject_plan(&plan, &map, &topology, &levels, 8ul << 20, false, err, sizeof err), 0);
        assert_int_equal(plan.range_count, 1);
        levels.level[0].setup.numa = levels.level[1].setup.numa = NUMA_ON;
        topology.numa = NULL;
    }
}

/* Frame of a descriptor. */
static uint64_t frame_of(uint64_t nr)
{
    unsigned i = 0;
    for (; nr >= pfn_range_pages(plan.range[i]); i++)
        nr -= pfn_range_pages(plan.range[i]);
    return plan.range[i].start.n + nr;
}

/* The page lies on the node of a frame that it describes, of the only one if there is one. */
static void check_page(const struct numa *n, const struct setup *s, uint64_t page, unsigned node)
{
    const struct page_layout *l = &s->layout;
    uint64_t start = page << PAGE_SHIFT, end = start + PAGE_SIZE;
    uint64_t first = start > l->offset_bytes ? (start - l->offset_bytes) / l->stride_bytes : 0;
    bool found = false;
    for (uint64_t nr = first; nr < plan.pages; nr++) {
        if (l->offset_bytes + nr * l->stride_bytes >= end && nr > first)
            break;
        found |= numa_node_of(n, pfn(frame_of(nr))) == node;
    }
    assert_true(found);
}

/* Every page and descriptor of a level; what descriptors_find() says is the same. */
static void check_descriptors(const struct numa *n, const struct setup *s)
{
    static uint8_t taken[1 << 17];
    const struct page_layout *l = &s->layout;
    uintptr_t at = (uintptr_t)memory_descriptors(s, &plan);
    uint64_t pages = (pages_bytes(l, plan.pages) + PAGE_SIZE - 1) >> PAGE_SHIFT, away = 0;
    uint64_t area = arch_virt_to_phys(plan.area).a >> PAGE_SHIFT, by_node[NUMA_NODES] = {0};
    bool off = s->numa == NUMA_OFF;
    memset(taken, 0, sizeof taken);
    for (uint64_t f = 0; f < plan.pages; f++)
        taken[frame_of(f)] = 1;
    for (uint64_t f = area; f < area + (plan.area_bytes >> PAGE_SHIFT); f++)
        taken[f] = 1;
    for (uint64_t i = 0; i < pages; i++) {
        uint64_t f = arch_space_lookup(NULL, at + (i << PAGE_SHIFT), NULL).a >> PAGE_SHIFT;
        unsigned node = numa_node_of(n, pfn(f));
        assert_true(is_ram(f));
        assert_true(off ? f == area + i : !taken[f]);
        taken[f] = 1;
        by_node[node]++;
        if (!off)
            check_page(n, s, i, node);
    }
    for (uint64_t nr = 0; nr < plan.pages; nr++) {
        uintptr_t va = at + l->offset_bytes + nr * l->stride_bytes;
        phys_t a = arch_space_lookup(NULL, va, NULL);
        away += numa_node_of(n, phys_to_pfn(a)) != numa_node_of(n, pfn(frame_of(nr)));
    }
    struct descriptors_found found;
    descriptors_find(&plan, s, &found);
    assert_int_equal(found.away, away);
    assert_memory_equal(found.pages, by_node, sizeof by_node);
}

/* Uneven nodes of several ranges each, not in order, one of them empty; as full as they can be. */
static void descriptors_lie_on_their_frames_nodes(void **state)
{
    struct rng g = rng_stream(3, 1);
    static struct numa numa;
    unsigned shared = 0;
    (void)state;
    for (unsigned round = 0; round < 100; round++) {
        map.count = 0;
        numa = (struct numa){.nodes = 4};
        uint64_t at = rng_below(&g, 2000) + 1;
        for (unsigned i = 0; i < 5; i++) {
            uint64_t end = at + 1500 + rng_below(&g, 6000);
            numa.range[numa.ranges++] = (struct arch_numa_range){
                {phys(at << PAGE_SHIFT), phys(end << PAGE_SHIFT)}, (uint8_t)(3 - i % 3)};
            add(at + rng_below(&g, 1000), end, MEM_RAM);
            at = end + (round % 2 ? rng_below(&g, 5000) : 0);
        }
        one_level(40 + 4 * rng_below(&g, 40));
        levels.level[1].setup.layout.offset_bytes = 4 * rng_below(&g, 1024);
        levels.level[1].setup.numa = round % 4 ? NUMA_ON : NUMA_OFF;
        topology.numa = &numa;
        window.pages = 0;
        uint64_t want = round % 3 ? 1ul << 40 : (4096ul + rng_below(&g, 8000)) << PAGE_SHIFT;
        assert_int_equal(
            subject_plan(&plan, &map, &topology, &levels, want, false, err, sizeof err), 0);
        check_plan();
        for (unsigned i = 0; i < levels.count; i++) {
            struct descriptors_found found;
            check_descriptors(&numa, &levels.level[i].setup);
            descriptors_find(&plan, &levels.level[i].setup, &found);
            shared += levels.level[i].setup.numa == NUMA_ON && found.away;
        }
        /* At most 3% less than there is room for. */
        uint64_t ram = memmap_pages(&map, MEM_RAM);
        uint64_t stride = levels.level[1].setup.layout.stride_bytes;
        if (round % 3 && round % 4)
            assert_true(plan.pages >= (ram - 100) * PAGE_SIZE / (PAGE_SIZE + stride) * 96 / 100);
        window.pages = 0;
        window.limit = 10;
        assert_int_equal(
            subject_plan(&plan, &map, &topology, &levels, want, false, err, sizeof err),
            -TT_ENOMEM);
        assert_non_null(strstr(err, "no room for descriptors on the nodes of"));
        window.limit = WINDOW_PAGES;
    }
    assert_true(shared > 10); /* there were pages that two nodes share */
    levels.level[1].setup.layout.offset_bytes = 0;
    levels.level[1].setup.numa = NUMA_ON;
    topology.numa = NULL;
}

static void errors_say_what_would_do(void **state)
{
    (void)state;
    map.count = 0;
    add(1000, 9000, MEM_RAM);
    one_level(64);
    assert_int_equal(
        subject_plan(&plan, &map, &topology, &levels, 1ul << 30, true, err, sizeof err),
        -TT_ENOMEM);
    assert_non_null(strstr(err, "1024 MiB asked for, at most about 30 MiB"));
    assert_int_equal(
        subject_plan(&plan, &map, &topology, &levels, 1ul << 20, false, err, sizeof err),
        -TT_ENOMEM);
    assert_non_null(strstr(err, "at least 4096 KiB"));
    map.count = 0;
    add(1000, 1500, MEM_RAM);
    assert_int_equal(
        subject_plan(&plan, &map, &topology, &levels, 32ul << 20, false, err, sizeof err),
        -TT_ENOMEM);
}

/* Own memory's place for descriptors; NULL: full. */
static void *descriptors;
static size_t descriptors_asked;

void *own_descriptors(size_t bytes)
{
    descriptors_asked = bytes;
    return descriptors;
}

void own_advise(char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "advice");
}

/* The last test: the option stays given. The subject loses nothing to its own notes then. */
static void own_colors_move_the_area_into_own_memory(void **state)
{
    (void)state;
    static char place[PAGE_SIZE];
    for_each_registered (option, o) {
        if (!strcmp(o->name, "own_colors"))
            assert_int_equal(o->parse(o, "1", err, sizeof err), 0);
    }
    map.count = 0;
    add(1000, 9000, MEM_RAM);
    one_level(64);
    descriptors = place;
    assert_int_equal(
        subject_plan(&plan, &map, &topology, &levels, 8000ul << PAGE_SHIFT, true, err, sizeof err),
        0);
    assert_ptr_equal(plan.area, place);
    assert_int_equal(plan.pages, 8000);
    assert_int_equal(plan.area_bytes, descriptors_asked);
    assert_true(descriptors_asked >= 64 * 8000 + 5000);
    descriptors = NULL;
    assert_int_equal(
        subject_plan(&plan, &map, &topology, &levels, 8000ul << PAGE_SHIFT, true, err, sizeof err),
        -TT_ENOMEM);
    assert_non_null(strstr(err, "127 pages of descriptors: advice"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_maps),
        cmocka_unit_test(the_largest_stride_decides),
        cmocka_unit_test(largest_range_first_and_aligned),
        cmocka_unit_test(each_node_gives_its_share),
        cmocka_unit_test(descriptors_lie_on_their_frames_nodes),
        cmocka_unit_test(errors_say_what_would_do),
        cmocka_unit_test(own_colors_move_the_area_into_own_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
