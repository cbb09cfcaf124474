/* Multiboot2 information: captured from QEMU's firmwares, damaged, and made up. */
#include "boot_data.h"

#include "boot.h"
#include "multiboot2.h"

/* The parser of Multiboot2 is given its bytes; nothing here may reach for others. */
const void *boot_memory(uint64_t a, uint64_t bytes)
{
    fail_msg("boot_memory(%lx, %lu)", (unsigned long)a, (unsigned long)bytes);
    return NULL;
}

static struct boot_info bi;

/* Parses a copy of exactly `bytes` bytes. */
static void parse(const void *info, size_t bytes)
{
    char *copy = malloc(bytes ? bytes : 1);
    memcpy(copy, info, bytes);
    memset(&bi, 0, sizeof bi);
    multiboot2_parse(&bi, copy, bytes);
    free(copy);
}

/* What holds for whatever has been parsed. */
static void check_sane(void)
{
    assert_true(bi.map_count <= BOOT_MAP_MAX);
    assert_true(bi.module_count <= BOOT_MODULE_MAX);
    assert_non_null(memchr(bi.cmdline, 0, sizeof bi.cmdline));
    assert_non_null(memchr(bi.loader, 0, sizeof bi.loader));
    assert_non_null(memchr(bi.error, 0, sizeof bi.error));
    for (unsigned i = 0; i < bi.module_count; i++) {
        assert_non_null(memchr(bi.module[i].label, 0, BOOT_LABEL_MAX));
        assert_true(bi.module[i].at.start.a <= bi.module[i].at.end.a);
    }
    for (unsigned i = 0; i < bi.map_count; i++)
        assert_in_range(bi.map[i].type, MEM_RAM, MEM_BAD);
}

static uint64_t bytes_of(enum mem_type type)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < bi.map_count; i++)
        if (bi.map[i].type == type)
            sum += bi.map[i].size;
    return sum;
}

/* ---- captured ------------------------------------------------------------------------------ */

#define CMDLINE "run=list alloc=buddy,va exit=qemu"

static void captured(const char *name)
{
    size_t bytes;
    char *info = boot_data(name, &bytes);
    parse(info, bytes);
    free(info);
    assert_string_equal(bi.error, "");
    assert_string_equal(bi.cmdline, CMDLINE);
    assert_false(bi.cmdline_cut);
    assert_memory_equal(bi.rsdp_copy, "RSD PTR ", 8);
    assert_int_equal(bi.module_count, 1);
    assert_string_equal(bi.module[0].label, "first module");
    assert_int_equal(phys_range_bytes(bi.module[0].at), strlen("hello module"));
    check_sane();
}

static void test_grub_bios(void **state)
{
    (void)state;
    captured("multiboot2/grub-bios");
    assert_string_equal(bi.loader, "GRUB 2.06-13+deb12u2");
    assert_int_equal(bi.efi_system.a, 0);
    assert_int_equal(bi.rsdp_copy[15], 0); /* revision: ACPI 1.0 */
    assert_int_equal(bi.module[0].at.start.a, 0x101000);
    assert_int_equal(bi.map_count, 9);
    assert_int_equal(bytes_of(MEM_RAM), 0x9fc00 + 0xfedf000);
    assert_true(bi.fb.base.a && !bi.fb.text);
}

static void test_grub_uefi(void **state)
{
    (void)state;
    captured("multiboot2/grub-uefi");
    assert_true(bi.efi_system.a);
    assert_int_equal(bi.rsdp_copy[15], 2);
    /* The firmware's own map is taken: only there is loader memory told from free memory. */
    assert_true(bytes_of(MEM_BOOT) > 0);
    assert_true(bytes_of(MEM_NVS) > 0 && bytes_of(MEM_ACPI) > 0);
    assert_in_range(bytes_of(MEM_RAM) + bytes_of(MEM_BOOT), 240ul << 20, 256ul << 20);
    assert_in_range(bi.fb.width, 640, 4096);
}

