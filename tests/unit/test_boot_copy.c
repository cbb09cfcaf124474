/* What all boot paths share: strings, ranges, modules. */
#include "boot_data.h"

#include "boot.h"
#include "sparse_memory.h"

static void test_strings(void **state)
{
    char to[8];
    (void)state;
    sparse_clear();
    sparse_add(0x1000, "1234567", 8);
    sparse_add(0x2000, "12345678", 9);
    sparse_add(0x3000, "123", 3); /* no end within reach */
    assert_true(boot_copy_string(to, sizeof to, 0x1000));
    assert_string_equal(to, "1234567");
    assert_false(boot_copy_string(to, sizeof to, 0x2000));
    assert_string_equal(to, "1234567");
    assert_false(boot_copy_string(to, sizeof to, 0x3000));
    assert_string_equal(to, "123");
    assert_false(boot_copy_string(to, sizeof to, 0));
    assert_string_equal(to, "");
    sparse_clear();
}

static void test_only_the_first_complaint_is_kept(void **state)
{
    struct boot_info bi = {0};
    (void)state;
    boot_error(&bi, "first %u", 1);
    boot_error(&bi, "second");
    assert_string_equal(bi.error, "first 1");
}

static void test_the_kernel_s_name_is_taken_away(void **state)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"run=list", "run=list"},
        {"/boot/tintype.elf run=list x=y", "run=list x=y"},
        {"  tintype.elf   run=list", "run=list"},
        {"tintype.elf", ""},
        {"FS0:\\tintype.efi a=b", "a=b"},
        {"help", "help"},
        {"log=a.elf run=list", "log=a.elf run=list"},
        {"run=list tintype.elf", "run=list tintype.elf"},
        {".elf a", "a"},
        {"elf a", "elf a"},
    };
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        char text[64];
        strcpy(text, cases[i][0]);
        boot_strip_name(text);
        assert_string_equal(text, cases[i][1]);
    }
}

static void test_ranges_are_joined_when_that_changes_nothing(void **state)
{
    static struct boot_info bi;
    (void)state;
    memset(&bi, 0, sizeof bi);
    assert_true(boot_add_range(&bi, 0, 0x1000, MEM_RAM));
    assert_true(boot_add_range(&bi, 0x1000, 0x1000, MEM_RAM));
    assert_int_equal(bi.map_count, 1);
    assert_int_equal(bi.map[0].size, 0x2000);
    boot_add_range(&bi, 0x2000, 0x1000, MEM_BOOT); /* another type */
    boot_add_range(&bi, 0x4000, 0x1000, MEM_BOOT); /* a gap */
    boot_add_range(&bi, 0x4800, 0x1000, MEM_BOOT); /* overlaps */
    assert_int_equal(bi.map_count, 4);
    boot_add_range(&bi, UINT64_MAX - 0xfff, 0x800, MEM_RAM);
    boot_add_range(&bi, UINT64_MAX - 0x7ff, 0x10000, MEM_RAM); /* wraps */
    boot_add_range(&bi, 0xf800, 0x1000, MEM_RAM);              /* where that one ends */
    assert_int_equal(bi.map_count, 7);
    while (bi.map_count < BOOT_MAP_MAX)
        assert_true(boot_add_range(&bi, 0x100000ul * bi.map_count, 1, MEM_RAM));
    assert_false(boot_add_range(&bi, 0, 1, MEM_RAM));
    assert_int_equal(bi.map_count, BOOT_MAP_MAX);
}

static void with_modules(struct phys_range a, struct phys_range b, const char *words)
{
    static struct boot_info bi;
    memset(&bi, 0, sizeof bi);
    bi.image = (struct phys_range){phys(0x200000), phys(0x300000)};
    bi.module_count = 2;
    bi.module[0].at = a;
    bi.module[1].at = b;
    boot_check_modules(&bi);
    if (words ? !strstr(bi.error, words) : bi.error[0])
        fail_msg("\"%s\", expected \"%s\"", bi.error, words ? words : "");
}

static struct phys_range range(uint64_t start, uint64_t end)
{
    return (struct phys_range){phys(start), phys(end)};
}

static void test_modules_in_the_way(void **state)
{
    (void)state;
    with_modules(range(0x6000, 0x7000), range(0x7000, 0x8000), NULL);
    with_modules(range(0x1ff000, 0x200000), range(0x300000, 0x300001), NULL); /* both adjacent */
    with_modules(range(0x140000000, 0x150000000), range(0, 0), NULL);
    with_modules(range(0x250000, 0x250000), range(0, 0), NULL); /* empty */
    with_modules(range(0x1ff000, 0x200001), range(0, 0), "module 0 at 0x1ff000 to 0x200001");
    with_modules(range(0, 0), range(0x2fffff, 0x400000), "module 1 at 0x2fffff");
    with_modules(range(0x100000, 0x900000), range(0, 0), "overlaps the kernel");
    with_modules(range(0x6000, 0x7001), range(0x7000, 0x8000), "modules 0 and 1 overlap");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_only_the_first_complaint_is_kept),
        cmocka_unit_test(test_the_kernel_s_name_is_taken_away),
        cmocka_unit_test(test_ranges_are_joined_when_that_changes_nothing),
        cmocka_unit_test(test_modules_in_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
