/*
 * The kernel's own memory: pages, arrays, stacks, descriptors and heap never overlap, come back,
 * run out cleanly, and with own_colors= lie in the chosen colours only, under every kind of colour
 * map; the count by colour, and what a walk finds, against a list of what is out.
 *
 * The own window is real: arch_own_map() maps the same page of a file at a second address, so that
 * what is written there is seen in "physical" memory, and a page mapped twice would be, too.
 */
#define _GNU_SOURCE
#include "host.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/errno.h"
#include "core/rng.h"
#include "mm/color.h"
#include "mm/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FRAMES 1024u
#define BASE   0x200000000000ul /* aligned for any colour map of a few pages */

static uint8_t *memory;
static int memory_fd;
static uint8_t out[FRAMES]; /* by frame: handed out */
static struct color_map map;
static char err[200];

/* ---- a port: the own window, with a table page for every 64 pages ----------------------------
 */

#define TABLE_PAGES  64
#define REGIONS      4
#define REGION_PAGES 2048u /* more than there are frames */
#define REGION_BYTES ((ARCH_OWN_END - ARCH_OWN) / REGIONS)

static uint64_t mapped[REGIONS][REGION_PAGES]; /* physical address; 0: none */
static void *tables[REGIONS][REGION_PAGES / TABLE_PAGES];
static bool map_wrongly; /* the next one to another frame than asked for */

static uint64_t *slot_of(uintptr_t va)
{
    uintptr_t offset = va - ARCH_OWN;
    assert_true(va >= ARCH_OWN && offset / REGION_BYTES < REGIONS);
    assert_true(offset % REGION_BYTES / PAGE_SIZE < REGION_PAGES);
    return &mapped[offset / REGION_BYTES][offset % REGION_BYTES / PAGE_SIZE];
}

int arch_own_map(uintptr_t va, pfn_t p)
{
    uint64_t *slot = slot_of(va), at = pfn_to_phys(p).a;
    size_t r = (size_t)(slot - mapped[0]) / REGION_PAGES;
    void **table = &tables[r][(size_t)(slot - mapped[r]) / TABLE_PAGES];
    if (*slot)
        return -TT_EEXIST;
    if (!*table && !(*table = own_page_alloc()))
        return -TT_ENOMEM;
    if (map_wrongly)
        at = BASE + ((at - BASE) ^ 8 * PAGE_SIZE);
    map_wrongly = false;
    assert_ptr_equal(mmap((void *)va, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                          memory_fd, (off_t)(at - BASE)),
                     (void *)va);
    *slot = at;
    return 0;
}

phys_t arch_space_lookup(const struct arch_space *s, uintptr_t va, unsigned *prot)
{
    (void)s, (void)prot;
    uint64_t at = *slot_of(va);
    return at ? phys(at) : PHYS_NONE;
}

void arch_space_tables(const struct arch_space *s, void (*page)(phys_t at, void *arg), void *arg)
{
    assert_null(s);
    for (unsigned r = 0; r < REGIONS; r++)
        for (unsigned t = 0; t < REGION_PAGES / TABLE_PAGES; t++)
            if (tables[r][t])
                page(arch_virt_to_phys(tables[r][t]), arg);
}

static void unmap_all(void)
{
    for (unsigned r = 0; r < REGIONS; r++)
        munmap((void *)(ARCH_OWN + r * REGION_BYTES), REGION_PAGES * PAGE_SIZE);
    memset(mapped, 0, sizeof mapped);
    memset(tables, 0, sizeof tables);
}

/* ---- what is out ----------------------------------------------------------------------------- */

static unsigned frame_of(uint64_t at)
{
    assert_true(at >= BASE && at - BASE < FRAMES * PAGE_SIZE);
    return (unsigned)((at - BASE) / PAGE_SIZE);
}

/* The frame behind an address that own memory gave. */
static unsigned frame_behind(const void *p)
{
    uintptr_t va = (uintptr_t)p & ~(PAGE_SIZE - 1);
    return frame_of(va >= ARCH_OWN ? arch_space_lookup(NULL, va, NULL).a : va);
}

