/*
 * The machine file parser: every file that comes with Tintype, values in all their spellings, and
 * damaged files, each refused with the line, the key and what would be valid.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/model/machine.h"

static const char *const good[] = {
    "name = test # source: none, a test",      /* 1 */
    "cpus = 2 # source: t",                    /* 2 */
    "clock_mhz = 466 # source: t",             /* 3 */
    "page_bytes = 8192 # source: t",           /* 4 */
    "line_bytes = 64 # source: t",             /* 5 */
    "levels = 2 # source: t",                  /* 6 */
    "l1_size = 64K # source: t",               /* 7 */
    "l1_ways = 2 # source: t",                 /* 8 */
    "l1_index = virtual # source: t",          /* 9 */
    "l1_write = back # source: t",             /* 10 */
    "l1_write_allocate = yes # source: t",     /* 11 */
    "l1_latency = 3 # source: t",              /* 12 */
    "l1_bandwidth = 16 # source: t",           /* 13 */
    "l2_size = 2M # source: t",                /* 14 */
    "l2_ways = unknown 1 # taken: because",    /* 15 */
    "l2_write = back # source: t",             /* 16 */
    "l2_write_allocate = yes # source: t",     /* 17 */
    "l2_latency = 32ns # source: t",           /* 18 */
    "l2_bandwidth = 5.33 # source: t",         /* 19 */
    "memory_latency = 199ns # source: t",      /* 20 */
    "memory_bandwidth = 1300MB/s # source: t", /* 21 */
    "transfer_latency = 200ns # source: t",    /* 22 */
    "outstanding_misses = 8 # source: t",      /* 23 */
    "tlb_entries = 128 # source: t",           /* 24 */
    "tlb_ways = 128 # source: t",              /* 25 */
    "tlb_miss = 20 # source: t",               /* 26 */
};

#define LINES (sizeof(good) / sizeof(good[0]))

/* The good file with one line (from 1) replaced; 0: unchanged. NULL: left out. */
static void write_file(char *text, size_t size, size_t line, const char *with)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < LINES; i++) {
        const char *content = i + 1 == line ? with : good[i];

        used += (size_t)snprintf(text + used, size - used, "%s\n", content ? content : "");
        assert_true(used < size);
    }
}

static void test_good(void **state)
{
    char text[4096];
    char error[MACHINE_ERROR_BYTES] = "";
    struct machine machine;

    (void)state;
    write_file(text, sizeof(text), 0, NULL);
    if (machine_parse(&machine, text, error) != 0) {
        fail_msg("%s", error);
    }
    assert_string_equal(machine.name, "test");
    assert_int_equal(machine.clock_khz, 466000);
    assert_int_equal(machine.level[0].size_bytes, 65536);
    assert_true(machine.level[0].virtual_index);
    assert_int_equal(machine.level[1].size_bytes, 2097152);
    assert_int_equal(machine.level[1].ways, 1);
    assert_int_equal(machine.level[1].latency_cycles, 15); /* 32 x 0.466 = 14.9 */
    assert_int_equal(machine.level[1].bandwidth_milli, 5330);
    assert_int_equal(machine.memory_latency_cycles, 93);    /* 199 x 0.466 = 92.7 */
    assert_int_equal(machine.memory_bandwidth_milli, 2790); /* 1300 / 466 = 2.7897 */
    assert_int_equal(machine.level[1].sector_bytes, 64);
    assert_int_equal(machine.tlb_miss_cycles, 20);
}

