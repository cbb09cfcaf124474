/* PVH start info: captured from QEMU with both firmwares, and made up. */
#include "boot_data.h"

#include "boot.h"
#include "sparse_memory.h"

static struct boot_info bi;

static void parse(uint64_t a)
{
    memset(&bi, 0, sizeof bi);
    pvh_parse(&bi, a);
    assert_true(bi.map_count <= BOOT_MAP_MAX && bi.module_count <= BOOT_MODULE_MAX);
    assert_non_null(memchr(bi.cmdline, 0, sizeof bi.cmdline));
}

#define assert_refused(words)                                                                      \
    do {                                                                                           \
        if (!strstr(bi.error, words))                                                              \
            fail_msg("\"%s\" has no \"%s\"", bi.error, words);                                     \
    } while (0)

static void captured(const char *name, unsigned ranges, uint64_t ram)
{
    size_t bytes;
    char *file = boot_data(name, &bytes);
    parse(sparse_load(file, bytes));
    free(file);
    assert_string_equal(bi.error, "");
    assert_string_equal(bi.loader, "pvh start info v1");
    assert_string_equal(bi.cmdline, "run=list alloc=buddy,va exit=qemu");
    assert_true(bi.rsdp.a);
    assert_int_equal(bi.module_count, 1);
    assert_int_equal(phys_range_bytes(bi.module[0].at), strlen("hello module"));
    assert_int_equal(bi.map_count, ranges);
    uint64_t sum = 0;
    for (unsigned i = 0; i < bi.map_count; i++)
        if (bi.map[i].type == MEM_RAM)
            sum += bi.map[i].size;
    assert_in_range(sum, ram - (2ul << 20), ram);
}

static void test_qboot(void **state)
{
    (void)state;
    captured("pvh/qboot", 7, 256ul << 20);
}

static void test_seabios_5g(void **state)
{
    (void)state;
    captured("pvh/seabios", 10, 5ul << 30);
}

static void test_no_changed_byte_does_harm(void **state)
{
    size_t bytes;
    char *file = boot_data("pvh/seabios", &bytes);
    (void)state;
    for (size_t i = 0; i < bytes; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            file[i] ^= (char)(1 << bit);
            parse(sparse_load(file, bytes));
            file[i] ^= (char)(1 << bit);
        }
    }
    free(file);
}

/* ---- made up ------------------------------------------------------------------------------- */

struct start_info {
    uint32_t magic, version, flags, modules;
    uint64_t module_list, cmdline, rsdp, map;
    uint32_t map_entries, reserved;
};

#define AT_INFO    0x1000
#define AT_MAP     0x2000
#define AT_MODULES 0x3000
#define AT_CMDLINE 0x4000

static struct start_info good = {.magic = 0x336ec578,
                                 .version = 1,
                                 .cmdline = AT_CMDLINE,
                                 .rsdp = 0xf0000,
                                 .map = AT_MAP,
                                 .map_entries = 2};
static const uint64_t map[2][3] = {{0x100000, 0x1000000, 1}, {0, 0x80000, 77}};

static struct start_info *prepare(size_t info_bytes)
{
    sparse_clear();
    struct start_info *si = sparse_add(AT_INFO, &good, info_bytes);
    sparse_add(AT_MAP, map, sizeof map);
    sparse_add(AT_CMDLINE, "run=list", 9);
    return si;
}

static void test_good(void **state)
{
    (void)state;
    prepare(sizeof good);
    parse(AT_INFO);
    assert_string_equal(bi.error, "");
    assert_int_equal(bi.map_count, 2);
    assert_int_equal(bi.map[1].type, MEM_RESERVED); /* nobody knows type 77 */
    assert_int_equal(bi.rsdp.a, 0xf0000);
}

