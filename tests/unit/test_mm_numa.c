/* SRAT, SLIT and what is made of them: right tables, damaged ones, wrong statements. */
#include "host.h"

#include "arch/x86_64/srat.h"
#include "core/errno.h"
#include "core/rng.h"
#include "mm/numa.h"

#include <stdlib.h>
#include <string.h>

static struct {
    uint8_t bytes[4096];
    size_t used;
} t;

static void begin(size_t header)
{
    memset(&t, 0, sizeof t);
    t.used = header;
}

static void put(uint64_t v, unsigned bytes)
{
    memcpy(t.bytes + t.used, &v, bytes);
    t.used += bytes;
}

static void put_cpu(uint8_t domain, uint8_t apic_id, uint32_t flags)
{
    put(0, 1), put(16, 1), put(domain, 1), put(apic_id, 1), put(flags, 4), put(0, 8);
}

static void put_memory(uint32_t domain, uint64_t start, uint64_t bytes, uint32_t flags)
{
    put(1, 1), put(40, 1), put(domain, 4), put(0, 2), put(start, 8), put(bytes, 8);
    put(0, 4), put(flags, 4), put(0, 8);
}

/* A copy of exactly the table's length: ASan sees every byte too far. */
static int parse(int (*how)(const void *, size_t, struct arch_numa *, char *, size_t),
                 struct arch_numa *raw, char *why, size_t why_bytes)
{
    uint8_t *copy = malloc(t.used ? t.used : 1);
    memcpy(copy, t.bytes, t.used);
    int bad = how(copy, t.used, raw, why, why_bytes);
    free(copy);
    return bad;
}

static struct memmap map;

static void set_map(const struct mem_range *r, unsigned n)
{
    map.count = n;
    memcpy(map.range, r, n * sizeof *r);
}

#define MB(n) ((uint64_t)(n) << 20)

/* Two nodes of 256M as QEMU writes them, domains 7 and 3: numbered by domain. */
static void two_nodes(struct arch_numa *raw)
{
    char why[160] = "";
    begin(48);
    put_cpu(7, 0, 1);
    put_cpu(3, 1, 1);
    put_cpu(3, 2, 0); /* not usable */
    put_memory(7, 0, 0xa0000, 1);
    put_memory(7, MB(1), MB(255), 1);
    put_memory(3, MB(256), MB(256), 1);
    put_memory(3, MB(1024), MB(256), 3); /* could be plugged in */
    put_memory(3, MB(2048), 0, 1);
    assert_int_equal(parse(srat_parse, raw, why, sizeof why), 0);
    struct mem_range r[] = {{{pfn(1), pfn(0xa0)}, MEM_RAM},
                            {{pfn(0xa0), pfn(0x100)}, MEM_RESERVED},
                            {{pfn(0x100), pfn(MB(512) >> 12)}, MEM_RAM}};
    set_map(r, 3);
}

static void test_two_nodes(void **state)
{
    struct arch_numa raw;
    struct numa n;
    uint8_t order[NUMA_NODES];
    char why[160];
    (void)state;
    two_nodes(&raw);
    assert_int_equal(raw.nodes, 2);
    assert_int_equal(raw.ranges, 3);
    numa_build(&n, &raw, &map, why, sizeof why);
    assert_string_equal(why, "");
    assert_int_equal(n.nodes, 2);
    assert_int_equal(n.node_of_cpu[0], 1); /* domain 7 comes second */
    assert_int_equal(n.node_of_cpu[1], 0);
    assert_int_equal(n.node_of_cpu[2], 0); /* not named */
    assert_int_equal(numa_node_of(&n, pfn(MB(100) >> 12)), 1);
    assert_int_equal(numa_node_of(&n, pfn(MB(256) >> 12)), 0);
    assert_int_equal(numa_pages(&n, &map, 0), MB(256) >> 12);
    assert_int_equal(numa_pages(&n, &map, 1), (MB(256) >> 12) - 0x60 - 1);
    assert_int_equal(n.distance[0][1], 20); /* no SLIT */
    numa_order(&n, 1, order);
    assert_int_equal(order[0], 1);
}

