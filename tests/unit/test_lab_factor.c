/*
 * Factors: which levels a command line gives, in which order they are combined, what each is
 * compared with, and that nothing is chosen silently.
 */
#include "host.h"

#include "core/errno.h"
#include "core/kprintf.h"
#include "lab/bundle.h"
#include "lab/factor.h"

#include <stdio.h>
#include <string.h>

/* ---- factors of our own: a number, a name, a choice -------------------------------------------
 */

static int level_number(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    uint64_t v;
    if (parse_u64(text, 0, 99, &v)) {
        ksnprintf(err, err_bytes, "%s: valid: 0 to 99", text);
        return -TT_EINVAL;
    }
    s->age.cycles = (unsigned)v;
    return 0;
}

REGISTER_FACTOR(number, '/', "7", "N[/N...]", "a number", level_number, NULL, NULL);

static const char *const names[] = {"ant", "bee", "cat", NULL};

static const char *nth(unsigned i)
{
    return names[i];
}

static int level_animal(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    for (unsigned i = 0; names[i]; i++) {
        if (!strcmp(names[i], text)) {
            s->color.ways = i;
            return 0;
        }
    }
    return factor_no_such_level(text, names, err, err_bytes);
}

REGISTER_FACTOR(animal, ',', "bee", "NAME[,NAME...]|all", "a name", level_animal, nth, NULL);

/* Ants get on with every number but 77. */
int setup_check(const struct setup *s, char *msg, size_t msg_bytes)
{
    if (s->age.cycles != 77 || s->color.ways != 0)
        return 0;
    ksnprintf(msg, msg_bytes, "ant cannot count to 77");
    return -TT_EINVAL;
}

static const char *const loops[] = {"ijk", "ikj", NULL};
REGISTER_CHOICE(loop, "matmul", "ijk", "ijk|ikj", "a choice of one workload", loops);

static int level_speed(const char *text, struct setup *s, char *msg, size_t msg_bytes)
{
    (void)msg, (void)msg_bytes;
    s->smp.cpus = strlen(text);
    return 0;
}

REGISTER_FACTOR_OF("matmul,fft", speed, ',', "a", "TEXT[,TEXT...]", "a factor of two workloads",
                   level_speed, NULL, NULL);

/* ---- helpers ----------------------------------------------------------------------------------
 */

static struct levels levels;
static char err[320];

static int set(const char *key, const char *value)
{
    err[0] = '\0';
    for_each_registered (option, o) {
        if (!strcmp(o->name, key))
            return o->parse(o, value, err, sizeof err);
    }
    fail_msg("no option %s", key);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    for_each_registered (factor, f)
        memset(f->levels, 0, sizeof *f->levels);
    return 0;
}

static void build(void)
{
    assert_int_equal(levels_build(&levels, "bandwidth", err, sizeof err), 0);
}

/* ---- tests ------------------------------------------------------------------------------------
 */

static void defaults_are_one_level(void **state)
{
    (void)state;
    build();
    assert_int_equal(levels.count, 1);
    assert_string_equal(levels.level[0].name, "all");
    assert_string_equal(levels.fixed, "number=7 animal=bee");
    assert_int_equal(levels.level[0].setup.age.cycles, 7);
    assert_int_equal(levels.level[0].setup.color.ways, 1);
    assert_int_equal(levels.level[0].reference, 0);
}

/* Every combination once; each compared with the primary's first level and the same others. */
static void cross_product(void **state)
{
    (void)state;
    assert_int_equal(set("animal", "cat,ant"), 0);
    assert_int_equal(set("number", "1/2/3"), 0);
    build();
    assert_int_equal(levels.count, 6);
    bool seen[4][3] = {{false}};
    for (unsigned i = 0; i < 6; i++) {
        const struct level *l = &levels.level[i], *vs = &levels.level[l->reference];
        char name[64];
        assert_false(seen[l->setup.age.cycles][l->setup.color.ways]);
        seen[l->setup.age.cycles][l->setup.color.ways] = true;
        snprintf(name, sizeof name, "number=%u animal=%s", l->setup.age.cycles,
                 names[l->setup.color.ways]);
        assert_string_equal(l->name, name);
        /* animal came first on the command line, so its first level, cat, is the reference */
        assert_int_equal(vs->setup.color.ways, 2);
        assert_int_equal(vs->setup.age.cycles, l->setup.age.cycles);
        assert_int_equal(vs->reference, l->reference);
    }
    assert_string_equal(levels.fixed, "");
}

