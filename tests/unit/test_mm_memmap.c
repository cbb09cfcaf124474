/*
 * The memory map against an oracle that decides frame by frame, on random maps in a small universe,
 * and by hand on the shapes that firmware has been seen to hand over.
 */
#include "host.h"

#include "core/cmdline.h"
#include "core/errno.h"
#include "core/rng.h"
#include "mm/memmap.h"
#include "mm/memmap_options.h"

#include <string.h>

#define NO_LIMIT phys(1ul << 52)

static struct boot_info bi;
static struct memmap map;
static char err[160];

static void start_map(void)
{
    memset(&bi, 0, sizeof bi);
    err[0] = '\0';
}

static void entry(uint64_t start, uint64_t size, uint32_t type)
{
    bi.map[bi.map_count++] = (struct boot_range){start, size, type};
}

static void assert_range(unsigned i, uint64_t start, uint64_t end, uint32_t type)
{
    assert_true(i < map.count);
    assert_int_equal(map.range[i].at.start.n, start);
    assert_int_equal(map.range[i].at.end.n, end);
    assert_int_equal(map.range[i].type, type);
}

static void build(void)
{
    assert_int_equal(memmap_build(&map, &bi, NO_LIMIT, err, sizeof err), 0);
    assert_null(memmap_check(&map));
}

/* ---- by hand ----------------------------------------------------------------------------------
 */

static void nothing_usable_is_a_clear_error(void **state)
{
    (void)state;
    start_map();
    assert_int_equal(memmap_build(&map, &bi, NO_LIMIT, err, sizeof err), -TT_EINVAL);
    assert_non_null(strstr(err, "0 entries, none of them leaves usable RAM"));

    start_map();
    entry(0x1000, 0xfff, MEM_RAM);  /* less than a page */
    entry(0x5800, 0x1000, MEM_RAM); /* a page's worth, but no whole page */
    entry(0x100000, 0x10000, MEM_RESERVED);
    entry(0x100000, 0x10000, MEM_RAM);          /* all of it reserved */
    entry(0x200000, 0, MEM_RAM);                /* empty */
    entry(UINT64_MAX - 0xfff, 0x2000, MEM_RAM); /* wraps */
    assert_int_equal(memmap_build(&map, &bi, NO_LIMIT, err, sizeof err), -TT_EINVAL);
    assert_non_null(strstr(err, "6 entries"));
}

static void unsorted_adjacent_and_overlapping(void **state)
{
    (void)state;
    start_map();
    entry(0x300000, 0x100000, MEM_RAM);
    entry(0x100000, 0x100000, MEM_RAM);
    entry(0x200000, 0x100000, MEM_RAM); /* closes the gap: one range */
    entry(0x180000, 0x2000, MEM_ACPI);
    entry(0x181000, 0x2000, MEM_NVS); /* overlaps it: the more restrictive type wins */
    build();
    assert_int_equal(map.count, 5);
    assert_range(0, 0, 1, MEM_RESERVED);
    assert_range(1, 0x100, 0x180, MEM_RAM);
    assert_range(2, 0x180, 0x181, MEM_ACPI);
    assert_range(3, 0x181, 0x183, MEM_NVS);
    assert_range(4, 0x183, 0x400, MEM_RAM);
}

static void unaligned_ends_never_give_a_shared_frame_away(void **state)
{
    (void)state;
    start_map();
    entry(0x1800, 0x9f400 - 0x1800, MEM_RAM);
    entry(0x9f400, 0x60c00, MEM_RESERVED); /* as a PC's e820 has it */
    build();
    assert_range(0, 0, 1, MEM_RESERVED);
    assert_range(1, 2, 0x9f, MEM_RAM);
    assert_range(2, 0x9f, 0x100, MEM_RESERVED);
}

static void above_4g_and_beyond_the_cpu(void **state)
{
    (void)state;
    start_map();
    entry(0x100000, 0x7ff00000, MEM_RAM);
    entry(1ul << 32, 3ul << 30, MEM_RAM);
    entry(1ul << 46, 1ul << 30, MEM_RAM);
    assert_int_equal(memmap_build(&map, &bi, phys((1ul << 32) + 0x5800), err, sizeof err), 0);
    assert_null(memmap_check(&map));
    assert_int_equal(memmap_pages(&map, MEM_RAM), 0x7ff00 + 5);
}