static void test_efi_loader(void **state)
{
    (void)state;
    captured("multiboot2/efi-loader");
    assert_int_equal(bi.rsdp_copy[15], 2);
    assert_in_range(bytes_of(MEM_RAM) + bytes_of(MEM_BOOT), 5050ul << 20, 5120ul << 20);
    assert_int_equal(bi.fb.bits_per_pixel, 32);
    assert_true(bi.fb.pitch_bytes >= 4 * bi.fb.width);
}

static const char *const all_captured[] = {"multiboot2/grub-bios", "multiboot2/grub-uefi",
                                           "multiboot2/efi-loader"};

static void test_every_truncation_is_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(all_captured); i++) {
        size_t bytes;
        char *info = boot_data(all_captured[i], &bytes);
        for (uint32_t n = 0; n < bytes; n++) {
            /* the loader wrote less than it says */
            parse(info, n);
            assert_true(bi.error[0]);
            /* it says less than it wrote */
            uint32_t whole = *(uint32_t *)info;
            *(uint32_t *)info = n;
            parse(info, bytes);
            *(uint32_t *)info = whole;
            assert_true(bi.error[0]);
            check_sane();
        }
        free(info);
    }
}

static void test_no_changed_byte_does_harm(void **state)
{
    static const unsigned char masks[] = {0x01, 0x80, 0xff};
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(all_captured); i++) {
        size_t bytes;
        char *info = boot_data(all_captured[i], &bytes);
        for (size_t n = 0; n < bytes; n++) {
            for (unsigned m = 0; m < sizeof masks; m++) {
                info[n] ^= (char)masks[m];
                parse(info, bytes);
                check_sane();
                info[n] ^= (char)masks[m];
            }
        }
        free(info);
    }
}

/* ---- made up ------------------------------------------------------------------------------- */

static uint64_t buffer[16384];
static char *const info = (char *)buffer;
static size_t used;

static void begin(void)
{
    memset(buffer, 0, sizeof buffer);
    used = 8;
}

static void *tag(uint32_t type, const void *body, size_t bytes)
{
    uint32_t *t = (uint32_t *)(info + used);
    t[0] = type;
    t[1] = (uint32_t)(8 + bytes);
    memcpy(t + 2, body, bytes);
    used += (8 + bytes + 7) & ~7ul;
    assert_true(used <= sizeof buffer);
    return t;
}

static void finish(void)
{
    *(uint32_t *)info = (uint32_t)used;
    parse(info, used);
    check_sane();
}

static void end_and_finish(void)
{
    tag(MB2_END, "", 0);
    finish();
}

#define assert_refused(words)                                                                      \
    do {                                                                                           \
        if (!strstr(bi.error, words))                                                              \
            fail_msg("\"%s\" has no \"%s\"", bi.error, words);                                     \
    } while (0)

/* A map tag of `count` entries of `stride` bytes; entry i is one page of RAM at 2 * i pages. */
static void map_tag(uint32_t type, uint32_t stride, uint32_t version, unsigned count)
{
    static char body[sizeof buffer / 2];
    uint32_t head[2] = {stride, version};
    memset(body, 0x55, sizeof body);
    memcpy(body, head, 8);
    assert_true(8 + (size_t)stride * count <= sizeof body);
    for (unsigned i = 0; i < count; i++) {
        struct mb2_map_entry e = {i * 0x2000ul, 0x1000, 1, 0};
        struct mb2_efi_entry f = {7, 0, i * 0x2000ul, 0, 1, 0};
        const void *entry = type == MB2_MAP ? (const void *)&e : &f;
        size_t least = type == MB2_MAP ? sizeof e : sizeof f;
        memcpy(body + 8 + (size_t)i * stride, entry, stride < least ? stride : least);
    }
    tag(type, body, 8 + (size_t)stride * count);
}

static void good_map(void)
{
    map_tag(MB2_MAP, 24, 0, 2);
}