static color_t color_of_frame(unsigned frame)
{
    return color_of_naive(&map, phys(BASE + frame * PAGE_SIZE));
}

/* Also the frames that the range lost to the other colours must not be touched. */
static void begin_with(const struct color_map *m)
{
    unmap_all();
    map = *m;
    assert_int_equal(own_set_colors(&map, err, sizeof err), 0);
    memset(memory, 0x77, FRAMES * PAGE_SIZE);
    memset(out, 0, sizeof out);
    own_init((struct phys_range){phys(BASE), phys(BASE + FRAMES * PAGE_SIZE)});
}

static void begin(uint32_t colors)
{
    struct color_map modulo;
    color_map_modulo(&modulo, colors);
    begin_with(&modulo);
}

static void take_frame(unsigned f)
{
    assert_false(out[f]);
    out[f] = 1;
    assert_true(own_color_allowed(phys_to_pfn(phys(BASE + f * PAGE_SIZE))));
    assert_true(own_color_allowed_naive(phys(BASE + f * PAGE_SIZE)));
}

/* Pages [at, at + bytes), whole or begun; zeroed if said so. */
static void take_bytes(uint8_t *at, size_t bytes, bool zeroed)
{
    for (uint8_t *p = at; p < at + bytes; p += PAGE_SIZE) {
        take_frame(frame_behind(p));
        for (unsigned k = 0; zeroed && k < PAGE_SIZE; k++)
            assert_int_equal(p[k], 0);
        memset(p, 0xee, PAGE_SIZE);
    }
}

/* Tables are taken behind our back: into the list before anything is compared. */
static void take_tables(void)
{
    for (unsigned r = 0; r < REGIONS; r++)
        for (unsigned t = 0; t < REGION_PAGES / TABLE_PAGES; t++)
            if (tables[r][t] && !out[frame_behind(tables[r][t])])
                take_frame(frame_behind(tables[r][t]));
}

static void assert_counts(void)
{
    uint32_t pages[64] = {0}, expect[64] = {0};
    take_tables();
    own_pages_of_color(&map, pages);
    for (unsigned f = 0; f < FRAMES; f++)
        expect[color_of_frame(f)] += out[f];
    assert_memory_equal(pages, expect, sizeof pages);
}

static void give_colors(const char *list, int expect)
{
    for_each_registered (option, o) {
        if (!strcmp(o->name, "own_colors"))
            assert_int_equal(o->parse(o, list, err, sizeof err), expect);
    }
}

/* ---- random use ------------------------------------------------------------------------------ */

struct use {
    unsigned pages, arrays, stacks, grown, shrunk, descriptors; /* how often */
    uint8_t *brk, *heap_end;                                    /* of the heap's own pages */
    size_t descriptor_bytes;
    void *page[FRAMES];
};

static void grow_heap(struct use *u, size_t bytes)
{
    uint8_t *p = own_sbrk((ptrdiff_t)bytes);
    if (!p)
        return;
    assert_ptr_equal(p, u->brk);
    u->brk = p + bytes;
    assert_ptr_equal(own_sbrk(0), u->brk);
    while (u->heap_end < u->brk) {
        take_bytes(u->heap_end, PAGE_SIZE, false);
        u->heap_end += PAGE_SIZE;
    }
    u->grown++;
}

/* Without own_colors= pages above the break are free again; in the window they stay the heap's. */
static void shrink_heap(struct use *u, size_t bytes)
{
    if (!own_sbrk(-(ptrdiff_t)bytes))
        return;
    u->brk -= bytes;
    while (!own_colors().given && u->heap_end - PAGE_SIZE >= u->brk) {
        u->heap_end -= PAGE_SIZE;
        out[frame_behind(u->heap_end)] = 0;
    }
    u->shrunk++;
}

