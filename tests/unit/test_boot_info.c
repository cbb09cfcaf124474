/* What the loader writes, the kernel reads: the same parser as on the target. */
#include "boot_data.h"

#include "boot.h"
#include "info.h"

const void *boot_memory(uint64_t a, uint64_t bytes)
{
    fail_msg("boot_memory(%lx, %lu)", (unsigned long)a, (unsigned long)bytes);
    return NULL;
}

static struct boot_info bi;

/* Writes everything into a buffer of exactly `room` bytes; false when it did not fit. */
static bool write_and_read(size_t room)
{
    static const struct mb2_efi_entry map[2] = {{7, 0, 0x100000, 0, 16, 0xf},
                                                {4, 0, 0x200000, 0, 16, 0xf}};
    char *at = malloc(room);
    struct info i;
    size_t left;

    memset(at, 0x55, room);
    info_begin(&i, at, room);
    info_string(&i, MB2_CMDLINE, "run=list");
    info_string(&i, MB2_LOADER, "a loader");
    uint64_t *table = info_tag(&i, MB2_EFI64, 8);
    if (table)
        *table = 0x7f00000;
    info_module(&i, 0x6000, 0x600c, "label");
    void *to = info_map(&i, &left);
    bool fits = !i.full && left >= sizeof map;
    if (fits) {
        memcpy(to, map, sizeof map);
        info_end(&i, sizeof map, 40, 1);
        assert_true(i.used <= room);
        memset(&bi, 0, sizeof bi);
        multiboot2_parse(&bi, at, i.used);
    }
    free(at);
    return fits;
}

static void test_round_trip(void **state)
{
    (void)state;
    assert_true(write_and_read(4096));
    assert_string_equal(bi.error, "");
    assert_string_equal(bi.cmdline, "run=list");
    assert_string_equal(bi.loader, "a loader");
    assert_int_equal(bi.efi_system.a, 0x7f00000);
    assert_int_equal(bi.module_count, 1);
    assert_int_equal(bi.module[0].at.end.a, 0x600c);
    assert_string_equal(bi.module[0].label, "label");
    assert_int_equal(bi.map_count, 2);
    assert_int_equal(bi.map[1].start, 0x200000);
    assert_int_equal(bi.map[1].type, MEM_BOOT);
}

static void test_no_room_is_noticed(void **state)
{
    size_t least = 0;
    (void)state;
    for (size_t room = 16; room < 512; room += 8) { /* ASan sees a write past any of them */
        if (!write_and_read(room))
            continue;
        if (!least)
            least = room;
        assert_string_equal(bi.error, "");
        assert_int_equal(bi.map_count, 2);
    }
    /* head 8, strings 24 + 24, table 16, module 24, map 16 + 80, end 8 */
    assert_int_equal(least, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_no_room_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
