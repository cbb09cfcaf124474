/* Hash functions against the formulas as they were posted, and the words of hash=. */
#include "host.h"

#include "cache/address.h"
#include "cache/hash.h"
#include "core/errno.h"
#include "core/rng.h"

#include <stdlib.h>
#include <string.h>

static const struct hash_kind *kind(const char *name)
{
    struct cache_setup s;
    char err[200];
    if (hash_parse(name, &s, err, sizeof err))
        fail_msg("%s", err);
    return s.hash;
}

/* ---- the formulas, in whole numbers without bounds ----------------------------------------------
 */

static uint64_t s(uint64_t x, unsigned bits)
{
    return x + x / (1ull << bits);
}

/* 284 = 4 * 71: the lowest bit set is 4. */
static uint64_t key(uint64_t inode, uint64_t offset)
{
    return inode / 4 + offset / 4096;
}

static uint64_t naive(const char *name, uint64_t inode, uint64_t offset, unsigned bits)
{
    uint64_t size = 1ull << bits, product = key(inode, offset) * 2654435761u % (1ull << 32);
    if (!strcmp(name, "2.2") || (!strcmp(name, "swap") && inode != SWAPPER_INODE))
        return s(key(inode, offset), bits) % size;
    if (!strcmp(name, "swap"))
        return s(offset, bits) % size;
    if (!strcmp(name, "2.2.16"))
        return (key(inode, offset) + offset % 4096) % size;
    if (!strcmp(name, "mul"))
        return product / (1ull << (32 - bits));
    assert_string_equal(name, "mul11");
    return product / 2048 % size;
}

static void functions_are_the_formulas(void **state)
{
    struct rng rng = {1};
    (void)state;
    for (unsigned k = 0; hash_kinds[k]; k++) {
        for (unsigned i = 0; i < 200000; i++) {
            unsigned bits = HASH_BITS_MIN + rng_below(&rng, HASH_BITS_MAX);
            bool swapped = rng_below(&rng, 4) == 0;
            uint32_t inode = swapped ? SWAPPER_INODE
                                     : inode_address(rng_below(&rng, 1u << 18),
                                                     rng_below(&rng, INODES_PER_PAGE));
            uint32_t offset = swapped ? SWAP_ENTRY(1 + rng_below(&rng, 1u << 17))
                                      : rng_below(&rng, 1u << 20) << PAGE_SHIFT;
            uint32_t at = hash_kinds[k]->page(inode, offset, bits);
            assert_int_equal(at, naive(hash_kinds[k]->name, inode, offset, bits));
            assert_true(at >> bits == 0);
        }
    }
}

static uint64_t naive_buffer(const char *name, uint64_t dev, uint64_t block, unsigned bits)
{
    uint64_t size = 1ull << bits, word = 1ull << 32;
    if (!strcmp(name, "2.2") || !strcmp(name, "2.2.16"))
        return (dev ^ block) % size;
    if (!strcmp(name, "mul"))
        return (dev ^ block) * 2654435761u % word / (word / size);
    assert_string_equal(name, "mul11");
    return block * 2654435761u % word / 2048 % size;
}

static void functions_of_buffers_are_the_formulas(void **state)
{
    struct rng rng = {2};
    unsigned none = 0;
    (void)state;
    for (unsigned k = 0; hash_kinds[k]; k++) {
        none += !hash_kinds[k]->buffer;
        for (unsigned i = 0; hash_kinds[k]->buffer && i < 200000; i++) {
            unsigned bits = HASH_BITS_MIN + rng_below(&rng, HASH_BITS_MAX);
            uint32_t dev = rng_below(&rng, 1u << 16), block = (uint32_t)rng_next(&rng);
            uint32_t at = hash_kinds[k]->buffer(dev, block, bits);
            assert_int_equal(at, naive_buffer(hash_kinds[k]->name, dev, block, bits));
            assert_true(at >> bits == 0);
        }
    }
    assert_int_equal(none, 1); /* swap */
}

/* Worked by hand: 0xc0000000 / 4 = 805306368 = 393216 * 2048; so s() adds 393216, and 2048 divides
 * both. */
