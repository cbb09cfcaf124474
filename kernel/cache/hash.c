/* Hash functions of the caches. Contract in hash.h. */
#include "cache/hash.h"

#include "cache/address.h"
#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"

#include <string.h>

/* 2^32 / golden ratio, the nearest prime (Knuth); Lever's constant. */
#define GOLDEN 2654435761u

static uint32_t low(uint32_t x, unsigned bits)
{
    return x & ((1u << bits) - 1);
}

/* ---- pages ------------------------------------------------------------------------------------
 *
 * i: the inode's address over the lowest bit set in sizeof(struct inode), so that no inode's low
 * bits are all the same; o: the page's number in its file; s(x): folds the high bits in once.
 */

#define I(inode)   ((inode) / (INODE_BYTES & ~(INODE_BYTES - 1)))
#define O(offset)  ((offset) >> PAGE_SHIFT)
#define S(x, bits) ((x) + ((x) >> (bits)))

static uint32_t page_22(uint32_t inode, uint32_t offset, unsigned bits)
{
    uint32_t x = I(inode) + O(offset);
    return low(S(x, bits), bits);
}

/* The offset's low bits are zero but for swap entries. */
static uint32_t page_2216(uint32_t inode, uint32_t offset, unsigned bits)
{
    return low(I(inode) + O(offset) + (offset & (PAGE_SIZE - 1)), bits);
}

static uint32_t page_swap(uint32_t inode, uint32_t offset, unsigned bits)
{
    if (inode == SWAPPER_INODE)
        return low(S(offset, bits), bits);
    return page_22(inode, offset, bits);
}

static uint32_t page_mul(uint32_t inode, uint32_t offset, unsigned bits)
{
    return ((I(inode) + O(offset)) * GOLDEN) >> (32 - bits);
}

static uint32_t page_mul11(uint32_t inode, uint32_t offset, unsigned bits)
{
    return low(((I(inode) + O(offset)) * GOLDEN) >> 11, bits);
}

/* ---- buffers ----------------------------------------------------------------------------------
 */

static uint32_t buffer_22(uint32_t dev, uint32_t block, unsigned bits)
{
    return low(dev ^ block, bits);
}

static uint32_t buffer_mul(uint32_t dev, uint32_t block, unsigned bits)
{
    return ((dev ^ block) * GOLDEN) >> (32 - bits);
}

/* Without the device, as Lever had it. */
static uint32_t buffer_mul11(uint32_t dev, uint32_t block, unsigned bits)
{
    (void)dev;
    return low((block * GOLDEN) >> 11, bits);
}

/* ---- names ------------------------------------------------------------------------------------
 *
 * Shifts by twice the bits are i386's, which takes a count modulo 32: with 2^16 buckets h >> 32 is
 * h, and h ^ h >> 16 ^ h is the name's half alone ("dentry cache order 7 is broken", Gaudet, 2001).
 */

static uint32_t dentry_22(uint32_t parent, uint32_t name_hash, unsigned bits)
{
    uint32_t h = name_hash + parent;
    return low(h ^ h >> bits ^ h >> 2 * bits % 32, bits);
}

static uint32_t inode_22(uint32_t sb, uint32_t ino, unsigned bits)
{
    uint32_t t = ino | sb;
    return low(t + (t >> bits) + (t >> 2 * bits % 32), bits);
}

static uint32_t names_mul(uint32_t a, uint32_t b, unsigned bits)
{
    return ((a + b) * GOLDEN) >> (32 - bits);
}

static uint32_t names_mul11(uint32_t a, uint32_t b, unsigned bits)
{
    return low(((a + b) * GOLDEN) >> 11, bits);
}

/* ---- the kinds ------------------------------------------------------------------------------- */

static const struct hash_kind kind_22 = {.name = "2.2",
                                         .rule = "Linux 2.2.1: s(i + o) for pages",
                                         .page = page_22,
                                         .buffer = buffer_22,
                                         .dentry = dentry_22,
                                         .inode = inode_22};
static const struct hash_kind kind_2216 = {
    .name = "2.2.16",
    .rule = "Linux 2.2.16: i + o without s(), and swap entries' low bits; the rest as 2.2",
    .page = page_2216,
    .buffer = buffer_22,
    .dentry = dentry_22,
    .inode = inode_22};
static const struct hash_kind kind_swap = {
    .name = "swap",
    .rule = "seed 003: s(i + o), and s(offset) for the swap cache; of pages only",
    .page = page_swap};
static const struct hash_kind kind_mul = {.name = "mul",
                                          .rule = "key * 2654435761, the highest bits (Knuth)",
                                          .page = page_mul,
                                          .buffer = buffer_mul,
                                          .dentry = names_mul,
                                          .inode = names_mul};
static const struct hash_kind kind_mul11 = {.name = "mul11",
                                            .rule = "key * 2654435761 >> 11 (Lever 2000: buffers)",
                                            .page = page_mul11,
                                            .buffer = buffer_mul11,
                                            .dentry = names_mul11,
                                            .inode = names_mul11};

const struct hash_kind *const hash_kinds[] = {&kind_22,  &kind_2216,  &kind_swap,
                                              &kind_mul, &kind_mul11, NULL};

static int invalid(const char *s, char *err, size_t err_bytes)
{
    size_t used =
        ksnprintf(err, err_bytes, "%s: valid, alone or with :BITS from %u to %u or :ram:", s,
                  HASH_BITS_MIN, HASH_BITS_MAX);
    for (unsigned i = 0; hash_kinds[i] && used < err_bytes; i++)
        used += ksnprintf(err + used, err_bytes - used, " %s", hash_kinds[i]->name);
    return -TT_EINVAL;
}

int hash_parse(const char *s, struct cache_setup *out, char *err, size_t err_bytes)
{
    char name[16];
    bool ok;
    uint64_t bits = HASH_BITS_OWN;
    unsigned i = 0;
    const char *rest = parse_item(s, ':', name, sizeof name, &ok);
    if (rest && !strcmp(rest, "ram"))
        bits = HASH_BITS_RAM;
    else if (rest && parse_u64(rest, HASH_BITS_MIN, HASH_BITS_MAX, &bits))
        ok = false;
    while (hash_kinds[i] && strcmp(hash_kinds[i]->name, name))
        i++;
    if (!ok || !hash_kinds[i])
        return invalid(s, err, err_bytes);
    out->hash = hash_kinds[i];
    out->hash_bits = (uint8_t)bits;
    return 0;
}

unsigned hash_bits_of_ram(uint64_t bytes)
{
    unsigned bits = 10;
    while (bits < HASH_BITS_MAX && bytes >> (PAGE_SHIFT + 2) >> (bits + 1))
        bits++;
    return bits;
}

unsigned hash_bits(const struct cache_setup *s, unsigned own, uint64_t ram_bytes)
{
    if (s->hash_bits == HASH_BITS_OWN)
        return own;
    return s->hash_bits == HASH_BITS_RAM ? hash_bits_of_ram(ram_bytes) : s->hash_bits;
}
