/* The factors of placement: alloc, empty, page_color, page_struct, age. */
#include "arch.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "lab/factor.h"
#include "perf/caches.h"

#include <string.h>

/* factor_no_such_level() for a factor whose names come from a registry. */
static int no_such_level(const char *text, const char *(*nth)(unsigned i), char *err,
                         size_t err_bytes)
{
    const char *words[FACTOR_LEVELS_MAX + 1];
    unsigned n = 0;
    while (n < FACTOR_LEVELS_MAX && (words[n] = nth(n)))
        n++;
    words[n] = NULL;
    return factor_no_such_level(text, words, err, err_bytes);
}

/* ---- alloc: the placement policy --------------------------------------------------------------
 */

static const char *nth_policy(unsigned i)
{
    return i < registered_count(policy) ? __start_tt_policy[i]->name : NULL;
}

static int level_alloc(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    s->policy = policy_named(text);
    return s->policy ? 0 : no_such_level(text, nth_policy, err, err_bytes);
}

static void list_alloc(void)
{
    for_each_registered (policy, p)
        kprintf("#     %-12s %s [%s]\n", p->name, p->rule, p->source);
}

REGISTER_FACTOR(alloc, ',', "buddy", "POLICY[,POLICY...]|all", "placement policy", level_alloc,
                nth_policy, list_alloc);

/* ---- empty: what to do when the wanted colour is empty ----------------------------------------
 */

static const char *nth_fallback(unsigned i)
{
    return i < registered_count(fallback) ? __start_tt_fallback[i]->name : NULL;
}

static int level_empty(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    s->fallback = fallback_named(text);
    return s->fallback ? 0 : no_such_level(text, nth_fallback, err, err_bytes);
}

static void list_empty(void)
{
    for_each_registered (fallback, f)
        kprintf("#     %-12s %s\n", f->name, f->rule);
}

REGISTER_FACTOR(empty, ',', "next", "RULE[,RULE...]|all",
                "what to take when the wanted colour has no free page", level_empty, nth_fallback,
                list_empty);

/* ---- page_color: the colour map ---------------------------------------------------------------
 */

static int level_page_color(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    struct arch_cache caches[8];
    unsigned n = machine_caches(caches, ARRAY_SIZE(caches));
    return color_spec_parse(text, caches, n, &s->color, err, err_bytes);
}

REGISTER_FACTOR(
    page_color, '/', "auto",
    "KB[,WAYS][+KB,WAYS...]|auto|posted[:KB]|probe[:KB[,WAYS]]|xor:MASK[,MASK...]|off[/...]",
    "the cache or caches whose colours count: size in kB and ways", level_page_color, NULL, NULL);

/* ---- page_struct: shape, stride and offset of the descriptors ---------------------------------
 */

static const char *nth_shape(unsigned i)
{
    unsigned n = 0;
    while (n < i && page_shapes[n])
        n++;
    return page_shapes[n] ? page_shapes[n]->name : NULL;
}

static int level_page_struct(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    return page_layout_parse(text, &s->layout, err, err_bytes);
}

static void list_page_struct(void)
{
    for (const struct page_shape *const *p = page_shapes; *p; p++)
        kprintf("#     %-12s %u bytes, %s\n", (*p)->name, (*p)->size_bytes, (*p)->origin);
}

REGISTER_FACTOR(page_struct, ',', "2.6v:64", "SHAPE[:STRIDE[+OFFSET]][,...]|all",
                "page descriptors: fields, stride and offset in bytes", level_page_struct,
                nth_shape, list_page_struct);

/* ---- age: the state of free memory ------------------------------------------------------------
 */

static int level_age(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    return age_parse(text, &s->age, err, err_bytes);
}

REGISTER_FACTOR(age, ',', "4:95:50", "off|CYCLES:HI:LO[,...]",
                "fill to HI percent, free at random to LO, CYCLES times", level_age, NULL, NULL);
