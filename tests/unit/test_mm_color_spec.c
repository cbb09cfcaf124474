/* page_color=: good levels give the colours expected, bad ones are named with what is valid, and
 * a machine that says implausible things is not believed. */
#include "host.h"

#include "arch.h"
#include "core/errno.h"
#include "mm/color_spec.h"

#include <string.h>

static struct color_spec spec;
static char err[256];

static int parse(const char *s, const struct arch_cache *caches, unsigned n)
{
    err[0] = '\0';
    return color_spec_parse(s, caches, n, &spec, err, sizeof err);
}

static void sizes_and_ways(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned colors, ways;
        uint64_t bytes;
    } good[] = {
        {"2048", 512, 1, 2ul << 20},        {"2048,1", 512, 1, 2ul << 20},
        {"512,16", 8, 16, 512ul << 10},     {"3072,12", 64, 12, 3ul << 20},
        {"768,1", 192, 1, 768ul << 10},     {"4", 1, 1, 4096},
        {"0x800", 512, 1, 2ul << 20},       {"262144", COLORS_MAX, 1, 256ul << 20},
        {"posted:2048", 512, 1, 2ul << 20},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(good); i++) {
        assert_int_equal(parse(good[i].text, NULL, 0), 0);
        assert_int_equal(spec.kind, COLOR_MODULO);
        assert_int_equal(spec.colors, good[i].colors);
        assert_int_equal(spec.ways, good[i].ways);
        assert_int_equal(spec.size_bytes, good[i].bytes);
        assert_int_equal(spec.caches, 1);
        assert_int_equal(spec.cache_colors[0], good[i].colors);
        assert_non_null(strstr(spec.source, "command line"));
    }
    assert_int_equal(parse("off", NULL, 0), 0);
    assert_int_equal(spec.colors, 1);
    assert_int_equal(spec.size_bytes, 0);
    assert_string_equal(spec.source, "off");
}

static void several_caches(void **state)
{
    (void)state;
    assert_int_equal(parse("32,8+2048,1+256,4", NULL, 0), 0);
    assert_int_equal(spec.colors, 512);
    assert_int_equal(spec.caches, 3);
    assert_int_equal(spec.cache_colors[0], 1);
    assert_int_equal(spec.cache_colors[1], 16);
    assert_int_equal(spec.cache_colors[2], 512);
    assert_int_equal(spec.size_bytes, 2ul << 20);
    assert_int_equal(spec.ways, 1);
    /* 12 and 8 colours: 24 together, the first cache's size. */
    assert_int_equal(parse("48+32", NULL, 0), 0);
    assert_int_equal(spec.colors, 24);
    assert_int_equal(spec.size_bytes, 48ul << 10);
}

static void masks(void **state)
{
    (void)state;
    assert_int_equal(parse("xor:0x11000,0x22000,0x44000", NULL, 0), 0);
    assert_int_equal(spec.kind, COLOR_XOR);
    assert_int_equal(spec.colors, 8);
    assert_int_equal(spec.size_bytes, 8 * PAGE_SIZE);
    struct color_map map;
    color_spec_map(&spec, &map);
    assert_int_equal(map.kind, COLOR_XOR);
    assert_int_equal(map.colors, 8);
    /* Bit 6 lies in the page and so makes the second mask's bit worthless as a colour. */
    assert_int_equal(parse("xor:0x1000,0x2040", NULL, 0), 0);
    assert_int_equal(spec.colors, 2);
}

static void bad_levels_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "valid: KB[,WAYS]"},
        {"x", "valid: KB[,WAYS]"},
        {"0", "valid: KB[,WAYS]"},
        {"2048,", "valid: KB[,WAYS]"},
        {"2048,0", "valid: KB[,WAYS]"},
        {"2048,1025", "valid: KB[,WAYS]"},
        {"2048,1,1", "valid: KB"},
        {"2M", "valid: KB[,WAYS]"},
        {"2048+", "valid: KB[,WAYS]"},
        {"+2048", "valid: KB[,WAYS]"},
        {"4+8+16+32+64", "valid: KB"},
        {"2048,3", "whole number of pages"},
        {"6", "whole number of pages"},
        {"524288", "at most 65536"},
        {"262144+12", "at most 65536"},
        {"xor:", "masks"},
        {"xor:0", "masks"},
        {"xor:0x1000,", "masks"},
        {"xor:0x1000;", "masks"},
        {"posted:", "valid: KB"},
        {"posted:2048,2", "valid: KB"},
        {"probe:", "valid: KB"},
        {"probe:2048,3", "whole number of pages"},
        {"Auto", "valid: KB[,WAYS]"},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        assert_int_equal(parse(bad[i].text, NULL, 0), -TT_EINVAL);
        if (!strstr(err, bad[i].text) || !strstr(err, bad[i].says))
            fail_msg("\"%s\" gives \"%s\"", bad[i].text, err);
    }
    assert_int_equal(
        parse("xor:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24", NULL, 0), 0);
    assert_int_equal(
        parse("xor:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25", NULL, 0),
        -TT_EINVAL);
}

