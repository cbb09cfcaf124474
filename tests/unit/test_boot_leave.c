/* Leaving boot services: the test is the firmware, and changes its map when it likes. */
#include "boot_data.h"

#include "leave.h"

static struct {
    unsigned changes; /* how often the map changes before ExitBootServices sees it */
    UINTN key, map_bytes;
    unsigned gets, exits;
    EFI_STATUS get_status, exit_status;
} firmware;

static char buffer[1000];

static EFI_STATUS EFIAPI get_map(UINTN *bytes, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
                                 UINTN *stride, UINT32 *version)
{
    firmware.gets++;
    assert_ptr_equal(map, buffer);
    assert_int_equal(*bytes, sizeof buffer); /* the whole room, each time */
    if (firmware.get_status)
        return firmware.get_status;
    *bytes = firmware.map_bytes;
    *key = firmware.key;
    *stride = 48;
    *version = 1;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI exit_services(EFI_HANDLE image, UINTN key)
{
    firmware.exits++;
    assert_ptr_equal(image, &firmware);
    if (firmware.exit_status)
        return firmware.exit_status;
    if (firmware.changes) {
        firmware.changes--;
        firmware.key++;
        firmware.map_bytes += 48;
    }
    return key == firmware.key ? EFI_SUCCESS : EFI_INVALID_PARAMETER;
}

static struct leave_map map;
static BOOLEAN tried;

static EFI_STATUS leave(unsigned changes, EFI_STATUS get_status, EFI_STATUS exit_status)
{
    static EFI_BOOT_SERVICES services;
    memset(&firmware, 0, sizeof firmware);
    firmware.key = 7;
    firmware.map_bytes = 480;
    firmware.changes = changes;
    firmware.get_status = get_status;
    firmware.exit_status = exit_status;
    services.GetMemoryMap = get_map;
    services.ExitBootServices = exit_services;
    map = (struct leave_map){.at = buffer, .room = sizeof buffer};
    return leave_boot_services(&services, &firmware, &map, &tried);
}

static void test_at_once(void **state)
{
    (void)state;
    assert_int_equal(leave(0, 0, 0), EFI_SUCCESS);
    assert_int_equal(firmware.gets, 1);
    assert_int_equal(firmware.exits, 1);
    assert_int_equal(map.bytes, 480);
    assert_int_equal(map.stride, 48);
    assert_int_equal(map.version, 1);
}

static void test_a_changed_map_is_got_again(void **state)
{
    (void)state;
    assert_int_equal(leave(2, 0, 0), EFI_SUCCESS);
    assert_int_equal(firmware.gets, 3);
    assert_int_equal(firmware.exits, 3);
    assert_int_equal(map.bytes, 480 + 2 * 48); /* the last one, not the first */
}

static void test_it_ends(void **state)
{
    (void)state;
    assert_int_equal(leave(1000, 0, 0), EFI_INVALID_PARAMETER);
    assert_int_equal(firmware.exits, 8);
    assert_true(tried);
}

static void test_no_map_is_no_attempt(void **state)
{
    (void)state;
    assert_int_equal(leave(0, EFI_BUFFER_TOO_SMALL, 0), EFI_BUFFER_TOO_SMALL);
    assert_int_equal(firmware.exits, 0);
    assert_false(tried); /* so that the loader still may say why */
}

static void test_another_error_is_final(void **state)
{
    (void)state;
    assert_int_equal(leave(0, 0, EFI_SECURITY_VIOLATION), EFI_SECURITY_VIOLATION);
    assert_int_equal(firmware.exits, 1);
    assert_true(tried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_a_changed_map_is_got_again),
        cmocka_unit_test(test_it_ends),
        cmocka_unit_test(test_no_map_is_no_attempt),
        cmocka_unit_test(test_another_error_is_final),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