/* The same levels, the other factor first on the command line: other references. */
static void the_command_line_names_the_primary_factor(void **state)
{
    (void)state;
    assert_int_equal(set("number", "1/2"), 0);
    assert_int_equal(set("animal", "cat,ant"), 0);
    build();
    for (unsigned i = 0; i < 4; i++) {
        const struct level *vs = &levels.level[levels.level[i].reference];
        assert_int_equal(vs->setup.age.cycles, 1);
        assert_int_equal(vs->setup.color.ways, levels.level[i].setup.color.ways);
    }
}

/* One level is no factor of interest: it cannot be the primary one. */
static void a_single_level_is_fixed(void **state)
{
    (void)state;
    assert_int_equal(set("animal", "cat"), 0);
    assert_int_equal(set("number", "4/5"), 0);
    build();
    assert_string_equal(levels.fixed, "animal=cat");
    assert_string_equal(levels.level[1].name, "number=5");
    assert_int_equal(levels.level[1].reference, 0);
}

static void all_starts_with_the_default(void **state)
{
    (void)state;
    assert_int_equal(set("animal", "all"), 0);
    build();
    assert_int_equal(levels.count, 3);
    assert_string_equal(levels.level[0].name, "animal=bee");
    assert_string_equal(levels.level[1].name, "animal=ant");
    assert_string_equal(levels.level[2].name, "animal=cat");
}

static void what_cannot_work_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(set("animal", "cat,ant"), 0);
    assert_int_equal(set("number", "12/77"), 0);
    assert_int_equal(levels_build(&levels, "bandwidth", err, sizeof err), -TT_EINVAL);
    assert_string_equal(err, "ant cannot count to 77");
}

/* "all" asks for what there is, not for the impossible: that is left out, aloud, and the levels
 * behind it still know what they are compared with. */
static void all_leaves_out_what_cannot_work(void **state)
{
    (void)state;
    host_console_clear();
    assert_int_equal(set("animal", "all"), 0);
    assert_int_equal(set("number", "12/77"), 0);
    build();
    assert_int_equal(levels.count, 5);
    assert_string_equal(host_console(), "# left out: ant cannot count to 77\n");
    for (unsigned i = 0; i < levels.count; i++) {
        const struct level *vs = &levels.level[levels.level[i].reference];
        assert_int_equal(vs->setup.color.ways, 1); /* bee, the default */
        assert_int_equal(vs->setup.age.cycles, levels.level[i].setup.age.cycles);
    }
}

static void the_last_of_equal_keys_wins(void **state)
{
    (void)state;
    assert_int_equal(set("animal", "cat,ant"), 0);
    assert_int_equal(set("animal", "ant"), 0);
    build();
    assert_int_equal(levels.count, 1);
    assert_int_equal(levels.level[0].setup.color.ways, 0);
}

static void a_choice_belongs_to_its_workload(void **state)
{
    (void)state;
    assert_int_equal(set("loop", "ikj,ijk"), 0);
    build();
    assert_int_equal(levels.count, 1);
    assert_null(strstr(levels.fixed, "loop"));
    assert_int_equal(levels_build(&levels, "matmul", err, sizeof err), 0);
    assert_int_equal(levels.count, 2);
    for_each_registered (factor, f) {
        if (!strcmp(f->name, "loop")) {
            assert_int_equal(levels.level[0].choice[factor_index(f)], 1);
            assert_int_equal(levels.level[1].choice[factor_index(f)], 0);
        }
    }
}

static void a_factor_may_belong_to_some_workloads(void **state)
{
    static const char *const workloads[] = {"matmul", "fft", "mat", "matmul2", "x"};
    (void)state;
    assert_int_equal(set("speed", "b,ccc"), 0);
    for (unsigned i = 0; i < ARRAY_SIZE(workloads); i++) {
        assert_int_equal(levels_build(&levels, workloads[i], err, sizeof err), 0);
        assert_int_equal(levels.count, i < 2 ? 2 : 1);
        if (i < 2)
            assert_string_equal(levels.level[1].name, "speed=ccc");
        assert_int_equal(levels.level[levels.count - 1].setup.smp.cpus, i < 2 ? 3 : 0);
    }
}

