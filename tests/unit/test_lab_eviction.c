/*
 * Grouping by eviction sets against simulated caches: the groups are the sets of the cache and
 * nothing else, whatever its ways, hash, replacement and the caches in front of it; noise is
 * outvoted; what cannot be grouped is an error, after a bounded number of reads.
 */
#include "host.h"

#include "core/rng.h"
#include "lab/eviction.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 16384
#define WAYS_MAX   24
#define SETS_MAX   512

/* ---- a machine with one or two caches, seen at one line of each page ------------------------ */

struct cache {
    uint32_t sets;
    unsigned ways;
    uint64_t hash[4]; /* each a bit of the set, above those of the frame number */
    unsigned hashes;
    bool tree;                         /* replacement by a tree of bits, not by age */
    uint32_t line[SETS_MAX][WAYS_MAX]; /* the newest first; tree: as they lie; 0: none */
    uint32_t bits[SETS_MAX];
};

static struct {
    struct cache front, last; /* front.ways 0: none */
    bool exclusive;           /* the last holds what the front has thrown out */
    unsigned noise;           /* one answer in so many is wrong; 0: none */
    bool silly;               /* every answer is a coin's */
    struct rng rng;
    uint64_t reads;
    pfn_t frame[FRAMES_MAX];
} sim;

static uint32_t set_of(const struct cache *c, uint64_t frame)
{
    uint32_t plain = c->sets >> c->hashes, set = (uint32_t)(frame % plain);
    for (unsigned i = 0; i < c->hashes; i++)
        set += (uint32_t)__builtin_parityll(frame & c->hash[i]) * (plain << i);
    return set;
}

static int find(const struct cache *c, uint32_t set, uint32_t line)
{
    for (unsigned w = 0; w < c->ways; w++)
        if (c->line[set][w] == line)
            return (int)w;
    return -1;
}

/* A tree of ways - 1 bits: each says which half was used longer ago. */
static void tree_touch(struct cache *c, uint32_t set, unsigned way)
{
    unsigned node = 1;
    for (unsigned half = c->ways / 2; half; half /= 2) {
        bool right = way & half;
        c->bits[set] = right ? c->bits[set] & ~(1u << node) : c->bits[set] | 1u << node;
        node = 2 * node + right;
    }
}

static unsigned tree_victim(const struct cache *c, uint32_t set)
{
    unsigned node = 1, way = 0;
    for (unsigned half = c->ways / 2; half; half /= 2) {
        bool right = c->bits[set] >> node & 1;
        way |= right ? half : 0;
        node = 2 * node + right;
    }
    return way;
}

/* Returns what is thrown out; hit: 0. */
static uint32_t insert(struct cache *c, uint64_t frame, uint32_t line)
{
    uint32_t set = set_of(c, frame), out = 0;
    int way = find(c, set, line);
    if (c->tree) {
        if (way < 0) {
            way = (int)tree_victim(c, set);
            out = c->line[set][way];
            c->line[set][way] = line;
        }
        tree_touch(c, set, (unsigned)way);
        return out;
    }
    if (way < 0) {
        way = (int)c->ways - 1;
        out = c->line[set][way];
    }
    memmove(&c->line[set][1], &c->line[set][0], (unsigned)way * sizeof line);
    c->line[set][0] = line;
    return out;
}

static void drop(struct cache *c, uint64_t frame, uint32_t line)
{
    uint32_t set = set_of(c, frame);
    int way = find(c, set, line);
    if (way < 0)
        return;
    memmove(&c->line[set][way], &c->line[set][way + 1],
            (c->ways - 1 - (unsigned)way) * sizeof line);
    c->line[set][c->ways - 1] = 0;
}

/* Reads a frame's line; true: memory had to be asked. */
static bool read_line(uint32_t i)
{
    uint64_t frame = sim.frame[i].n;
    uint32_t line = i + 1;
    bool front = sim.front.ways && find(&sim.front, set_of(&sim.front, frame), line) >= 0;
    bool last = find(&sim.last, set_of(&sim.last, frame), line) >= 0;
    sim.reads++;
    if (sim.exclusive) {
        if (last)
            drop(&sim.last, frame, line);
        uint32_t out = insert(&sim.front, frame, line);
        if (out)
            insert(&sim.last, sim.frame[out - 1].n, out);
        return !front && !last;
    }
    if (sim.front.ways)
        insert(&sim.front, frame, line);
    if (!front)
        insert(&sim.last, frame, line);
    return !front && !last;
}

static bool evicts(void *arg, const uint32_t *set, uint32_t n, uint32_t victim)
{
    (void)arg;
    if (sim.silly)
        return rng_below(&sim.rng, 2);
    read_line(victim);
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t k = 0; k < n; k++)
            read_line(set[k]);
    bool out = read_line(victim);
    return sim.noise && rng_below(&sim.rng, sim.noise) == 0 ? !out : out;
}

/* ---- the grouping ---------------------------------------------------------------------------- */

static struct eviction e;
static void *scratch;
static color_t color[FRAMES_MAX];

static void machine(uint32_t sets, unsigned ways)
{
    memset(&sim, 0, sizeof sim);
    sim.last.sets = sets;
    sim.last.ways = ways;
    sim.rng = rng_stream(3, 1);
}

/* Frames from a start that is no multiple of anything. */
static const char *group(uint32_t frames, uint32_t colors, unsigned ways)
{
    for (uint32_t i = 0; i < frames; i++)
        sim.frame[i] = pfn(100003 + i);
    e = (struct eviction){.evicts = evicts,
                          .frame = sim.frame,
                          .frames = frames,
                          .colors = colors,
                          .ways = ways,
                          .color = color};
    free(scratch);
    scratch = malloc(eviction_bytes(&e));
    return eviction_group(&e, scratch);
}

