/* The caches of names: their hash functions by the formulas, and caches filled in real memory. */
#include "host.h"

#include "mm_instance.h"
#include "work/name_caches.h"

#include <stdlib.h>
#include <string.h>

/* ---- formulas ----------------------------------------------------------------------------------
 */

/* i386 shifts by the low five bits of a count. */
static uint32_t shift(uint32_t x, unsigned count)
{
    for (count &= 31; count; count--)
        x /= 2;
    return x;
}

static uint32_t naive(const char *name, bool inode, uint32_t a, uint32_t b, unsigned bits)
{
    uint32_t size = 1u << bits, sum = a + b, product = sum * 2654435761u;
    if (!strcmp(name, "mul"))
        return (uint32_t)((uint64_t)product * size >> 32);
    if (!strcmp(name, "mul11"))
        return product / 2048 % size;
    if (inode)
        return ((a | b) + shift(a | b, bits) + shift(a | b, 2 * bits)) % size;
    return (sum ^ shift(sum, bits) ^ shift(sum, 2 * bits)) % size;
}

static void functions_are_the_formulas(void **state)
{
    struct rng rng = {1};
    unsigned none = 0;
    (void)state;
    for (unsigned k = 0; hash_kinds[k]; k++) {
        const struct hash_kind *kind = hash_kinds[k];
        assert_int_equal(kind->dentry != NULL, kind->inode != NULL);
        none += !kind->dentry;
        for (unsigned i = 0; kind->dentry && i < 200000; i++) {
            unsigned bits = HASH_BITS_MIN + rng_below(&rng, HASH_BITS_MAX);
            uint32_t a = (uint32_t)rng_next(&rng), b = (uint32_t)rng_next(&rng);
            assert_int_equal(kind->dentry(a, b, bits), naive(kind->name, false, a, b, bits));
            assert_int_equal(kind->inode(a, b, bits), naive(kind->name, true, a, b, bits));
        }
    }
    assert_int_equal(none, 1); /* swap */
}

/* "Dentry cache order 7 is broken": with 2^16 buckets the lower half of the key does not count. */
static void two_to_the_sixteenth_is_broken(void **state)
{
    (void)state;
    assert_string_equal(hash_kinds[0]->name, "2.2");
    for (unsigned bits = 15; bits <= 17; bits++) {
        static bool seen[1 << 17];
        unsigned distinct = 0;
        memset(seen, 0, sizeof seen);
        for (uint32_t h = 0; h < 1u << 16; h++) {
            uint32_t at = hash_kinds[0]->dentry(0xc0000000, h, bits);
            distinct += !seen[at];
            seen[at] = true;
        }
        if (bits == 16)
            assert_int_equal(distinct, 1);
        else
            assert_true(distinct > 1u << 14);
    }
}

/* 2.2's: four bits to a character, the highest ones round to the low end. */
static void name_hashes(void **state)
{
    (void)state;
    assert_int_equal(name_hash((const uint8_t *)"", 0), 0);
    assert_int_equal(name_hash((const uint8_t *)"a", 1), 0x61);
    assert_int_equal(name_hash((const uint8_t *)"ab", 2), 0x610 ^ 0x62);
    uint64_t h = 0;
    const uint8_t *text = (const uint8_t *)"filemap_nopage";
    for (unsigned i = 0; i < 14; i++)
        h = ((h * 16 % (1ull << 32)) | h / (1ull << 28)) ^ text[i];
    assert_int_equal(name_hash(text, 14), h);
}

/* ---- caches ------------------------------------------------------------------------------------
 */

static struct instance in;
static void *frames;
static struct name_caches c;

static void build(const char *hash, uint64_t pages)
{
    struct setup s = instance_setup("buddy", "next", "off", "2:90:40");
    char err[256];
    frames = aligned_alloc(PAGE_SIZE, pages << PAGE_SHIFT);
    memset(frames, 0xa5, pages << PAGE_SHIFT);
    struct pfn_range range = {pfn((uintptr_t)frames >> PAGE_SHIFT), PFN_NONE};
    range.end = pfn(range.start.n + pages);
    if (hash_parse(hash, &s.cache, err, sizeof err))
        fail_msg("%s", err);
    s.cache.tables_bytes = name_caches_tables(&s.cache, pages << PAGE_SHIFT);
    instance_build(&in, &s, &range, 1, 1);
}

static void drop(void)
{
    name_caches_free(&c);
    instance_drop(&in);
    free(frames);
}

#define NAMES 1000

static void every_name_is_found_and_no_other(void **state)
{
    static const char *const kinds[] = {"2.2", "2.2:5", "2.2:ram", "mul:12", "mul11"};
    (void)state;
    for (unsigned k = 0; k < ARRAY_SIZE(kinds); k++) {
        build(kinds[k], 512);
        assert_null(name_caches_init(&c, &in.memory, NAMES, 3));
        assert_null(name_caches_check(&c));
        assert_int_equal(c.dentries.table.count + c.inodes.table.count, 2 * NAMES);
        for (uint32_t i = 0; i < NAMES; i++) {
            const struct named *at = &c.named[i];
            struct name other = at->name;
            assert_int_equal(dentry_find(&c.dentries, at->parent, &at->name), at->dentry);
            assert_int_equal(inode_find(&c.inodes, at->sb, at->ino), at->inode);
            assert_int_equal(inode_find(&c.inodes, at->sb ^ 4, at->ino), TABLE_NONE);
            assert_int_equal(dentry_find(&c.dentries, at->dentry, &at->name),
                             at->dentry == at->parent ? at->dentry : TABLE_NONE);
            other.text[0] ^= 0x80; /* the same hash, another text; then another length */
            assert_int_equal(dentry_find(&c.dentries, at->parent, &other), TABLE_NONE);
            other = at->name;
            other.len--;
            assert_int_equal(dentry_find(&c.dentries, at->parent, &other), TABLE_NONE);
            assert_true(at->dentry * NAMES_UNIT % DENTRY_STRIDE == 0);
            assert_true(at->inode * NAMES_UNIT % PAGE_SIZE % INODE_BYTES == 0);
        }
        drop();
    }
}

static void the_check_sees_damage(void **state)
{
    (void)state;
    build("2.2", 512);
    assert_null(name_caches_init(&c, &in.memory, NAMES, 3));
    dentry_find(&c.dentries, c.named[7].parent, &c.named[7].name);
    assert_string_equal(name_caches_check(&c), "a name keeps a reference");
    dentry_at(&c.dentries, c.named[7].dentry)->count--;
    inode_at(&c.inodes, c.named[7].inode)->ino ^= 1u << 20;
    assert_non_null(name_caches_check(&c));
    inode_at(&c.inodes, c.named[7].inode)->ino ^= 1u << 20;
    assert_null(name_caches_check(&c));
    drop();
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    build("swap", 512);
    assert_non_null(strstr(name_caches_init(&c, &in.memory, NAMES, 3), "valid for names: 2.2"));
    drop();
    build("2.2", 512);
    assert_non_null(strstr(name_caches_init(&c, &in.memory, 10 * NAMES, 3), "fewer names="));
    drop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_the_formulas),
        cmocka_unit_test(two_to_the_sixteenth_is_broken),
        cmocka_unit_test(name_hashes),
        cmocka_unit_test(every_name_is_found_and_no_other),
        cmocka_unit_test(the_check_sees_damage),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