static void test_smallest(void **state)
{
    (void)state;
    begin();
    good_map();
    end_and_finish();
    assert_string_equal(bi.error, "");
    assert_int_equal(bi.map_count, 2);
    assert_string_equal(bi.cmdline, "");
    assert_int_equal(bi.rsdp_copy[0], 0);
}

static void test_strides(void **state)
{
    static const struct {
        uint32_t type, stride;
        bool good;
    } cases[] = {
        {MB2_MAP, 0, false},      {MB2_MAP, 20, false},    {MB2_MAP, 23, false},
        {MB2_MAP, 24, true},      {MB2_MAP, 25, true},     {MB2_MAP, 32, true},
        {MB2_MAP, 57, true},      {MB2_EFI_MAP, 0, false}, {MB2_EFI_MAP, 8, false},
        {MB2_EFI_MAP, 39, false}, {MB2_EFI_MAP, 40, true}, {MB2_EFI_MAP, 41, true},
        {MB2_EFI_MAP, 48, true},  {MB2_EFI_MAP, 56, true}, {MB2_EFI_MAP, 1000, true},
    };
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        begin();
        map_tag(cases[i].type, cases[i].stride, cases[i].type == MB2_EFI_MAP, 3);
        end_and_finish();
        if (!cases[i].good) {
            assert_refused("entries of");
            continue;
        }
        assert_string_equal(bi.error, "");
        assert_int_equal(bi.map_count, 3);
        assert_int_equal(bi.map[2].start, 0x4000);
        assert_int_equal(bi.map[2].size, 0x1000);
        assert_int_equal(bi.map[2].type, MEM_RAM);
    }
}

static void test_map_of_no_whole_entries(void **state)
{
    (void)state;
    begin();
    uint32_t *t = tag(MB2_MAP, (uint32_t[]){24, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 40);
    t[1] = 8 + 8 + 25;
    end_and_finish();
    assert_refused("not a number of entries");
    begin();
    tag(MB2_EFI_MAP, (uint32_t[]){48, 1}, 8);
    end_and_finish();
    assert_refused("0 bytes long");
}

static void test_efi_version(void **state)
{
    (void)state;
    begin();
    map_tag(MB2_EFI_MAP, 48, 2, 3);
    end_and_finish();
    assert_refused("version 2");
}

static void test_too_many_ranges(void **state)
{
    (void)state;
    begin();
    map_tag(MB2_EFI_MAP, 40, 1, BOOT_MAP_MAX);
    end_and_finish();
    assert_string_equal(bi.error, "");
    assert_int_equal(bi.map_count, BOOT_MAP_MAX);
    begin();
    map_tag(MB2_EFI_MAP, 40, 1, BOOT_MAP_MAX + 1);
    end_and_finish();
    assert_refused("more than 1024 ranges");
}

static void test_efi_map_wins_and_its_types(void **state)
{
    static const struct {
        uint32_t type;
        uint64_t attribute;
        enum mem_type is;
    } cases[] = {
        {0, 0, MEM_RESERVED},       {1, 0, MEM_BOOT},
        {2, 0, MEM_BOOT},           {3, 0, MEM_BOOT},
        {4, 0, MEM_BOOT},           {5, 0, MEM_RESERVED},
        {6, 0, MEM_RESERVED},       {7, 0, MEM_RAM},
        {7, 0x40000, MEM_RESERVED}, {8, 0, MEM_BAD},
        {9, 0, MEM_ACPI},           {10, 0, MEM_NVS},
        {11, 0, MEM_RESERVED},      {14, 0, MEM_RESERVED},
        {15, 0, MEM_RESERVED},      {0x80000000, 0, MEM_RESERVED},
    };
    (void)state;
    begin();
    good_map();
    char body[8 + ARRAY_SIZE(cases) * 48] = {48, 0, 0, 0, 1};
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        struct mb2_efi_entry e = {cases[i].type, 0, 0x10000ul * (i + 1), 0, 1, cases[i].attribute};
        memcpy(body + 8 + i * 48, &e, sizeof e);
    }
    tag(MB2_EFI_MAP, body, sizeof body);
    end_and_finish();
    assert_string_equal(bi.error, "");
    assert_int_equal(bi.map_count, ARRAY_SIZE(cases));
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++)
        assert_int_equal(bi.map[i].type, cases[i].is);
}