static void unknown_types_are_reserved_and_boot_data_is_ram(void **state)
{
    (void)state;
    start_map();
    entry(0x100000, 0x40000, MEM_RAM);
    entry(0x110000, 0x1000, 0);
    entry(0x120000, 0x1000, 0x14);
    entry(0x130000, 0x1000, UINT32_MAX);
    entry(0x200000, 0x1000, MEM_BOOT);
    build();
    assert_int_equal(memmap_pages(&map, MEM_RESERVED), 3 + 1);
    assert_int_equal(memmap_pages(&map, MEM_RAM), 0x40 - 3 + 1);
}

static void image_and_modules_are_taken_out_whole(void **state)
{
    (void)state;
    start_map();
    entry(0x100000, 0x900000, MEM_RAM);
    bi.image = (struct phys_range){phys(0x200000), phys(0x234567)};
    bi.module_count = 2;
    bi.module[0].at = (struct phys_range){phys(0x300010), phys(0x300020)};
    bi.module[1].at = (struct phys_range){phys(0x300800), phys(0x301001)};
    build();
    assert_int_equal(memmap_pages(&map, MEMMAP_KERNEL), 0x35 + 2);
    assert_range(2, 0x200, 0x235, MEMMAP_KERNEL);
    assert_range(4, 0x300, 0x302, MEMMAP_KERNEL);
}

static void more_entries_than_any_firmware_has(void **state)
{
    (void)state;
    start_map();
    for (unsigned i = 0; i < BOOT_MAP_MAX; i++) /* backwards, every other one a hole */
        entry((uint64_t)(BOOT_MAP_MAX - i) << 21, 1ul << 20, MEM_RAM);
    build();
    assert_int_equal(map.count, BOOT_MAP_MAX + 1);
    assert_int_equal(memmap_pages(&map, MEM_RAM), (uint64_t)BOOT_MAP_MAX << 8);
}

static void a_full_map_refuses_and_stays_valid(void **state)
{
    (void)state;
    start_map();
    entry(1ul << 20, 1ul << 40, MEM_RAM);
    build();
    uint64_t at = 0x1000;
    int bad = 0;
    while (!bad && at < 0x10000000)
        bad = memmap_set(&map, (struct pfn_range){pfn(at), pfn(at + 1)}, MEM_RESERVED), at += 2;
    assert_int_equal(bad, -TT_ENOSPC);
    assert_null(memmap_check(&map));
    assert_true(map.count >= MEMMAP_MAX - 2);
    assert_int_equal(memmap_pages(&map, MEM_RAM) + memmap_pages(&map, MEM_RESERVED),
                     (1ul << 40 >> PAGE_SHIFT) + 1);
}

/* ---- against the oracle ------------------------------------------------------------------------
 */

#define FRAMES 64 /* the universe; addresses above it are clipped by the limit */

/* Type of each frame by the rules alone; 0: nothing is known about it. */
static uint32_t oracle[FRAMES + 1];

static void oracle_raise(unsigned frame, uint32_t type)
{
    if (frame < FRAMES && oracle[frame] < type)
        oracle[frame] = type;
}

static void oracle_entry(const struct boot_range *e, uint64_t limit)
{
    uint32_t type = e->type >= MEM_RAM && e->type < MEM_TYPES ? e->type : MEM_RESERVED;
    if (type == MEM_BOOT)
        type = MEM_RAM;
    unsigned __int128 end = (unsigned __int128)e->start + e->size;
    bool wraps = end >> 64;
    if (!e->size || (wraps && type == MEM_RAM))
        return;
    if (wraps || end > limit)
        end = limit;
    for (unsigned f = 0; f < FRAMES; f++) {
        uint64_t lo = f * PAGE_SIZE, hi = lo + PAGE_SIZE;
        bool whole = e->start <= lo && hi <= end, touched = e->start < hi && lo < end;
        if (e->start < end && (type == MEM_RAM ? whole : touched))
            oracle_raise(f, type);
    }
}

