/* Summing and writing the colour accounting. Contract in account_log.h. */
#include "lab/account_log.h"

#include "core/errno.h"
#include "core/record.h"
#include "lab/record_float.h"
#include "lab/say.h"

#include <stdlib.h>

int account_sum_init(struct account_sum *s, const struct color_map *map, const char *experiment,
                     const char *level)
{
    void *arrays = malloc(account_bytes(map));
    if (!arrays)
        return -TT_ENOMEM;
    account_init(&s->total, map, arrays);
    s->experiment = experiment;
    s->level = level;
    return 0;
}

void account_sum_free(struct account_sum *s)
{
    free(s->total.wanted);
    s->total.wanted = NULL;
}

void account_sum_add(struct account_sum *s, const struct account *a)
{
    struct account *t = &s->total;
    for (uint32_t c = 0; c < t->map->colors; c++) {
        t->wanted[c] += a->wanted[c];
        t->got[c] += a->got[c];
    }
    t->allocations += a->allocations;
    t->wishes += a->wishes;
    t->missed += a->missed;
    t->failed += a->failed;
    t->probes += a->probes;
    t->distance_sum += a->distance_sum;
    if (a->distance_max > t->distance_max)
        t->distance_max = a->distance_max;
}

static void head(struct record *r, void *arg)
{
    const struct account_sum *s = arg;
    record_str(r, "exp", s->experiment);
    record_str(r, "level", s->level);
}

static void head_wanted(struct record *r, void *arg)
{
    head(r, arg);
    record_str(r, "array", "wanted");
}

static void head_got(struct record *r, void *arg)
{
    head(r, arg);
    record_str(r, "array", "got");
}

static void head_free(struct record *r, void *arg)
{
    head(r, arg);
    record_str(r, "array", "free_blocks");
}

void account_sum_write(struct account_sum *s)
{
    const struct account *t = &s->total;
    struct record r;
    record_begin(&r, "alloc");
    head(&r, s);
    record_u64(&r, "pages", t->allocations);
    record_u64(&r, "colors", t->map->colors);
    record_u64(&r, "wishes", t->wishes);
    if (t->wishes) {
        record_u64(&r, "distance_max", t->distance_max);
        record_f64(&r, "distance_mean", (double)t->distance_sum / (double)t->wishes);
    }
    record_u64(&r, "missed", t->missed);
    record_u64(&r, "failed", t->failed);
    record_end(&r);
    record_u32_parts("alloc", head_free, s, "v", s->free_blocks, MAX_ORDER + 1);
    if (t->wishes)
        record_u32_parts("alloc", head_wanted, s, "v", t->wanted, t->map->colors);
    record_u32_parts("alloc", head_got, s, "v", t->got, t->map->colors);
}

#define PER_LINE 16 /* list lengths a line: 128 columns at most */

void account_print_proc(const struct memory *m)
{
    const struct buddy *b = &m->buddy;
    say("# colors: %u\n# hits: %llu\n# misses: %llu\n# pages allocated: %llu\n", m->color.colors,
        (unsigned long long)m->account.allocations, (unsigned long long)m->account.probes,
        (unsigned long long)m->account.allocations);
    for (unsigned k = 0; k <= MAX_ORDER; k++) {
        for (uint32_t class = 0; class < b->map->classes[k]; class ++) {
            if (class % PER_LINE == 0)
                say(class ? "\n#    " : "# %2u:", k);
            say(" %u", b->order[k].list[class].count);
        }
        say("\n");
    }
}
