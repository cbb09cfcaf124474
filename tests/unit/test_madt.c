/*
 * The MADT parser on tables that firmware could hand over: right ones, cut ones, random ones.
 */
#include "host.h"

#include "arch/x86_64/madt.h"
#include "core/rng.h"

#include <stdlib.h>
#include <string.h>

/* A table under construction: header and fixed part are there, entries are appended. */
struct table {
    uint8_t bytes[16384];
    size_t used;
};

static void put(struct table *t, const void *entry, size_t bytes)
{
    memcpy(t->bytes + t->used, entry, bytes);
    t->used += bytes;
}

#define PUT(t, ...) put(t, (uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}))

static void begin(struct table *t)
{
    memset(t, 0, sizeof *t);
    t->used = 36;
    PUT(t, 0x00, 0x00, 0xe0, 0xfe, 1, 0, 0, 0); /* local APICs at 0xfee00000, 8259s there */
}

static void put_cpu(struct table *t, uint8_t apic_id, uint8_t flags)
{
    PUT(t, 0, 8, (uint8_t)(apic_id + 1), apic_id, flags, 0, 0, 0);
}

/* The parser gets a copy of exactly the table's length: ASan sees every byte too far. */
static bool parse(const struct table *t, struct madt *m)
{
    uint8_t *copy = malloc(t->used ? t->used : 1);
    memcpy(copy, t->bytes, t->used);
    bool ok = madt_parse(copy, t->used, m);
    free(copy);
    return ok;
}

/* What QEMU's q35 with two CPUs has. */
static void test_common_machine(void **state)
{
    struct table t;
    struct madt m;
    (void)state;
    begin(&t);
    put_cpu(&t, 0, 1);
    put_cpu(&t, 1, 1);
    PUT(&t, 1, 12, 0, 0, 0x00, 0x00, 0xc0, 0xfe, 0, 0, 0, 0);
    PUT(&t, 2, 10, 0, 0, 2, 0, 0, 0, 0, 0);      /* the timer at pin 2, bus default */
    PUT(&t, 2, 10, 0, 9, 9, 0, 0, 0, 0x0d, 0);   /* 9: level, high */
    PUT(&t, 2, 10, 0, 10, 10, 0, 0, 0, 0x0f, 0); /* 10: level, low */
    PUT(&t, 4, 6, 0xff, 0, 0, 1);                /* NMI at LINT1 of all processors */
    assert_true(parse(&t, &m));
    assert_int_equal(m.lapic_address, 0xfee00000);
    assert_true(m.has_pic);
    assert_int_equal(m.cpus, 2);
    assert_int_equal(m.apic_id[1], 1);
    assert_int_equal(m.ioapics, 1);
    assert_int_equal(m.ioapic[0].address, 0xfec00000);
    assert_int_equal(m.overrides, 3);
    assert_int_equal(m.override[0].gsi, 2);
    assert_false(m.override[0].low || m.override[0].level);
    assert_true(m.override[1].level && !m.override[1].low);
    assert_true(m.override[2].level && m.override[2].low);
    assert_int_equal(m.nmi_lints, 1 << 1);
    assert_int_equal(m.nmi_low, 0);
    assert_int_equal(m.malformed, 0);
}

static void test_unusable_cpus_are_counted_apart(void **state)
{
    struct table t;
    struct madt m;
    (void)state;
    begin(&t);
    put_cpu(&t, 4, 1);
    put_cpu(&t, 6, 0);                                        /* disabled */
    put_cpu(&t, 7, 2);                                        /* could be plugged in */
    put_cpu(&t, 255, 1);                                      /* the broadcast number */
    put_cpu(&t, 4, 1);                                        /* twice */
    PUT(&t, 9, 16, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0); /* x2APIC entry, small number */
    PUT(&t, 9, 16, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0); /* its broadcast */
    assert_true(parse(&t, &m));
    assert_int_equal(m.cpus, 2);
    assert_int_equal(m.apic_id[0], 4);
    assert_int_equal(m.apic_id[1], 8);
    assert_int_equal(m.disabled, 2);
    assert_int_equal(m.beyond, 2);
    assert_int_equal(m.malformed, 1);
}