static void test_damaged(void **state)
{
    static const struct {
        size_t line;
        const char *with;
        const char *expect[3]; /* line, key, and a part of what is valid */
    } damaged[] = {
        {2, "cpus = 9 # source: t", {"line 2:", "cpus", "from 1 to 8"}},
        {2, "cpus = two # source: t", {"line 2:", "cpus", "whole number"}},
        {2, "cpus = 2", {"line 2:", "cpus", "# source:"}},
        {2, "cpus = 2 # source:", {"line 2:", "cpus", "empty"}},
        {2, "cpus = 2 # some comment", {"line 2:", "cpus", "# source:"}},
        {2, "cpus = unknown # taken: t", {"line 2:", "cpus", "unknown VALUE"}},
        {2, "cpus = unknown 2 # source: t", {"line 2:", "cpus", "# taken:"}},
        {2, "cpus 2 # source: t", {"line 2:", "no key", "key = value"}},
        {2, "= 2 # source: t", {"line 2:", "no key", "key = value"}},
        {2, "cpus = # source: t", {"line 2:", "cpus", "value is empty"}},
        {2, "name = test # source: t", {"line 2:", "name", "twice"}},
        {2, "cpus = 2 # source: t\xc3\xa4", {"line 2:", "ASCII", "key = value"}},
        {2, NULL, {"cpus", "missing", "from 1 to 8"}},
        {1, "name = a_name_much_too_long # source: t", {"line 1:", "name", "15 characters"}},
        {3, "clock_mhz = 0 # source: t", {"line 3:", "clock_mhz", "decimal number"}},
        {4, "page_bytes = 5000 # source: t", {"line 4:", "page_bytes", "8192"}},
        {5, "line_bytes = 48 # source: t", {"line 5:", "line_bytes", "64"}},
        {6, "levels = 1 # source: t", {"line 14:", "l2_size", "name cpus"}},
        {6, "levels = 3 # source: t", {"l3_size", "missing", "whole number"}},
        {7, "l1_size = 65 # source: t", {"line 7:", "l1_size", "ways x line_bytes"}},
        {7, "l1_size = 64G # source: t", {"line 7:", "l1_size", "K and M"}},
        {7, "l1_size = 96K # source: t", {"line 7:", "l1_size", "2^n"}},
        {8, "l1_ways = 0 # source: t", {"line 8:", "l1_ways", "from 1"}},
        {9, "l1_index = sideways # source: t", {"line 9:", "l1_index", "physical|virtual"}},
        {9, "l2_index = virtual # source: t", {"line 9:", "l2_index", "physical"}},
        {9, "l1_sector = 128 # source: t", {"line 9:", "l1_sector", "last level"}},
        {9, "l2_sector = 192 # source: t", {"line 9:", "l2_sector", "2^n"}},
        {9, "l1_prefetch = next # source: t", {"line 9:", "l1_prefetch", "last level"}},
        {9, "l1_shared_by = 2 # source: t", {"line 9:", "l1_shared_by", "1"}},
        {9, "l2_inclusion = some # source: t", {"line 9:", "l2_inclusion", "neither|inclusive"}},
        {9, "l1_inclusion = inclusive # source: t", {"line 9:", "l1_inclusion", "neither"}},
        {9, "l2_hash = 12 # source: t", {"line 9:", "l2_hash", "0x"}},
        {9, "l2_hash = 0x1,0x2,0x4,0x8,0x10 # source: t", {"line 9:", "l2_hash", "up to 4"}},
        {9, "l3_ways = 2 # source: t", {"line 9:", "l3_ways", "l1_size"}},
        {9, "l1_associativity = 2 # source: t", {"line 9:", "l1_associativity", "l1_size"}},
        {12, "l1_latency = 3s # source: t", {"line 12:", "l1_latency", "nanoseconds"}},
        {12, "l1_latency = 50 # source: t", {"line 18:", "l2_latency", "ascending"}},
        {13, "l1_bandwidth = 0.01 # source: t", {"line 13:", "l1_bandwidth", "at least 0.063"}},
        {16, "l2_write = through # source: t", {"line 16:", "l2_write", "back, yes"}},
        {20, "memory_latency = 5 # source: t", {"line 20:", "memory_latency", "ascending"}},
        {21, "memory_bandwidth = 1300GB # source: t", {"line 21:", "memory_bandwidth", "MB/s"}},
        {22, NULL, {"transfer_latency", "missing", "cycles"}},
        {22, "transfer_latency = 1 # source: t", {"line 22:", "transfer_latency", "l1_latency"}},
        {23, "outstanding_misses = 65 # source: t", {"line 23:", "outstanding", "from 1 to 64"}},
        {25, "tlb_ways = 3 # source: t", {"line 25:", "tlb_ways", "2^n"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        char text[4096];
        char error[MACHINE_ERROR_BYTES] = "";
        struct machine machine;

        write_file(text, sizeof(text), damaged[i].line, damaged[i].with);
        if (machine_parse(&machine, text, error) == 0) {
            fail_msg("accepted: %s", damaged[i].with ? damaged[i].with : "(left out)");
        }
        for (size_t k = 0; k < 3; k++) {
            if (!strstr(error, damaged[i].expect[k])) {
                fail_msg("'%s' gave '%s', without '%s'",
                         damaged[i].with ? damaged[i].with : "(left out)", error,
                         damaged[i].expect[k]);
            }
        }
    }
}

/* Cut anywhere, and with any byte changed: an error or a machine, never a crash (sanitizers). */
static void test_mangled(void **state)
{
    char text[4096];
    char copy[4096];
    char error[MACHINE_ERROR_BYTES];
    struct machine machine;
    size_t length;

    (void)state;
    write_file(text, sizeof(text), 0, NULL);
    length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        memcpy(copy, text, length + 1);
        copy[i] = '\0';
        machine_parse(&machine, copy, error);
        for (const char *byte = "0=#\n, -9Kx"; *byte; byte++) {
            memcpy(copy, text, length + 1);
            copy[i] = *byte;
            if (machine_parse(&machine, copy, error) != 0) {
                assert_non_null(strstr(error, "line "));
                assert_non_null(strstr(error, "valid: "));
            }
        }
    }
}

static void test_machines_that_come_along(void **state)
{
    glob_t files;

    (void)state;
    assert_int_equal(glob("tools/machines/*.conf", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= 7);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char error[MACHINE_ERROR_BYTES] = "";
        char wanted[64];
        struct machine machine;

        if (machine_load(&machine, files.gl_pathv[i], error) != 0) {
            fail_msg("%s: %s", files.gl_pathv[i], error);
        }
        snprintf(wanted, sizeof(wanted), "tools/machines/%s.conf", machine.name);
        assert_string_equal(files.gl_pathv[i], wanted);
    }
    globfree(&files);
}

static void test_no_file(void **state)
{
    char error[MACHINE_ERROR_BYTES] = "";
    struct machine machine;

    (void)state;
    assert_int_equal(machine_load(&machine, "no/such/file.conf", error), -1);
    assert_non_null(strstr(error, "no/such/file.conf"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),    cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_mangled), cmocka_unit_test(test_machines_that_come_along),
        cmocka_unit_test(test_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
