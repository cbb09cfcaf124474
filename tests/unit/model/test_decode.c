/*
 * Which instructions the plugin takes for commands and TLB flushes, byte by byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernel/perf/model_abi.h"
#include "tools/model/plugin_decode.h"

struct sample {
    const char *what;
    uint8_t code[10];
    uint8_t size;
    enum decoded_kind kind;
};

static void test_x86(void **state)
{
    static const struct sample samples[] = {
        {"latch 1", {0x0f, 0x1f, 0x80, 1, 0x43, 0x51, 0x50}, 7, DECODED_COMMAND},
        {"padding nop", {0x0f, 0x1f, 0x80, 0, 0, 0, 0}, 7, DECODED_NOTHING},
        {"no such command", {0x0f, 0x1f, 0x80, 1, 0x40, 0x51, 0x50}, 7, DECODED_NOTHING},
        {"other register", {0x0f, 0x1f, 0x81, 1, 0x43, 0x51, 0x50}, 7, DECODED_NOTHING},
        {"nopw", {0x66, 0x0f, 0x1f, 0x44, 0, 0}, 6, DECODED_NOTHING},
        {"mov cr3", {0x0f, 0x22, 0xd8}, 3, DECODED_TLB_ALL},
        {"mov cr4 from r8", {0x41, 0x0f, 0x22, 0xe0}, 4, DECODED_TLB_ALL},
        {"mov from cr3", {0x0f, 0x20, 0xd8}, 3, DECODED_NOTHING},
        {"invlpg (rdi)", {0x0f, 0x01, 0x3f}, 3, DECODED_TLB_ENTRY},
        {"invlpg (r8)", {0x41, 0x0f, 0x01, 0x38}, 4, DECODED_TLB_ENTRY},
        {"swapgs", {0x0f, 0x01, 0xf8}, 3, DECODED_NOTHING},
        {"lgdt (rax)", {0x0f, 0x01, 0x10}, 3, DECODED_NOTHING},
        {"invpcid", {0x66, 0x0f, 0x38, 0x82, 0x06}, 5, DECODED_TLB_ALL},
        {"inc of 32-bit code", {0x40}, 1, DECODED_NOTHING},
        {"nop", {0x90}, 1, DECODED_NOTHING},
        {"two bytes", {0x0f, 0x22}, 2, DECODED_NOTHING},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        struct decoded decoded = decode_x86(samples[i].code, samples[i].size);

        if (decoded.kind != samples[i].kind) {
            fail_msg("%s: %d", samples[i].what, (int)decoded.kind);
        }
    }
    assert_int_equal(decode_x86(samples[0].code, 7).command, MODEL_CMD_LATCH);
    assert_int_equal(decode_x86(samples[0].code, 7).argument, 1);
}

static void test_alpha(void **state)
{
    static const struct sample samples[] = {
        {"latch 1", {1, 0x43, 0xff, 0x23}, 4, DECODED_COMMAND},
        {"lda $31, 0($31)", {0, 0, 0xff, 0x23}, 4, DECODED_NOTHING},
        {"lda $30, 0x4301($31)", {1, 0x43, 0xdf, 0x23}, 4, DECODED_NOTHING},
        {"hw_mtpr tbia", {255, 0, 0xff, 0x77}, 4, DECODED_TLB_ALL},
        {"hw_mtpr tbis", {254, 0, 0xf1, 0x77}, 4, DECODED_TLB_ENTRY},
        {"hw_mtpr ptbr", {8, 0, 0xf1, 0x77}, 4, DECODED_TLB_ALL},
        {"hw_mtpr other", {9, 0, 0xf1, 0x77}, 4, DECODED_NOTHING},
        {"hw_mfpr", {8, 0, 0xf1, 0x67}, 4, DECODED_NOTHING},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        struct decoded decoded = decode_alpha(samples[i].code, samples[i].size);

        if (decoded.kind != samples[i].kind) {
            fail_msg("%s: %d", samples[i].what, (int)decoded.kind);
        }
    }
    assert_int_equal(decode_alpha(samples[0].code, 4).command, MODEL_CMD_LATCH);
    assert_int_equal(decode_alpha(samples[0].code, 4).argument, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_x86),
        cmocka_unit_test(test_alpha),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