/* A machine of 2026: numbers of 32 bits, with gaps; 255 is a processor like others there. */
static void test_x2apic_entries(void **state)
{
    struct table t;
    struct madt m;
    (void)state;
    begin(&t);
    put_cpu(&t, 0, 1);
    PUT(&t, 9, 16, 0, 0, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
    PUT(&t, 9, 16, 0, 0, 0x78, 0x56, 0x34, 0x12, 1, 0, 0, 0, 0, 0, 0, 0);
    PUT(&t, 9, 16, 0, 0, 0x79, 0x56, 0x34, 0x12, 2, 0, 0, 0, 0, 0, 0, 0); /* not there yet */
    assert_true(parse(&t, &m));
    assert_int_equal(m.cpus, 3);
    assert_int_equal(m.apic_id[1], 255);
    assert_int_equal(m.apic_id[2], 0x12345678);
    assert_int_equal(m.highest_id, 0x12345678);
    assert_int_equal(m.disabled, 1);
    assert_int_equal(m.beyond + m.malformed, 0);
}

/* Seen on servers: the same processors by both kinds of entry. They are there once, and all is
 * well. */
static void test_processors_named_by_both_kinds(void **state)
{
    struct table t;
    struct madt m;
    (void)state;
    begin(&t);
    for (uint8_t i = 0; i < 4; i++)
        PUT(&t, 9, 16, 0, 0, i, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
    for (uint8_t i = 0; i < 4; i++)
        put_cpu(&t, i, 1);
    assert_true(parse(&t, &m));
    assert_int_equal(m.cpus, 4);
    assert_int_equal(m.malformed, 0);
    put_cpu(&t, 2, 1);
    PUT(&t, 9, 16, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
    assert_true(parse(&t, &m));
    assert_int_equal(m.cpus, 4);
    assert_int_equal(m.malformed, 1); /* 3 by x2APIC a second time; 2 was x2APIC's first */
}

static void test_nmi_lines(void **state)
{
    struct table t;
    struct madt m;
    (void)state;
    begin(&t);
    PUT(&t, 4, 6, 0, 0x0f, 0, 0);                                 /* LINT0, low, level */
    PUT(&t, 10, 12, 0x05, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0); /* LINT1, high, edge */
    PUT(&t, 4, 6, 0xff, 0, 0, 2);                                 /* no such line */
    PUT(&t, 10, 8, 0x05, 0, 0xff, 0xff, 0xff, 0xff);              /* too short */
    assert_true(parse(&t, &m));
    assert_int_equal(m.nmi_lints, 3);
    assert_int_equal(m.nmi_low, 1);
    assert_int_equal(m.malformed, 2);
}

static void test_address_override(void **state)
{
    struct table t;
    struct madt m;
    (void)state;
    begin(&t);
    PUT(&t, 5, 12, 0, 0, 0x00, 0x10, 0x20, 0x30, 0x04, 0, 0, 0);
    assert_true(parse(&t, &m));
    assert_true(m.lapic_address == 0x430201000);
}

static void test_damaged_tables(void **state)
{
    struct table t;
    struct madt m;
    (void)state;

    /* No fixed part. */
    begin(&t);
    for (t.used = 0; t.used < 44; t.used++)
        assert_false(parse(&t, &m));

    /* An entry of length 0 would never end; what came before it counts. */
    begin(&t);
    put_cpu(&t, 1, 1);
    PUT(&t, 0, 0, 0, 0, 0, 0, 0, 0);
    put_cpu(&t, 2, 1);
    assert_true(parse(&t, &m));
    assert_int_equal(m.cpus, 1);
    assert_int_equal(m.malformed, 1);

    /* Entries shorter than their kind are skipped, not read. */
    begin(&t);
    PUT(&t, 0, 4, 1, 1);
    PUT(&t, 1, 8, 0, 0, 0, 0, 0, 0);
    PUT(&t, 2, 2);
    put_cpu(&t, 3, 1);
    assert_true(parse(&t, &m));
    assert_int_equal(m.cpus, 1);
    assert_int_equal(m.ioapics + m.overrides, 0);
    assert_int_equal(m.malformed, 3);

    /* Overrides of no ISA interrupt. */
    begin(&t);
    PUT(&t, 2, 10, 1, 0, 2, 0, 0, 0, 0, 0);
    PUT(&t, 2, 10, 0, 16, 2, 0, 0, 0, 0, 0);
    assert_true(parse(&t, &m));
    assert_int_equal(m.overrides, 0);
    assert_int_equal(m.malformed, 2);
}

static void test_a_table_cut_anywhere(void **state)
{
    struct table t;
    struct madt whole, cut;
    (void)state;
    begin(&t);
    for (uint8_t i = 0; i < 20; i++)
        put_cpu(&t, i, 1);
    PUT(&t, 1, 12, 0, 0, 0x00, 0x00, 0xc0, 0xfe, 0, 0, 0, 0);
    assert_true(parse(&t, &whole));
    for (size_t length = t.used; t.used > 44; t.used--) {
        assert_true(parse(&t, &cut));
        assert_true(cut.cpus <= whole.cpus);
        assert_int_equal(cut.cpus, (t.used - 44) / 8 < 20 ? (t.used - 44) / 8 : 20);
        bool between = t.used == length || (t.used <= 204 && (t.used - 44) % 8 == 0);
        assert_int_equal(cut.malformed, between ? 0 : 1);
    }
}

static void test_too_many_of_a_kind(void **state)
{
    struct table t;
    struct madt m;
    (void)state;
    begin(&t);
    for (unsigned i = 0; i < MADT_IOAPICS + 3; i++)
        PUT(&t, 1, 12, (uint8_t)i, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    for (unsigned i = 0; i < MADT_OVERRIDES + 2; i++)
        PUT(&t, 2, 10, 0, 1, 1, 0, 0, 0, 0, 0);
    for (unsigned i = 0; i < MADT_CPUS + 1; i++)
        PUT(&t, 9, 16, 0, 0, (uint8_t)i, (uint8_t)(i >> 8), 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
    assert_true(parse(&t, &m));
    assert_int_equal(m.ioapics, MADT_IOAPICS);
    assert_int_equal(m.overrides, MADT_OVERRIDES);
    assert_int_equal(m.cpus, MADT_CPUS);
    assert_int_equal(m.malformed, 5);
    assert_int_equal(m.beyond, 1);
}

/* Whatever the bytes, the counts stay in bounds and no number appears twice. */
static void test_random_bytes(void **state)
{
    struct rng rng = {1};
    (void)state;
    for (unsigned round = 0; round < 100000; round++) {
        struct table t;
        struct madt m;
        begin(&t);
        unsigned n = rng_below(&rng, 300);
        for (unsigned i = 0; i < n; i++) {
            uint8_t b = (uint8_t)rng_next(&rng);
            PUT(&t, (uint8_t)(b & 1 ? b : b & 15)); /* small values: kinds and lengths that exist */
        }
        assert_true(parse(&t, &m));
        assert_true(m.cpus <= MADT_CPUS && m.ioapics <= MADT_IOAPICS);
        assert_true(m.overrides <= MADT_OVERRIDES);
        for (unsigned i = 0; i < m.cpus; i++)
            for (unsigned j = 0; j < i; j++)
                assert_int_not_equal(m.apic_id[i], m.apic_id[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common_machine),
        cmocka_unit_test(test_unusable_cpus_are_counted_apart),
        cmocka_unit_test(test_x2apic_entries),
        cmocka_unit_test(test_processors_named_by_both_kinds),
        cmocka_unit_test(test_nmi_lines),
        cmocka_unit_test(test_address_override),
        cmocka_unit_test(test_damaged_tables),
        cmocka_unit_test(test_a_table_cut_anywhere),
        cmocka_unit_test(test_too_many_of_a_kind),
        cmocka_unit_test(test_random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