static void bad_levels_are_named(void **state)
{
    (void)state;
    assert_int_equal(set("animal", "cat,bea"), -TT_EINVAL);
    assert_non_null(strstr(err, "bea"));
    assert_non_null(strstr(err, "nearest: bee"));
    assert_non_null(strstr(err, "ant bee cat"));
    assert_int_equal(set("number", "1/100"), -TT_EINVAL);
    assert_non_null(strstr(err, "100: valid: 0 to 99"));
    assert_int_equal(set("animal", "cat,cat"), -TT_EINVAL);
    assert_non_null(strstr(err, "cat is there twice"));
    assert_int_equal(set("animal", "cat,,ant"), -TT_EINVAL);
    assert_non_null(strstr(err, "empty"));
    assert_int_equal(set("animal", ""), -TT_EINVAL);
    assert_int_equal(set("loop", "kji"), -TT_EINVAL);
    assert_non_null(strstr(err, "ijk ikj"));
}

/* "000...0V", n characters. */
static const char *padded(unsigned v, unsigned n)
{
    static char text[2][LEVEL_TEXT_MAX + 2];
    static unsigned turn;
    char *t = text[turn++ % 2];
    snprintf(t, sizeof text[0], "%0*u", (int)n, v);
    return t;
}

static void a_long_level_goes_by_a_label(void **state)
{
    (void)state;
    char two[2 * LEVEL_TEXT_MAX], label[LEVEL_LABEL_BYTES], same[LEVEL_LABEL_BYTES];
    assert_false(factor_label(factor_named("number"), padded(7, LEVEL_LABEL_BYTES - 1), label));
    assert_string_equal(label, padded(7, LEVEL_LABEL_BYTES - 1));
    assert_true(factor_label(factor_named("number"), padded(7, LEVEL_LABEL_BYTES), label));
    assert_int_equal(strlen(label), LEVEL_LABEL_BYTES - 1);
    assert_memory_equal(label, "0000000000000000000000000000000~", 32);
    factor_label(factor_named("number"), padded(8, LEVEL_LABEL_BYTES), same);
    assert_string_not_equal(label, same);

    snprintf(two, sizeof two, "%s/%s", padded(7, LEVEL_TEXT_MAX - 1),
             padded(8, LEVEL_TEXT_MAX - 1));
    assert_int_equal(set("number", two), 0);
    build();
    assert_int_equal(levels.count, 2);
    assert_int_equal(levels.level[0].setup.age.cycles, 7); /* all of the text was parsed */
    assert_int_equal(levels.level[1].setup.age.cycles, 8);
    factor_label(factor_named("number"), padded(8, LEVEL_TEXT_MAX - 1), label);
    assert_string_equal(levels.level[1].name + strlen("number="), label);
    assert_string_equal(factor_text(factor_named("number"), 1), padded(8, LEVEL_TEXT_MAX - 1));

    assert_int_equal(set("number", padded(7, LEVEL_TEXT_MAX)), -TT_EINVAL);
    assert_non_null(strstr(err, "overlong"));
    char many[4 * LEVEL_TEXT_MAX];
    snprintf(many, sizeof many, "%s/%s/1", two, padded(9, LEVEL_TEXT_MAX - 1));
    assert_int_equal(set("number", many), -TT_EINVAL);
    assert_non_null(strstr(err, "characters together"));
}

/* ---- levels=: several factors at once ---------------------------------------------------------
 */

static void a_bundle_sets_several_factors(void **state)
{
    (void)state;
    char meaning[BUNDLE_MEANING_BYTES];
    assert_int_equal(set("number", "4"), 0);
    assert_int_equal(set("levels", "ref/p-al:number=5/irq:animal=cat/both:number=5+animal=cat"), 0);
    build();
    static const struct {
        const char *name;
        unsigned cycles, ways;
    } expected[] = {
        {"levels=ref", 4, 1}, {"levels=p-al", 5, 1}, {"levels=irq", 4, 2}, {"levels=both", 5, 2}};
    assert_int_equal(levels.count, ARRAY_SIZE(expected));
    for (unsigned i = 0; i < levels.count; i++) {
        assert_string_equal(levels.level[i].name, expected[i].name);
        assert_int_equal(levels.level[i].setup.age.cycles, expected[i].cycles);
        assert_int_equal(levels.level[i].setup.color.ways, expected[i].ways);
        assert_int_equal(levels.level[i].reference, 0);
    }
    assert_string_equal(levels.fixed, ""); /* both factors vary */
    bundle_meaning("irq:animal=cat", meaning);
    assert_string_equal(meaning, "number=4 animal=cat");
}