static void test_efi_pages_beyond_64_bits(void **state)
{
    (void)state;
    begin();
    struct {
        uint32_t head[2];
        struct mb2_efi_entry e;
    } body = {{40, 1}, {7, 0, 0x1000, 0, 1ull << 60, 0}};
    tag(MB2_EFI_MAP, &body, sizeof body);
    end_and_finish();
    assert_int_equal(bi.map[0].size, UINT64_MAX); /* wraps, as memmap sees, and is not believed */
}

static void test_a_loop(void **state)
{
    (void)state;
    for (uint32_t size = 0; size < 8; size++) {
        begin();
        good_map();
        uint32_t *t = tag(99, "", 0);
        t[1] = size;
        end_and_finish();
        assert_refused("tag 99");
        assert_refused("would loop");
    }
}

static void test_oversized_tags(void **state)
{
    static const uint32_t sizes[] = {25, 1000, 0x7fffffff, 0xfffffff8, 0xfffffff9, 0xffffffff};
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        begin();
        good_map();
        uint32_t *t = tag(MB2_CMDLINE, "run=a", 6);
        t[1] = sizes[i];
        end_and_finish();
        assert_refused("tag 1 (the command line)");
        assert_refused("are left");
    }
}

static void test_tags_too_short_for_their_kind(void **state)
{
    static const struct {
        uint32_t type, bytes;
    } cases[] = {{MB2_CMDLINE, 0},  {MB2_LOADER, 0},   {MB2_MODULE, 8},
                 {MB2_MAP, 7},      {MB2_EFI_MAP, 4},  {MB2_EFI64, 4},
                 {MB2_RSDP_V1, 19}, {MB2_RSDP_V2, 35}, {MB2_FRAMEBUFFER, 16}};
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        char body[40] = {0};
        begin();
        tag(cases[i].type, body, cases[i].bytes);
        end_and_finish();
        assert_refused("too few");
    }
}

static void test_tags_that_come_twice(void **state)
{
    (void)state;
    begin();
    good_map();
    tag(MB2_CMDLINE, "a", 2);
    tag(MB2_CMDLINE, "b", 2);
    end_and_finish();
    assert_refused("tag 1 (the command line) comes twice");
    assert_string_equal(bi.cmdline, "a");
}

static void test_no_map_and_no_end(void **state)
{
    (void)state;
    begin();
    end_and_finish();
    assert_refused("no memory map");
    begin();
    good_map();
    finish();
    assert_refused("no end tag");
}

static void test_size_of_the_whole(void **state)
{
    static const uint32_t totals[] = {0, 7, 0x100001, 0xffffffff};
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(totals); i++) {
        begin();
        good_map();
        tag(MB2_END, "", 0);
        *(uint32_t *)info = totals[i];
        parse(info, sizeof buffer);
        assert_refused("bytes of boot information");
    }
}

static void test_strings(void **state)
{
    static char words[BOOT_CMDLINE_MAX + 10];
    (void)state;
    memset(words, 'x', sizeof words - 1);

    begin();
    good_map();
    tag(MB2_CMDLINE, words, BOOT_CMDLINE_MAX); /* all x: no NUL inside */
    end_and_finish();
    assert_refused("the string in tag 1 has no end");

    begin();
    good_map();
    tag(MB2_CMDLINE, words + 10, BOOT_CMDLINE_MAX); /* 2047 characters and a NUL: just fits */
    end_and_finish();
    assert_string_equal(bi.error, "");
    assert_false(bi.cmdline_cut);
    assert_int_equal(strlen(bi.cmdline), BOOT_CMDLINE_MAX - 1);

    begin();
    good_map();
    tag(MB2_CMDLINE, words + 9, BOOT_CMDLINE_MAX + 1);
    tag(MB2_LOADER, words, sizeof words);
    end_and_finish();
    assert_string_equal(bi.error, "");
    assert_true(bi.cmdline_cut);
    assert_int_equal(strlen(bi.loader), BOOT_LABEL_MAX - 1);
}