static void groups_are_sets(uint32_t frames)
{
    uint32_t of_set[SETS_MAX], of_color[SETS_MAX];
    memset(of_set, 0xff, sizeof of_set);
    memset(of_color, 0xff, sizeof of_color);
    assert_int_equal(e.found, sim.last.sets);
    for (uint32_t i = 0; i < frames; i++) {
        uint32_t set = set_of(&sim.last, sim.frame[i].n), c = color[i];
        if (of_set[set] == UINT32_MAX)
            of_set[set] = c;
        if (of_color[c] == UINT32_MAX)
            of_color[c] = set;
        assert_int_equal(of_set[set], c);
        assert_int_equal(of_color[c], set);
    }
}

static void check_all(uint32_t sets, unsigned lines, uint32_t frames, unsigned ways)
{
    assert_null(group(frames, sets, ways));
    groups_are_sets(frames);
    assert_int_equal(e.lines[lines], sets);
    assert_int_equal(e.guessed, 0);
    for (uint32_t i = 0; i < 200; i++) {
        color_t other = (color[i] + 1 + i % (sets - 1)) % sets;
        assert_true(eviction_member(&e, scratch, i, color[i]));
        assert_false(eviction_member(&e, scratch, i, other));
    }
}

static void test_plain_indexes(void **state)
{
    (void)state;
    static const struct {
        uint32_t sets, frames;
        unsigned ways;
    } cases[] = {{64, 640, 1}, {512, 4096, 1}, {64, 1024, 2},
                 {12, 500, 3}, {32, 2048, 16}, {2, 200, 8}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        machine(cases[i].sets, cases[i].ways);
        check_all(cases[i].sets, cases[i].ways, cases[i].frames, cases[i].ways);
    }
}

/* Where the stated ways are wrong, the lines say the true ones. */
static void test_ways_that_are_stated_wrongly(void **state)
{
    (void)state;
    machine(32, 12);
    check_all(32, 12, 2048, 16);
    machine(32, 16);
    check_all(32, 16, 2048, 4);
}

static void test_hashed_slices(void **state)
{
    (void)state;
    machine(128, 16); /* Sandy Bridge's four slices, over frame numbers */
    sim.last.hashes = 2;
    sim.last.hash[0] = 0xeaac0000u >> 12;
    sim.last.hash[1] = 0xb5fa0000u >> 12;
    check_all(128, 16, 16384, 16);
    struct color_map plain;
    color_map_modulo(&plain, 128);
    struct eviction_agreement a = eviction_agree(&e, &plain, scratch);
    assert_in_range(a.right, 2300, 2700); /* a quarter: one slice in four */
    assert_in_range(a.known, 2300, 2700);
}

static void test_tree_replacement(void **state)
{
    (void)state;
    machine(16, 8);
    sim.last.tree = true;
    assert_null(group(2048, 16, 8));
    groups_are_sets(2048);
}

/* A smaller cache in front, which holds on to a line that the last has thrown out. */
static void test_a_cache_in_front(void **state)
{
    (void)state;
    machine(64, 1);
    sim.front = (struct cache){.sets = 4, .ways = 2};
    check_all(64, 2, 1024, 1);
}

/* A last level that holds what the one in front has thrown out: it takes the lines of both. */
static void test_an_exclusive_last_level(void **state)
{
    (void)state;
    machine(64, 16);
    sim.front = (struct cache){.sets = 4, .ways = 8};
    sim.exclusive = true;
    check_all(64, 24, 4096, 16);
}

static void test_noise_is_outvoted(void **state)
{
    (void)state;
    machine(64, 4);
    sim.noise = 100;
    assert_null(group(2048, 64, 4));
    groups_are_sets(2048);
}

static void test_agreement_is_counted_by_pairs(void **state)
{
    (void)state;
    machine(24, 2);
    assert_null(group(600, 24, 2));
    for (uint32_t colors = 1; colors <= 24; colors++) {
        struct color_map map;
        uint64_t stated = 0, found = 0, both = 0;
        color_map_modulo(&map, colors);
        for (uint32_t i = 0; i < 600; i++) {
            for (uint32_t j = 0; j < i; j++) {
                bool s = sim.frame[i].n % colors == sim.frame[j].n % colors;
                bool f = sim.frame[i].n % 24 == sim.frame[j].n % 24;
                stated += s;
                found += f;
                both += s && f;
            }
        }
        struct eviction_agreement a = eviction_agree(&e, &map, scratch);
        assert_int_equal(a.right, both * 10000 / stated);
        assert_int_equal(a.known, both * 10000 / found);
    }
}

static void test_what_cannot_be_grouped(void **state)
{
    (void)state;
    machine(64, 4);
    assert_non_null(strstr(group(2048, 32, 4), "more colours than the cache"));
    assert_non_null(strstr(group(128, 64, 4), "too few frames")); /* two of each colour */
    sim.last.ways = WAYS_MAX;
    assert_non_null(strstr(group(1024, 64, 4), "fit no colour"));
    sim.silly = true;
    assert_non_null(group(1024, 64, 4));
    assert_true(e.reads < UINT64_C(1) << 34);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_indexes),
        cmocka_unit_test(test_ways_that_are_stated_wrongly),
        cmocka_unit_test(test_hashed_slices),
        cmocka_unit_test(test_tree_replacement),
        cmocka_unit_test(test_a_cache_in_front),
        cmocka_unit_test(test_an_exclusive_last_level),
        cmocka_unit_test(test_noise_is_outvoted),
        cmocka_unit_test(test_agreement_is_counted_by_pairs),
        cmocka_unit_test(test_what_cannot_be_grouped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