static uint64_t random_address(struct rng *r)
{
    uint64_t a = rng_below(r, FRAMES + 8) * PAGE_SIZE;
    return rng_below(r, 2) ? a : a + rng_below(r, PAGE_SIZE);
}

static void random_map(struct rng *r, uint64_t limit)
{
    start_map();
    memset(oracle, 0, sizeof oracle);
    unsigned n = rng_below(r, 14);
    for (unsigned i = 0; i < n; i++) {
        uint64_t start = random_address(r), size = random_address(r);
        uint32_t type = rng_below(r, 2) ? MEM_RAM : rng_below(r, MEM_TYPES + 2);
        switch (rng_below(r, 12)) {
        case 0:
            size = 0;
            break;
        case 1:
            size = UINT64_MAX - rng_below(r, FRAMES * PAGE_SIZE);
            break;
        case 2:
            start = UINT64_MAX - start;
            break;
        default:
            size /= 1 + rng_below(r, 8);
        }
        entry(start, size, type);
        oracle_entry(&bi.map[i], limit);
    }
    if (rng_below(r, 2)) {
        uint64_t a = random_address(r), b = a + random_address(r) / 8;
        bi.image = (struct phys_range){phys(a), phys(b)};
        for (unsigned f = 0; f < FRAMES; f++) {
            if (a < b && a < (f + 1) * PAGE_SIZE && f * PAGE_SIZE < b && f * PAGE_SIZE < limit &&
                a < limit)
                oracle_raise(f, MEMMAP_KERNEL);
        }
    }
    oracle_raise(0, MEM_RESERVED);
}

static void assert_as_oracle(void)
{
    uint32_t seen[FRAMES + 1] = {0};
    const char *broken = memmap_check(&map);
    if (broken)
        fail_msg("%s", broken);
    for (unsigned i = 0; i < map.count; i++) {
        assert_true(map.range[i].at.end.n <= FRAMES);
        for (uint64_t f = map.range[i].at.start.n; f < map.range[i].at.end.n; f++)
            seen[f] = map.range[i].type;
    }
    assert_memory_equal(seen, oracle, FRAMES * sizeof *seen);
}

static unsigned oracle_ram(void)
{
    unsigned pages = 0;
    for (unsigned f = 0; f < FRAMES; f++)
        pages += oracle[f] == MEM_RAM;
    return pages;
}

/* Lowest aligned run of RAM frames at or above `above`; RAM runs end where the type changes. */
static uint64_t oracle_take(unsigned pages, unsigned align, unsigned above)
{
    for (unsigned at = 0; at + pages <= FRAMES; at++) {
        unsigned k = 0;
        while (k < pages && oracle[at + k] == MEM_RAM)
            k++;
        if (at % align == 0 && at >= above && k == pages) {
            for (k = 0; k < pages; k++)
                oracle[at + k] = MEMMAP_KERNEL;
            return at;
        }
    }
    return PFN_NONE.n;
}

static void random_edits(struct rng *r)
{
    for (unsigned i = 0; i < 3; i++) {
        unsigned pages = 1 + rng_below(r, 6), align = 1u << rng_below(r, 4);
        unsigned above = rng_below(r, FRAMES);
        assert_int_equal(memmap_take(&map, pages, align, pfn(above)).n,
                         oracle_take(pages, align, above));
    }
    assert_as_oracle();

    unsigned start = rng_below(r, FRAMES), end = rng_below(r, FRAMES + 1);
    uint32_t type = MEM_RAM + rng_below(r, MEMMAP_KERNEL);
    assert_int_equal(memmap_set(&map, (struct pfn_range){pfn(start), pfn(end)}, type), 0);
    for (unsigned f = start; f < end; f++)
        oracle_raise(f, type);
    assert_as_oracle();

    unsigned keep = rng_below(r, FRAMES);
    memmap_limit(&map, keep * PAGE_SIZE + rng_below(r, PAGE_SIZE));
    for (unsigned f = 0; f < FRAMES; f++) {
        if (oracle[f] == MEM_RAM && !(keep ? keep-- : 0))
            oracle[f] = MEM_RESERVED;
    }
    assert_as_oracle();
}