static void test_modules(void **state)
{
    struct {
        uint32_t start, end;
        char label[8];
    } m = {0x6000, 0x6000, "m"};
    (void)state;

    begin();
    good_map();
    for (unsigned i = 0; i < BOOT_MODULE_MAX; i++)
        tag(MB2_MODULE, &m, sizeof m);
    end_and_finish();
    assert_string_equal(bi.error, "");
    assert_int_equal(bi.module_count, BOOT_MODULE_MAX);

    begin();
    good_map();
    for (unsigned i = 0; i <= BOOT_MODULE_MAX; i++)
        tag(MB2_MODULE, &m, sizeof m);
    end_and_finish();
    assert_refused("more than 16 modules");

    begin();
    good_map();
    m.end = 0x5fff;
    tag(MB2_MODULE, &m, sizeof m);
    end_and_finish();
    assert_refused("module 0 ends at 0x5fff, before its start 0x6000");
}

static void test_better_rsdp_wins_in_any_order(void **state)
{
    char v1[20] = "RSD PTR one", v2[36] = "RSD PTR two";
    (void)state;
    for (int order = 0; order < 2; order++) {
        begin();
        good_map();
        if (order)
            tag(MB2_RSDP_V2, v2, sizeof v2);
        tag(MB2_RSDP_V1, v1, sizeof v1);
        if (!order)
            tag(MB2_RSDP_V2, v2, sizeof v2);
        end_and_finish();
        assert_string_equal((char *)bi.rsdp_copy, "RSD PTR two");
    }
}

static void test_framebuffers(void **state)
{
    struct mb2_framebuffer fb = {{0, 0}, 0xb8000, 160, 80, 25, 16, MB2_FRAMEBUFFER_TEXT, 0};
    (void)state;
    for (unsigned type = 0; type < 256; type++) {
        fb.type = (uint8_t)type;
        begin();
        good_map();
        tag(MB2_FRAMEBUFFER, &fb.base, sizeof fb - 8);
        end_and_finish();
        assert_string_equal(bi.error, "");
        assert_int_equal(bi.fb.base.a, type == 1 || type == 2 ? 0xb8000 : 0);
        assert_int_equal(bi.fb.text, type == 2);
    }
}

static void test_boot_services_still_on(void **state)
{
    (void)state;
    begin();
    good_map();
    tag(MB2_EFI_NOT_FINISHED, "", 0);
    end_and_finish();
    assert_refused("has not left EFI boot services");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grub_bios),
        cmocka_unit_test(test_grub_uefi),
        cmocka_unit_test(test_efi_loader),
        cmocka_unit_test(test_every_truncation_is_refused),
        cmocka_unit_test(test_no_changed_byte_does_harm),
        cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_map_of_no_whole_entries),
        cmocka_unit_test(test_efi_version),
        cmocka_unit_test(test_too_many_ranges),
        cmocka_unit_test(test_efi_map_wins_and_its_types),
        cmocka_unit_test(test_efi_pages_beyond_64_bits),
        cmocka_unit_test(test_a_loop),
        cmocka_unit_test(test_oversized_tags),
        cmocka_unit_test(test_tags_too_short_for_their_kind),
        cmocka_unit_test(test_tags_that_come_twice),
        cmocka_unit_test(test_no_map_and_no_end),
        cmocka_unit_test(test_size_of_the_whole),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_modules),
        cmocka_unit_test(test_better_rsdp_wins_in_any_order),
        cmocka_unit_test(test_framebuffers),
        cmocka_unit_test(test_boot_services_still_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
