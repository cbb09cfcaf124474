/*
 * The HWRPB as firmware could hand it over: QEMU's form, the specification's form, and every way
 * that we know to be wrong, each refused by its name and with nothing added to the map.
 */
#include "host.h"

#include "boot/alpha/hwrpb_read.h"
#include "core/errno.h"

#include <string.h>

#define CLUSTERS 3

/* A block as firmware lays it out: the fixed part, then the memory descriptors. */
struct block {
    struct hwrpb h;
    uint64_t mddt[3];
    struct cluster cluster[CLUSTERS];
};

static void seal(struct hwrpb *h)
{
    const uint64_t *word = (const uint64_t *)h;

    h->checksum = 0;
    for (size_t i = 0; i < offsetof(struct hwrpb, checksum) / 8; i++)
        h->checksum += word[i];
}

static struct block good(void)
{
    struct block b = {
        .h = {.id = HWRPB_ID_SWAPPED,
              .size_bytes = sizeof(struct block),
              .page_bytes = PAGE_SIZE,
              .cpus = 1,
              .mddt_offset = offsetof(struct block, mddt)},
        .mddt = {0, 0, CLUSTERS},
        .cluster = {{.start_pfn = 0, .pages = 15, .usage = 1},
                    {.start_pfn = 15, .pages = 16000},
                    {.start_pfn = 16015, .pages = 1, .usage = 2}},
    };

    seal(&b.h);
    return b;
}

static void assert_refused(const struct hwrpb *h, const char *text)
{
    char why[128] = "";

    assert_int_equal(hwrpb_check(h, why, sizeof why), -TT_EINVAL);
    if (!strstr(why, text))
        fail_msg("\"%s\" does not say \"%s\"", why, text);
}

static void test_both_forms_of_the_id(void **state)
{
    struct block b = good();
    char why[128];

    (void)state;
    assert_int_equal(hwrpb_check(&b.h, why, sizeof why), 0);
    b.h.id = HWRPB_ID;
    b.h.revision = 12;
    seal(&b.h);
    assert_int_equal(hwrpb_check(&b.h, why, sizeof why), 0);
}

static void test_what_is_wrong_is_named(void **state)
{
    struct block b = good();

    (void)state;
    b.h.id = 0;
    assert_refused(&b.h, "its id is 0x0");
    b = good();
    b.h.revision = HWRPB_REVISION - 1;
    seal(&b.h);
    assert_refused(&b.h, "revision 4, needed is 5");
    b = good();
    b.h.size_bytes = sizeof(struct hwrpb) - 8;
    seal(&b.h);
    assert_refused(&b.h, "bytes long");
    b = good();
    b.h.checksum++;
    assert_refused(&b.h, "checksum");
    b = good();
    b.h.page_bytes = PAGE_SIZE * 2;
    seal(&b.h);
    assert_refused(&b.h, "pages of");
}

/* The checksum sees every bit of what is read: no single flipped one passes. */
static void test_every_flipped_bit_is_seen(void **state)
{
    (void)state;
    for (size_t bit = 0; bit < offsetof(struct hwrpb, checksum) * 8; bit++) {
        struct block b = good();
        char why[128];

        ((uint64_t *)&b.h)[bit / 64] ^= UINT64_C(1) << bit % 64;
        if (!hwrpb_check(&b.h, why, sizeof why))
            fail_msg("bit %zu can flip unseen", bit);
    }
}

static void test_clusters_become_the_map(void **state)
{
    struct block b = good();
    static struct boot_info bi;
    char why[128];

    (void)state;
    memset(&bi, 0, sizeof bi);
    assert_int_equal(hwrpb_clusters(&b.h, &bi, why, sizeof why), 0);
    assert_int_equal(bi.map_count, CLUSTERS);
    for (unsigned i = 0; i < CLUSTERS; i++) {
        assert_int_equal(bi.map[i].start, b.cluster[i].start_pfn * PAGE_SIZE);
        assert_int_equal(bi.map[i].size, b.cluster[i].pages * PAGE_SIZE);
        assert_int_equal(bi.map[i].type, i == 1 ? MEM_RAM : MEM_RESERVED);
    }
}

static void assert_no_map(const struct block *b, const char *text)
{
    static struct boot_info bi;
    char why[128] = "";

    memset(&bi, 0, sizeof bi);
    assert_int_equal(hwrpb_clusters(&b->h, &bi, why, sizeof why), -TT_EINVAL);
    assert_int_equal(bi.map_count, 0);
    if (!strstr(why, text))
        fail_msg("\"%s\" does not say \"%s\"", why, text);
}

static void test_tables_that_cannot_be(void **state)
{
    struct block b = good();

    (void)state;
    b.mddt[2] = 0;
    assert_no_map(&b, "0 memory clusters, expected are 1 to 64");
    b.mddt[2] = HWRPB_CLUSTERS_MAX + 1;
    assert_no_map(&b, "65 memory clusters");
    b.mddt[2] = UINT64_MAX;
    assert_no_map(&b, "memory clusters");
    b = good();
    b.h.mddt_offset = 0;
    assert_no_map(&b, "offset 0x0");
    b.h.mddt_offset = offsetof(struct block, mddt) + 4;
    assert_no_map(&b, "offset");
    /* Either would come out as a small range, of memory that is something else. */
    b = good();
    b.cluster[2].start_pfn = UINT64_C(1) << (64 - PAGE_SHIFT);
    assert_no_map(&b, "memory cluster 2");
    b = good();
    b.cluster[1].pages = UINT64_MAX;
    assert_no_map(&b, "memory cluster 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_forms_of_the_id),
        cmocka_unit_test(test_what_is_wrong_is_named),
        cmocka_unit_test(test_every_flipped_bit_is_seen),
        cmocka_unit_test(test_clusters_become_the_map),
        cmocka_unit_test(test_tables_that_cannot_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