static void random_maps_are_as_the_oracle_says(void **state)
{
    (void)state;
    struct rng r = rng_stream(1, 1);
    unsigned usable = 0, refused = 0;
    for (unsigned i = 0; i < 150000; i++) {
        uint64_t limit = FRAMES * PAGE_SIZE;
        if (i % 4 == 0) /* a limit inside the universe, and not on a page */
            limit -= rng_below(&r, 8 * PAGE_SIZE);
        random_map(&r, limit);
        int bad = memmap_build(&map, &bi, phys(limit), err, sizeof err);
        assert_int_equal(bad, oracle_ram() ? 0 : -TT_EINVAL);
        assert_as_oracle();
        bad ? refused++ : usable++;
        if (!bad)
            random_edits(&r);
    }
    /* Both kinds must really have been tried. */
    assert_true(usable > 30000 && refused > 30000);
}

/* ---- mem= and hole= -----------------------------------------------------------------------------
 */

static int give(const char *name, const char *value)
{
    for_each_registered (option, o) {
        if (!strcmp(o->name, name))
            return o->parse(o, value, err, sizeof err);
    }
    fail_msg("no option %s", name);
    return 0;
}

static void bad_values_are_refused_with_what_is_valid(void **state)
{
    (void)state;
    static const char *const bad_holes[] = {"64M",      "64M@", "@1G",    "0@1G",       "x@1G",
                                            "64M@1G@2", "",     "16E@1G", "8191P@8191P"};
    for (unsigned i = 0; i < ARRAY_SIZE(bad_holes); i++) {
        assert_int_equal(give("hole", bad_holes[i]), -TT_EINVAL);
        assert_non_null(strstr(err, "SIZE@ADDRESS"));
    }
    static const char *const bad_sizes[] = {"", "4095", "x", "1Q", "-1"};
    for (unsigned i = 0; i < ARRAY_SIZE(bad_sizes); i++) {
        assert_int_equal(give("mem", bad_sizes[i]), -TT_EINVAL);
        assert_non_null(strstr(err, "64M"));
    }
}

static void options_take_memory_away(void **state)
{
    (void)state;
    start_map();
    entry(0x100000, 0x10000000, MEM_RAM);
    build();
    assert_int_equal(give("hole", "64K@2M"), 0);
    assert_int_equal(give("hole", "1@0x400fff"), 0);              /* one byte: its whole frame */
    assert_int_equal(give("hole", "0x1001@0x500fff"), 0);         /* two frames touched */
    assert_int_equal(give("hole", "4095@0xfffffffffffff000"), 0); /* at the very top */
    assert_int_equal(memmap_apply_options(&map, err, sizeof err), 0);
    assert_null(memmap_check(&map));
    assert_int_equal(memmap_pages(&map, MEM_RAM), 0x10000 - 16 - 1 - 2);
    assert_range(map.count - 1, UINT64_MAX >> PAGE_SHIFT, (UINT64_MAX >> PAGE_SHIFT) + 1,
                 MEM_RESERVED);

    build();
    assert_int_equal(give("mem", "8M"), 0);
    assert_int_equal(memmap_apply_options(&map, err, sizeof err), 0);
    assert_int_equal(memmap_pages(&map, MEM_RAM), 0x800);

    start_map();
    entry(0x200000, 0x10000, MEM_RAM); /* the hole is all there was */
    build();
    assert_int_equal(memmap_apply_options(&map, err, sizeof err), -TT_EINVAL);
    assert_non_null(strstr(err, "no RAM"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_usable_is_a_clear_error),
        cmocka_unit_test(unsorted_adjacent_and_overlapping),
        cmocka_unit_test(unaligned_ends_never_give_a_shared_frame_away),
        cmocka_unit_test(above_4g_and_beyond_the_cpu),
        cmocka_unit_test(unknown_types_are_reserved_and_boot_data_is_ram),
        cmocka_unit_test(image_and_modules_are_taken_out_whole),
        cmocka_unit_test(more_entries_than_any_firmware_has),
        cmocka_unit_test(a_full_map_refuses_and_stays_valid),
        cmocka_unit_test(random_maps_are_as_the_oracle_says),
        cmocka_unit_test(bad_values_are_refused_with_what_is_valid),
        cmocka_unit_test(options_take_memory_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