static void grow_descriptors(struct use *u, size_t bytes)
{
    uint8_t *p = own_descriptors(bytes);
    if (!p)
        return;
    assert_ptr_equal(p, own_descriptors(1)); /* always the same place */
    for (; u->descriptor_bytes < bytes; u->descriptor_bytes += PAGE_SIZE)
        take_bytes(p + u->descriptor_bytes, PAGE_SIZE, true);
    u->descriptors++;
}

static void one_step(struct use *u, struct rng *r, unsigned longest)
{
    unsigned what = rng_below(r, 40);
    size_t bytes = 1 + rng_below(r, longest * (unsigned)PAGE_SIZE);
    uint8_t *p;
    if (what < 18) {
        if ((p = own_page_alloc())) {
            take_bytes(p, PAGE_SIZE, true);
            u->page[u->pages++] = p;
        }
    } else if (what < 32 && u->pages) {
        unsigned k = rng_below(r, u->pages);
        out[frame_behind(u->page[k])] = 0;
        own_page_free(u->page[k]);
        u->page[k] = u->page[--u->pages];
    } else if (what == 32) {
        if ((p = own_array(bytes))) {
            take_bytes(p, bytes, true);
            u->arrays++;
        }
    } else if (what == 33) {
        bytes = align_up(bytes, PAGE_SIZE);
        if ((p = own_stack(bytes))) {
            assert_int_equal(arch_space_lookup(NULL, (uintptr_t)p - PAGE_SIZE, NULL).a,
                             PHYS_NONE.a);
            take_bytes(p, bytes, true);
            u->stacks++;
        }
    } else if (what == 34) {
        grow_descriptors(u, bytes);
    } else if (what < 38) {
        grow_heap(u, bytes / 2 + 1);
    } else {
        shrink_heap(u, rng_below(r, 2 * PAGE_SIZE));
    }
}

/* Random pages, frees, arrays, stacks, descriptors and heap, until little is left. */
static void random_use(uint64_t seed, unsigned longest)
{
    static struct use u;
    struct rng r = rng_stream(seed, 14);
    memset(&u, 0, sizeof u);
    u.brk = u.heap_end = own_sbrk(0);
    for (unsigned i = 0; i < 4000; i++) {
        /* Pieces may be half-grown when their tables take the last pages: stop before. */
        if (own_usage().pages_left < 3 * longest + REGIONS)
            break;
        one_step(&u, &r, longest);
        if (i % 100 == 0)
            assert_counts();
    }
    assert_counts();
    assert_true(u.pages && u.arrays && u.stacks && u.grown > 4 && u.shrunk && u.descriptors);
}

/* ---- walking --------------------------------------------------------------------------------- */

static uint8_t walked[FRAMES];
static unsigned outside;

static void see(phys_t at, void *arg)
{
    (void)arg;
    if (at.a == PHYS_NONE.a || !own_color_allowed_naive(at)) {
        outside++;
        return;
    }
    assert_false(walked[frame_of(at.a)]);
    walked[frame_of(at.a)] = 1;
}

static unsigned walk_all(void)
{
    memset(walked, 0, sizeof walked);
    outside = 0;
    for (unsigned kind = 0; kind < OWN_KINDS; kind++) {
        assert_non_null(own_kind_names[kind]);
        own_walk((enum own_kind)kind, NULL, see, NULL);
    }
    return outside;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void without_the_option(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        begin(16);
        random_use(seed, 8);
    }
    struct own_usage u = own_usage();
    assert_true(u.used_bytes <= u.peak_bytes && u.peak_bytes <= FRAMES * PAGE_SIZE);
}