static void test_distances(void **state)
{
    struct arch_numa raw;
    struct numa n;
    char why[160];
    (void)state;
    for (unsigned wrong = 0; wrong < 4; wrong++) {
        two_nodes(&raw);
        begin(36);
        put(8, 8);
        for (unsigned a = 0; a < 8; a++)
            for (unsigned b = 0; b < 8; b++)
                put(a == b ? 10 : 15 + a + b, 1); /* 25 between domains 3 and 7 */
        if (wrong == 1)
            t.bytes[44 + 3 * 8 + 7] = 10; /* elsewhere is not here */
        if (wrong == 2)
            t.bytes[44 + 7 * 8 + 7] = 11;
        if (wrong == 3)
            t.bytes[44 + 7 * 8 + 3] = 0;
        assert_int_equal(parse(slit_parse, &raw, why, sizeof why), 0);
        numa_build(&n, &raw, &map, why, sizeof why);
        assert_int_equal(n.nodes, 2);
        assert_int_equal(n.distance[0][1], wrong ? 20 : 25);
        assert_int_equal(n.distance[0][0], 10);
        assert_int_equal(why[0] != '\0', wrong != 0);
    }
    /* Asymmetry is allowed: links differ by direction. */
    two_nodes(&raw);
    raw.has_distances = true;
    raw.distance[0][0] = raw.distance[1][1] = 10;
    raw.distance[0][1] = 15;
    raw.distance[1][0] = 31;
    numa_build(&n, &raw, &map, why, sizeof why);
    assert_int_equal(n.distance[1][0], 31);
}

static void test_short_slits(void **state)
{
    struct arch_numa raw;
    char why[160];
    (void)state;
    two_nodes(&raw);
    for (unsigned n = 0; n < 12; n++) {
        begin(36);
        put(n, 8);
        for (unsigned i = 0; i < n * n; i++)
            put(10, 1);
        int bad = parse(slit_parse, &raw, why, sizeof why);
        assert_int_equal(bad, n < 8 ? -TT_EINVAL : 0); /* domain 7 has to be in it */
        if (n == 0)
            continue;
        t.used--;
        assert_int_equal(parse(slit_parse, &raw, why, sizeof why), -TT_EINVAL);
        assert_false(raw.has_distances);
    }
    begin(36);
    put(UINT64_MAX, 8);
    assert_int_equal(parse(slit_parse, &raw, why, sizeof why), -TT_EINVAL);
}

/* As one node, with the reason. */
static void assert_refused(const struct arch_numa *raw, const char *reason)
{
    struct numa n;
    char why[160];
    numa_build(&n, raw, &map, why, sizeof why);
    assert_int_equal(n.nodes, 1);
    assert_non_null(strstr(why, reason));
    assert_int_equal(numa_node_of(&n, pfn(MB(300) >> 12)), 0);
    assert_int_equal(numa_pages(&n, &map, 0), memmap_pages(&map, MEM_RAM));
}

static void test_wrong_statements_are_refused(void **state)
{
    struct arch_numa raw;
    char why[160];
    struct numa n;
    (void)state;
    two_nodes(&raw);
    raw.range[2].at.start.a -= 4096;
    assert_refused(&raw, "overlap");
    two_nodes(&raw);
    raw.range[2].at.end.a -= 4096;
    assert_refused(&raw, "in no node");
    two_nodes(&raw);
    raw.range[1].at.start.a += 4096;
    assert_refused(&raw, "in no node");
    /* One node's ranges may overlap each other. */
    two_nodes(&raw);
    raw.range[raw.ranges++] = (struct arch_numa_range){{phys(MB(300)), phys(MB(310))}, 0};
    numa_build(&n, &raw, &map, why, sizeof why);
    assert_string_equal(why, "");
    assert_int_equal(numa_pages(&n, &map, 0), MB(256) >> 12);
    /* Nobody says anything. */
    numa_build(&n, NULL, &map, why, sizeof why);
    assert_int_equal(n.nodes, 1);
    assert_string_equal(why, "");
}

static void test_nodes_without_memory_or_cpus(void **state)
{
    struct arch_numa raw;
    struct numa n;
    char why[160];
    (void)state;
    begin(48);
    put_cpu(0, 0, 1);
    put_memory(1, 0, MB(512), 1);
    put_cpu(2, 1, 1);
    assert_int_equal(parse(srat_parse, &raw, why, sizeof why), 0);
    numa_build(&n, &raw, &map, why, sizeof why);
    assert_int_equal(n.nodes, 3);
    assert_int_equal(numa_pages(&n, &map, 0), 0);
    assert_int_equal(numa_pages(&n, &map, 1), memmap_pages(&map, MEM_RAM));
    assert_int_equal(n.node_of_cpu[1], 2);
}