static void test_version_0_ends_before_its_map(void **state)
{
    (void)state;
    prepare(40)->version = 0; /* 40 bytes: AddressSanitizer would see a read of the map's address */
    parse(AT_INFO);
    assert_refused("version 0 has no memory map");
    assert_string_equal(bi.loader, "pvh start info v0");
    assert_string_equal(bi.cmdline, "run=list");
}

static void test_version_1_that_is_cut(void **state)
{
    (void)state;
    prepare(40);
    parse(AT_INFO);
    assert_refused("no start info");
}

static void test_later_versions_append(void **state)
{
    (void)state;
    prepare(sizeof good)->version = 7;
    parse(AT_INFO);
    assert_string_equal(bi.error, "");
    assert_int_equal(bi.map_count, 2);
}

static void test_refusals(void **state)
{
    (void)state;
    prepare(sizeof good)->magic++;
    parse(AT_INFO);
    assert_refused("no start info at 0x1000");
    parse(0);
    assert_refused("no start info at 0x0");

    prepare(sizeof good)->map_entries = 0;
    parse(AT_INFO);
    assert_refused("0 memory map entries");
    prepare(sizeof good)->map_entries = BOOT_MAP_MAX + 1;
    parse(AT_INFO);
    assert_refused("1025 memory map entries");
    prepare(sizeof good)->map_entries = 3;
    parse(AT_INFO);
    assert_refused("the memory map at 0x2000 is out of reach");
    prepare(sizeof good)->map = 0;
    parse(AT_INFO);
    assert_refused("the memory map at 0x0 is out of reach");

    prepare(sizeof good)->cmdline = 0x123456789abcd;
    parse(AT_INFO);
    assert_refused("the command line at 0x123456789abcd is out of reach");
    assert_true(bi.cmdline_cut);
}

static void test_command_line_without_end(void **state)
{
    (void)state;
    prepare(sizeof good)->cmdline = 0x5000;
    sparse_add(0x5000, "run", 3);
    parse(AT_INFO);
    assert_true(bi.cmdline_cut);
    assert_string_equal(bi.cmdline, "run");
}

static void test_modules(void **state)
{
    static uint64_t list[BOOT_MODULE_MAX + 1][4] = {
        {0x140000000, 0x1000, AT_CMDLINE,
         0xdeadbeef}, /* above 4 GiB; qboot leaves the last unset */
        {0x5000, 0, 0, 0},
    };
    (void)state;
    struct start_info *si = prepare(sizeof good);
    sparse_add(AT_MODULES, list, sizeof list);
    si->modules = BOOT_MODULE_MAX;
    si->module_list = AT_MODULES;
    parse(AT_INFO);
    assert_string_equal(bi.error, "");
    assert_int_equal(bi.module_count, BOOT_MODULE_MAX);
    assert_int_equal(bi.module[0].at.end.a, 0x140001000);
    assert_string_equal(bi.module[0].label, "run=list");

    si->modules = BOOT_MODULE_MAX + 1;
    parse(AT_INFO);
    assert_refused("17 modules");
    si->modules = 3;
    si->module_list = AT_MODULES + sizeof list - 64;
    parse(AT_INFO);
    assert_refused("the module list at");
}

static void test_module_that_wraps(void **state)
{
    static const uint64_t list[4] = {UINT64_MAX - 10, 11 + 1, 0, 0};
    (void)state;
    struct start_info *si = prepare(sizeof good);
    sparse_add(AT_MODULES, list, sizeof list);
    si->modules = 1;
    si->module_list = AT_MODULES;
    parse(AT_INFO);
    assert_refused("module 0 wraps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_qboot),
        cmocka_unit_test(test_seabios_5g),
        cmocka_unit_test(test_no_changed_byte_does_harm),
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_version_0_ends_before_its_map),
        cmocka_unit_test(test_version_1_that_is_cut),
        cmocka_unit_test(test_later_versions_append),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_command_line_without_end),
        cmocka_unit_test(test_modules),
        cmocka_unit_test(test_module_that_wraps),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sparse_clear();
    return failed;
}