static void an_example(void **state)
{
    (void)state;
    assert_int_equal(kind("2.2")->page(0xc0000000, 5 << 12, 11), 5);
    assert_int_equal(kind("2.2")->page(0xc0000000, 2049 << 12, 11), 2);
    assert_int_equal(kind("2.2.16")->page(0xc0000000, 2049 << 12, 11), 1);
    /* A page is 1024 units: without s() every second page of inodes begins at the same bucket. */
    assert_int_equal(kind("2.2.16")->page(0xc0002000, 0, 11), 0);
    assert_int_equal(kind("2.2")->page(0xc0002000, 0, 11), 1);
}

/* Sixteen neighbours in the swap file share a bucket of 2.2.1, and none does later. */
static void entries_of_the_swap_cache(void **state)
{
    static const struct {
        const char *name;
        unsigned distinct; /* of 64 consecutive entries from 16 on */
    } cases[] = {{"2.2", 4}, {"2.2.16", 64}, {"swap", 64}};
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        bool seen[1 << 14] = {false};
        unsigned distinct = 0;
        for (unsigned n = 16; n < 80; n++) {
            uint32_t at = kind(cases[i].name)->page(SWAPPER_INODE, SWAP_ENTRY(n), 14);
            distinct += !seen[at];
            seen[at] = true;
        }
        assert_int_equal(distinct, cases[i].distinct);
    }
}

static void inodes_are_packed(void **state)
{
    (void)state;
    assert_int_equal(INODES_PER_PAGE, 14);
    assert_int_equal(inode_address(3, 13) - inode_address(3, 0), 13 * 284);
    assert_true(inode_address(3, 13) + INODE_BYTES <= inode_address(4, 0));
    for (uint32_t slot = 0; slot < INODES_PER_PAGE; slot++)
        assert_int_not_equal(SWAPPER_INODE % PAGE_SIZE, inode_address(0, slot) % PAGE_SIZE);
}

static void words(void **state)
{
    static const struct {
        const char *text, *name;
        unsigned bits;
    } good[] = {{"2.2", "2.2", HASH_BITS_OWN},
                {"2.2:11", "2.2", 11},
                {"mul:20", "mul", 20},
                {"mul11:1", "mul11", 1},
                {"swap:ram", "swap", HASH_BITS_RAM}};
    static const char *const bad[] = {"",      "2.3",     "2.2:",    "2.2:0", "2.2:21",
                                      "mul:x", "mul:rom", "mul:11:", ":11",   "2.2,mul"};
    struct cache_setup setup;
    char err[200];
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(good); i++) {
        assert_int_equal(hash_parse(good[i].text, &setup, err, sizeof err), 0);
        assert_string_equal(setup.hash->name, good[i].name);
        assert_int_equal(setup.hash_bits, good[i].bits);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        err[0] = '\0';
        assert_int_equal(hash_parse(bad[i], &setup, err, sizeof err), -TT_EINVAL);
        assert_non_null(strstr(err, "from 1 to 20 or :ram: 2.2 2.2.16 swap mul mul11"));
    }
}

/* 512 MB gives 2^15, as posted; below 16 MB 2^10. */
static void sizes(void **state)
{
    static const struct {
        uint64_t mib;
        unsigned bits;
    } cases[] = {{0, 10},   {1, 10},   {16, 10},  {31, 10},  {32, 11},
                 {128, 13}, {511, 14}, {512, 15}, {4096, 18}};
    struct cache_setup own = {.hash_bits = HASH_BITS_OWN}, ram = {.hash_bits = HASH_BITS_RAM},
                       twelve = {.hash_bits = 12};
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_int_equal(hash_bits_of_ram(cases[i].mib << 20), cases[i].bits);
        assert_int_equal(hash_bits(&ram, 11, cases[i].mib << 20), cases[i].bits);
        assert_int_equal(hash_bits(&own, 11, cases[i].mib << 20), 11);
        assert_int_equal(hash_bits(&twelve, 11, cases[i].mib << 20), 12);
    }
    assert_int_equal(hash_bits_of_ram(1ull << 50), HASH_BITS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_the_formulas),
        cmocka_unit_test(functions_of_buffers_are_the_formulas),
        cmocka_unit_test(an_example),
        cmocka_unit_test(entries_of_the_swap_cache),
        cmocka_unit_test(inodes_are_packed),
        cmocka_unit_test(words),
        cmocka_unit_test(sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