/* Times another factor: each is compared with the first of the names at the same other level. */
static void a_bundle_is_a_factor_like_others(void **state)
{
    (void)state;
    assert_int_equal(set("levels", "one/two:animal=cat"), 0);
    assert_int_equal(set("number", "1/2"), 0);
    build();
    assert_int_equal(levels.count, 4);
    for (unsigned i = 0; i < levels.count; i++) {
        const struct level *l = &levels.level[i], *vs = &levels.level[l->reference];
        assert_int_equal(vs->setup.color.ways, 1);
        assert_int_equal(vs->setup.age.cycles, l->setup.age.cycles);
        assert_int_equal(l->setup.color.ways, strstr(l->name, "levels=two") ? 2 : 1);
    }
}

static void a_bundle_may_hold_a_choice_of_the_workload(void **state)
{
    (void)state;
    assert_int_equal(set("levels", "one/two:loop=ikj"), 0);
    assert_int_equal(levels_build(&levels, "matmul", err, sizeof err), 0);
    assert_int_equal(levels.level[1].choice[factor_index(factor_named("loop"))], 1);
    assert_int_equal(levels_build(&levels, "bandwidth", err, sizeof err), -TT_EINVAL);
    assert_non_null(strstr(err, "loop= belongs to matmul"));
}

static void wrong_bundles_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *value, *message;
    } wrong[] = {
        {"a/a:number=3", "level a is there twice"},
        {"a/b:numbr=3", "nearest: number"},
        {"a/b:number=100", "0 to 99"},
        {"a/b:number=3+number=4", "b sets number twice"},
        {"a/b:levels=a", "levels: nothing of that name"},
        {"a/b:3", "KEY=LEVEL"},
        {"a/b:", "KEY=LEVEL"},
        {"a/b:number=3+", "3+"}, /* the '+' belongs to the level, which is no number then */
        {"a/:number=3", "begins with a name"},
        {"a b", "begins with a name"},
        {"a//b", "empty"},
        {"", "empty"},
        {"0123456789012345678901234567890123456789x", "begins with a name"},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        assert_int_equal(set("levels", wrong[i].value), -TT_EINVAL);
        if (!strstr(err, wrong[i].message))
            fail_msg("%s: %s", wrong[i].value, err);
    }
    assert_int_equal(set("levels", "a/b:number=3"), 0);
    assert_int_equal(set("number", "1/2"), 0);
    assert_int_equal(levels_build(&levels, "bandwidth", err, sizeof err), -TT_EINVAL);
    assert_non_null(strstr(err, "levels= sets number"));
}

static void too_many_levels_are_an_error(void **state)
{
    (void)state;
    char many[256] = "0";
    for (unsigned i = 1; i <= FACTOR_LEVELS_MAX; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "/%u", i);
    assert_int_equal(set("number", many), -TT_EINVAL);
    assert_non_null(strstr(err, "at most"));

    *strrchr(many, '/') = '\0'; /* 32 levels: fine alone, too many in product with 3 */
    assert_int_equal(set("number", many), 0);
    build();
    assert_int_equal(set("animal", "all"), 0);
    assert_int_equal(levels_build(&levels, "bandwidth", err, sizeof err), -TT_EINVAL);
    assert_non_null(strstr(err, "multiply to more than 64"));
}

#define TEST(f) cmocka_unit_test_setup(f, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(defaults_are_one_level),
        TEST(cross_product),
        TEST(the_command_line_names_the_primary_factor),
        TEST(a_single_level_is_fixed),
        TEST(all_starts_with_the_default),
        TEST(what_cannot_work_is_an_error),
        TEST(all_leaves_out_what_cannot_work),
        TEST(the_last_of_equal_keys_wins),
        TEST(a_choice_belongs_to_its_workload),
        TEST(a_factor_may_belong_to_some_workloads),
        TEST(bad_levels_are_named),
        TEST(a_long_level_goes_by_a_label),
        TEST(a_bundle_sets_several_factors),
        TEST(a_bundle_is_a_factor_like_others),
        TEST(a_bundle_may_hold_a_choice_of_the_workload),
        TEST(wrong_bundles_are_named),
        TEST(too_many_levels_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