static void test_damaged_srats(void **state)
{
    struct arch_numa raw;
    char why[160];
    (void)state;
    two_nodes(&raw);
    size_t whole = t.used;
    const size_t ends[] = {48, 64, 80, 96, 136, 176, 216, 256, 296};
    for (t.used = 0; t.used <= whole; t.used++) {
        bool between = false;
        for (unsigned i = 0; i < ARRAY_SIZE(ends); i++)
            between |= ends[i] == t.used;
        /* Before the first range there is no memory in it. */
        assert_int_equal(parse(srat_parse, &raw, why, sizeof why),
                         between && t.used >= 136 ? 0 : -TT_EINVAL);
    }
    begin(48);
    put_memory(0, UINT64_MAX - 4095, 8192, 1);
    assert_int_equal(parse(srat_parse, &raw, why, sizeof why), -TT_EINVAL);
    begin(48);
    for (unsigned i = 0; i <= NUMA_NODES; i++)
        put_memory(i, MB(i), MB(1), 1);
    assert_int_equal(parse(srat_parse, &raw, why, sizeof why), -TT_EINVAL);
    begin(48);
    for (unsigned i = 0; i <= NUMA_RANGES; i++)
        put_memory(0, MB(i), MB(1), 1);
    assert_int_equal(parse(srat_parse, &raw, why, sizeof why), -TT_EINVAL);
}

static void test_random_bytes(void **state)
{
    struct rng rng = {5};
    struct arch_numa raw;
    struct numa n;
    char why[160];
    (void)state;
    for (unsigned round = 0; round < 50000; round++) {
        begin(48);
        unsigned entries = rng_below(&rng, 12);
        for (unsigned i = 0; i < entries; i++) {
            size_t at = t.used;
            if (rng_below(&rng, 2))
                put_cpu((uint8_t)rng_below(&rng, 5), (uint8_t)rng_next(&rng), 1);
            else
                put_memory(rng_below(&rng, 5), MB(rng_below(&rng, 600)), MB(rng_below(&rng, 600)),
                           1);
            if (rng_below(&rng, 4) == 0)
                t.bytes[at + rng_below(&rng, (uint32_t)(t.used - at))] = (uint8_t)rng_next(&rng);
        }
        if (parse(srat_parse, &raw, why, sizeof why))
            continue;
        assert_true(raw.nodes <= NUMA_NODES && raw.ranges <= NUMA_RANGES);
        numa_build(&n, &raw, &map, why, sizeof why);
        assert_true(n.nodes >= 1);
        uint64_t pages = 0;
        for (unsigned node = 0; node < n.nodes; node++)
            pages += numa_pages(&n, &map, node);
        assert_int_equal(pages, memmap_pages(&map, MEM_RAM)); /* each frame once */
    }
}

/* The longest piece of one node, against one frame after the other; ends in the middle of frames.
 */
static void test_first_piece(void **state)
{
    struct rng rng = {9};
    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        struct numa n = {.nodes = 4};
        uint64_t at = rng_below(&rng, 3) * PAGE_SIZE;
        for (n.ranges = 0; n.ranges < 1 + round % 6; n.ranges++) {
            uint64_t end = at + 1 + rng_below(&rng, 5 * PAGE_SIZE);
            n.range[n.ranges] =
                (struct arch_numa_range){{phys(at), phys(end)}, (uint8_t)rng_below(&rng, 4)};
            at = end + (rng_below(&rng, 2) ? rng_below(&rng, 2 * PAGE_SIZE) : 0);
        }
        struct pfn_range r = {pfn(rng_below(&rng, 10)), pfn(0)};
        r.end = pfn(r.start.n + 1 + rng_below(&rng, 20));
        unsigned node;
        struct pfn_range first = numa_first(&n, r, &node);
        uint64_t end = r.start.n;
        while (end < r.end.n && numa_node_of(&n, pfn(end)) == numa_node_of(&n, r.start))
            end++;
        assert_int_equal(node, numa_node_of(&n, r.start));
        assert_int_equal(first.start.n, r.start.n);
        assert_int_equal(first.end.n, end);
    }
}

static void test_order(void **state)
{
    struct numa n = {.nodes = 4,
                     .distance = {{10, 30, 20, 20}, {20, 10, 15, 12}, {11, 11, 10, 11}, {9}}};
    static const uint8_t expected[3][4] = {{0, 2, 3, 1}, {1, 3, 2, 0}, {2, 0, 1, 3}};
    uint8_t order[NUMA_NODES];
    (void)state;
    for (unsigned from = 0; from < 3; from++) {
        numa_order(&n, from, order);
        assert_memory_equal(order, expected[from], 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_nodes),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_short_slits),
        cmocka_unit_test(test_wrong_statements_are_refused),
        cmocka_unit_test(test_nodes_without_memory_or_cpus),
        cmocka_unit_test(test_damaged_srats),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_first_piece),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
