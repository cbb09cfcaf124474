/*
 * Which cache own_colors= speaks of, over one stage and several; and that a check of own memory
 * finds the one page that has another colour, or no frame at all.
 */
#include "host.h"

#include "arch.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "lab/axis.h"
#include "lab/factor.h"
#include "lab/options.h"
#include "lab/own_log.h"
#include "lab/preset.h"
#include "mm/color_spec.h"
#include "mm/own.h"

#include <string.h>

static char err[300];

/* ---- what there is else ---------------------------------------------------------------------- */

struct lab_options lab_options;
const struct lab_options lab_options_initial;

static int level_page_color(const char *text, struct setup *s, char *e, size_t e_bytes)
{
    return color_spec_parse(text, NULL, 0, &s->color, e, e_bytes);
}

REGISTER_FACTOR(page_color, '/', "1024,1", "KB,WAYS", "a cache", level_page_color, NULL, NULL);

/* So that there is a registry of them. */
REGISTER_AXIS(points, "nobody", 1, 2, AXIS_NUMBERS, "N", "numbers", 1);

int setup_check(const struct setup *s, char *e, size_t e_bytes)
{
    (void)s, (void)e, (void)e_bytes;
    return 0;
}

static int parse_run(const struct option *o, const char *value, char *e, size_t e_bytes)
{
    (void)o, (void)e, (void)e_bytes;
    ksnprintf(lab_options.run, sizeof lab_options.run, "%s", value);
    return 0;
}
REGISTER(option, run) = {.name = "run", .grammar = "NAME", .help = "", .parse = parse_run};

REGISTER(preset, alike) = {
    .name = "alike", .what = "", .stage = {"run=a page_color=64,1/128,1", "run=b page_color=64,1"}};
REGISTER(preset,
         other) = {.name = "other", .what = "", .stage = {"run=a page_color=64,1", "run=b"}};

extern const char __image_start[], __image_end[];
__asm__(".data\n\t.balign 4096\n\t.globl __image_start, __image_end\n"
        "__image_start:\n\t.skip 3 * 4096\n__image_end:\n\t.text");

/* ---- own memory: two pages of each kind ------------------------------------------------------ */

const char *const own_kind_names[OWN_KINDS] = {"tables", "stacks", "heap", "arrays", "descriptors"};
static phys_t wrong_page;
static enum own_kind wrong_kind = OWN_KINDS;

void own_walk(enum own_kind kind, const struct arch_space *s, void (*page)(phys_t at, void *arg),
              void *arg)
{
    (void)s;
    page(phys(3 * PAGE_SIZE), arg);
    page(kind == wrong_kind ? wrong_page : phys(19 * PAGE_SIZE), arg);
}

void own_pages_of_color(const struct color_map *map, uint32_t *pages)
{
    pages[color_of(map, pfn(3))] += 2 * OWN_KINDS;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static int colors_of(const char *cmdline)
{
    return own_log_set_colors(cmdline, err, sizeof err) ? -1 : (int)own_colors().colors;
}

static void ignore(const char *message, void *arg)
{
    (void)message, (void)arg;
}

/* As main.c does it: every stage is taken before. */
static void take_all(const char *cmdline)
{
    const struct preset *p = preset_of(cmdline);
    for (unsigned i = 0; i < preset_stages(p); i++)
        assert_int_equal(preset_take(p, i, cmdline, ignore, NULL), 0);
}

static void the_first_level_of_the_boot(void **state)
{
    (void)state;
    take_all("run=x");
    assert_int_equal(colors_of("run=x"), 256); /* 1024 KB of 4K pages */
    take_all("run=x page_color=32,1/64,1");
    assert_int_equal(colors_of("run=x page_color=32,1/64,1"), 8);
    take_all("run=alike");
    assert_int_equal(colors_of("run=alike"), 16);
    take_all("run=other"); /* the first stage's, when nobody asks for colours */
    assert_int_equal(colors_of("run=other"), 16);
}

static void stages_must_agree(void **state)
{
    (void)state;
    take_all("run=alike own_colors=3");
    assert_int_equal(colors_of("run=alike own_colors=3"), 16);
    take_all("run=other own_colors=3");
    assert_int_equal(colors_of("run=other own_colors=3"), -1);
    assert_non_null(strstr(err, "run=other has page_color=64,1 in one stage, 1024,1 in another"));
    take_all("run=other own_colors=3 page_color=128,2");
    assert_int_equal(colors_of("run=other own_colors=3 page_color=128,2"), 16);
}

static void one_page_of_another_color_is_found(void **state)
{
    (void)state;
    take_all("run=x page_color=64,1 own_colors=3");
    assert_int_equal(colors_of("run=x page_color=64,1 own_colors=3"), 16);
    assert_null(own_log_check(NULL));
    for (unsigned kind = 0; kind < OWN_KINDS; kind++) {
        wrong_kind = (enum own_kind)kind;
        for (unsigned n = 0; n < 2; n++) {
            char expect[80];
            wrong_page = n ? PHYS_NONE : phys(20 * PAGE_SIZE);
            ksnprintf(expect, sizeof expect, "1 of 2 pages of %s", own_kind_names[kind]);
            const char *bad = own_log_check(NULL);
            assert_non_null(bad);
            assert_non_null(strstr(bad, expect));
        }
    }
    wrong_kind = OWN_HEAP;
    own_log_check(NULL);
    host_console_clear();
    own_log_experiment("x");
    assert_non_null(strstr(host_console(),
                           "\"name\":\"heap\",\"pages\":2,\"wanted\":1,\"got\":1,\"outside\":1"));
    assert_non_null(strstr(host_console(),
                           "\"name\":\"stacks\",\"pages\":2,\"wanted\":1,\"got\":1,\"outside\":0"));
    host_console_clear();
    wrong_kind = OWN_KINDS;
    own_log_pages();
    assert_non_null(
        strstr(host_console(), "\"name\":\"image\",\"pages\":3,\"wanted\":1,\"got\":3"));
    assert_non_null(strstr(host_console(), "\"what\":\"own_pages\",\"colors\":16"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_level_of_the_boot),
        cmocka_unit_test(stages_must_agree),
        cmocka_unit_test(one_page_of_another_color_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