static void everything_can_be_used(void **state)
{
    (void)state;
    begin(16);
    void *p;
    unsigned n = 0;
    while ((p = own_page_alloc()))
        take_frame(frame_behind(p)), n++;
    assert_int_equal(n, FRAMES / 2);
    assert_int_equal(own_usage().refusals, 1);
    assert_null(own_sbrk(FRAMES / 2 * PAGE_SIZE + 1));
    assert_non_null(own_sbrk(FRAMES / 2 * PAGE_SIZE));
    assert_null(own_sbrk(1));
    assert_null(own_array(1));
    assert_null(own_stack(PAGE_SIZE));
    assert_null(own_descriptors(1));
    assert_int_equal(own_usage().used_bytes, FRAMES * PAGE_SIZE);
    own_advise(err, sizeof err);
    assert_non_null(strstr(err, "own 4 MiB are full"));
}

/* ---- other frames in the window ----------------------------------------------------------------
 */

static pfn_t downwards(void *arg)
{
    unsigned *frame = arg;
    return phys_to_pfn(phys(BASE + --*frame * PAGE_SIZE));
}

static void frames_of_others_get_addresses(void **state)
{
    (void)state;
    begin(16);
    size_t used = own_usage().used_bytes;
    unsigned frame = FRAMES;
    uint8_t *a = own_map_frames(40, downwards, &frame), *b = own_map_frames(3, downwards, &frame);
    assert_non_null(a);
    assert_ptr_equal(b, a + 40 * PAGE_SIZE); /* never the same addresses again */
    for (unsigned i = 0; i < 43; i++) {
        assert_int_equal(frame_behind(a + i * PAGE_SIZE), FRAMES - 1 - i);
        a[i * PAGE_SIZE] = (uint8_t)i;
        assert_int_equal(memory[(FRAMES - 1 - i) * PAGE_SIZE], i);
    }
    assert_int_equal(own_usage().used_bytes, used + PAGE_SIZE); /* a table */
    assert_null(own_map_frames(REGION_BYTES / PAGE_SIZE, downwards, &frame));
    assert_int_equal(frame, FRAMES - 43); /* it was seen before it began */
    while (own_page_alloc())
        ;
    assert_null(own_map_frames(TABLE_PAGES, downwards, &frame)); /* no table page */
}

static void bad_lists_are_refused(void **state)
{
    (void)state;
    give_colors("", -TT_EINVAL);
    give_colors("3-", -TT_EINVAL);
    assert_non_null(strstr(err, "0-63"));
    give_colors("0-3,16", 0);
    color_map_modulo(&map, 16);
    assert_int_equal(own_set_colors(&map, err, sizeof err), -TT_EINVAL);
    assert_non_null(strstr(err, "colour 16"));
    assert_non_null(strstr(err, "0 to 15"));
}

static void untouched_outside(void)
{
    for (unsigned f = 0; f < FRAMES; f++) { /* the rest is as it was */
        if (!own_color_allowed(phys_to_pfn(phys(BASE + f * PAGE_SIZE))))
            assert_int_equal(memory[f * PAGE_SIZE + 100], 0x77);
    }
}

static void only_the_chosen_colours(void **state)
{
    (void)state;
    static const char *const lists[] = {"0-7", "3-6,11-15", "0,2,4,6,8,10,12,14-15", "5"};
    static const uint64_t masks[] = {0x1000 | 0x10000, 0x2000, 0x4000 | 0x8000, 0x80000 | 0x1000};
    for (unsigned k = 0; k < ARRAY_SIZE(lists); k++) {
        struct color_map m[2];
        color_map_modulo(&m[0], 16);
        assert_true(color_map_xor(&m[1], masks, ARRAY_SIZE(masks)));
        assert_int_equal(m[1].colors, 16);
        give_colors(lists[k], 0);
        for (uint64_t seed = 1; seed <= 20; seed++) {
            begin_with(&m[seed % 2]);
            random_use(seed, k == 3 ? 2 : 5);
            assert_int_equal(walk_all(), 0);
            /* what pages there are beside, the test holds itself */
            for (unsigned f = 0; f < FRAMES; f++)
                assert_true(out[f] >= walked[f]);
            untouched_outside();
        }
    }
}