static void the_machine_is_believed_when_plausible(void **state)
{
    (void)state;
    static const struct arch_cache pc[] = {
        {1, 32 << 10, 8, 64, "cpuid leaf 4"},
        {2, 256 << 10, 4, 64, "cpuid leaf 4"},
        {3, 12 << 20, 16, 64, "cpuid leaf 4"},
    };
    assert_int_equal(parse("auto", pc, 3), 0);
    assert_int_equal(spec.colors, 192); /* not a power of two: 768 kB a way */
    assert_int_equal(spec.ways, 16);
    assert_string_equal(spec.source, "cpuid leaf 4, L3");
    assert_int_equal(parse("posted", pc, 3), 0);
    assert_int_equal(spec.colors, 3072);
    assert_string_equal(spec.source, "posted, cpuid leaf 4, L3");
    assert_int_equal(parse("probe", pc, 3), 0);
    assert_int_equal(spec.kind, COLOR_TABLE);
    assert_int_equal(spec.colors, 192);
    assert_null(spec.table); /* until it has been probed */
    assert_string_equal(spec.source, "probed, cpuid leaf 4, L3");
    assert_int_equal(parse("probe:2048,8", pc, 3), 0);
    assert_int_equal(spec.kind, COLOR_TABLE);
    assert_int_equal(spec.colors, 64);
    assert_int_equal(parse("probe", NULL, 0), -TT_EINVAL);

    /* A real direct-mapped cache, which no CPUID ever described. */
    static const struct arch_cache ds10[] = {{2, 2 << 20, 1, 64, "hwrpb"}};
    assert_int_equal(parse("auto", ds10, 1), 0);
    assert_int_equal(spec.colors, 512);
}

static void the_machine_is_not_believed_otherwise(void **state)
{
    (void)state;
    static const struct arch_cache odd[] = {
        {3, 64, 1, 64, "cpuid leaf 4"},          /* one set, one way: a hypervisor hides it */
        {3, 2 << 20, 32768, 64, "cpuid leaf 4"}, /* one set */
        {3, 2 << 20, 1, 64, "cpuid leaf 4"},     /* one way */
        {3, 0, 16, 64, "cpuid leaf 4"},          /* no size */
        {3, 2 << 20, 0, 64, "cpuid leaf 4"},     /* fully associative: no colours */
        {3, 2 << 20, 16, 0, "cpuid leaf 4"},     /* no line */
        {1, 8 << 10, 4, 64, "cpuid leaf 4"},     /* a way is less than a page */
        {3, 3000000, 16, 64, "cpuid leaf 4"},    /* no whole pages */
    };
    for (unsigned i = 0; i < ARRAY_SIZE(odd); i++) {
        assert_int_equal(parse("auto", &odd[i], 1), -TT_EINVAL);
        assert_non_null(strstr(err, "auto: the machine describes no plausible cache (1 seen)"));
        assert_int_equal(parse("posted", &odd[i], 1), -TT_EINVAL);
    }
    assert_int_equal(parse("auto", NULL, 0), -TT_EINVAL);
    assert_non_null(strstr(err, "KB[,WAYS]"));
    /* One odd level does not spoil the others, even if it claims to be larger. */
    static const struct arch_cache mixed[] = {
        {2, 512 << 10, 8, 64, "cpuid 0x8000001d"},
        {3, 1 << 30, 1, 64, "cpuid 0x8000001d"},
    };
    assert_int_equal(parse("auto", mixed, 2), 0);
    assert_int_equal(spec.colors, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_ways),
        cmocka_unit_test(several_caches),
        cmocka_unit_test(masks),
        cmocka_unit_test(bad_levels_are_named),
        cmocka_unit_test(the_machine_is_believed_when_plausible),
        cmocka_unit_test(the_machine_is_not_believed_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