/* Arrays, descriptors and heap in one step far longer than any run of allowed frames. */
static void longer_than_any_run(void **state)
{
    (void)state;
    give_colors("3,9", 0);
    begin(16);
    uint8_t *d = own_descriptors(40 * PAGE_SIZE), *a = own_array(20 * PAGE_SIZE);
    uint8_t *h = own_sbrk(30 * PAGE_SIZE);
    assert_true(d && a && h);
    memset(d, 1, 40 * PAGE_SIZE);
    memset(a, 2, 20 * PAGE_SIZE);
    memset(h, 3, 30 * PAGE_SIZE);
    assert_int_equal(walk_all(), 0);
    unsigned by_value[4] = {0};
    for (unsigned f = 0; f < FRAMES; f++)
        if (walked[f] && memory[f * PAGE_SIZE] < 4)
            by_value[memory[f * PAGE_SIZE]]++;
    assert_int_equal(by_value[1], 40);
    assert_int_equal(by_value[2], 20);
    assert_int_equal(by_value[3], 30);
    untouched_outside();
    /* Nothing is lost: 128 frames in all, these 90, a table for each of three regions. */
    unsigned n = 0;
    while (own_page_alloc())
        n++;
    assert_int_equal(n, 128 - 90 - 3);
}

/* A walk sees what the counters cannot: a page mapped to another frame than own memory gave. */
static void a_wrong_frame_is_seen(void **state)
{
    (void)state;
    give_colors("0-7", 0);
    begin(16); /* of 16 colours, the wrong frame has one of the other half */
    assert_non_null(own_array(3 * PAGE_SIZE));
    assert_int_equal(walk_all(), 0);
    map_wrongly = true;
    assert_non_null(own_array(PAGE_SIZE));
    assert_int_equal(walk_all(), 1);
}

static void the_advice_is_enough(void **state)
{
    (void)state;
    unsigned long need;
    give_colors("0", 0);
    color_map_modulo(&map, 16);
    assert_int_equal(own_set_colors(&map, err, sizeof err), 0);
    /* 10 MiB of one colour in 16 are more than half of RAM: that is all there is. */
    assert_int_equal(own_range_bytes(64ul << 20), 32ul << 20);
    begin(16);
    assert_null(own_descriptors(200 * PAGE_SIZE));
    own_advise(err, sizeof err);
    assert_non_null(strstr(err, "leaves 64 pages, 64 of them free, 200 needed"));
    const char *name = strstr(err, "name ");
    assert_non_null(name);
    assert_int_equal(sscanf(name, "name %lu colours or more", &need), 1);
    char list[16];
    snprintf(list, sizeof list, "0-%lu", need - 1);
    give_colors(list, 0);
    begin(16);
    assert_non_null(own_descriptors(200 * PAGE_SIZE));
    /* More than all colours have: no list helps. */
    assert_null(own_descriptors(2 * FRAMES * PAGE_SIZE));
    own_advise(err, sizeof err);
    assert_non_null(strstr(err, "smaller subject="));
    assert_null(strstr(err, "colours or more"));
}

static int make_memory(void **state)
{
    (void)state;
    memory_fd = memfd_create("own", 0);
    if (memory_fd < 0 || ftruncate(memory_fd, FRAMES * PAGE_SIZE))
        return -1;
    memory = mmap((void *)BASE, FRAMES * PAGE_SIZE, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_FIXED_NOREPLACE, memory_fd, 0);
    return memory == (void *)BASE ? 0 : -1;
}

static int drop_memory(void **state)
{
    (void)state;
    unmap_all();
    munmap(memory, FRAMES * PAGE_SIZE);
    return close(memory_fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_option),
        cmocka_unit_test(everything_can_be_used),
        cmocka_unit_test(frames_of_others_get_addresses),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(only_the_chosen_colours),
        cmocka_unit_test(longer_than_any_run),
        cmocka_unit_test(a_wrong_frame_is_seen),
        cmocka_unit_test(the_advice_is_enough),
    };
    return cmocka_run_group_tests(tests, make_memory, drop_memory);
}
