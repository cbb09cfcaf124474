/* Summing and writing the colour accounting. Contract in account_log.h. */
#include "lab/account_log.h"

#include "core/errno.h"
#include "core/record.h"
#include "lab/record_float.h"
#include "lab/say.h"

#include <stdlib.h>
#include <string.h>

int account_sum_init(struct account_sum *s, const struct color_map *map, const char *experiment,
                     const char *level)
{
    uint32_t *arrays = calloc(2 * (size_t)map->colors, sizeof *arrays);
    if (!arrays)
        return -TT_ENOMEM;
    *s = (struct account_sum){.experiment = experiment, .level = level};
    s->total.map = map;
    s->total.wanted = arrays;
    s->total.got[0] = arrays + map->colors;
    return 0;
}

void account_sum_free(struct account_sum *s)
{
    free(s->total.wanted);
    s->total.wanted = NULL;
}

static void add_counters(struct account_sum *s, const struct memory *m)
{
    const struct policy *policy = m->setup->policy;
    struct policy_counter now[POLICY_COUNTERS_MAX];
    s->counters = policy->counters ? policy->counters(&m->policy, now) : 0;
    for (unsigned i = 0; i < s->counters; i++) {
        s->counter[i].name = now[i].name;
        s->counter[i].value += now[i].value;
    }
}

void account_sum_add(struct account_sum *s, struct memory *m)
{
    const struct account *a = memory_account(m);
    struct account *t = &s->total;
    for (uint32_t c = 0; c < t->map->colors; c++)
        t->wanted[c] += a->wanted[c];
    s->frames += account_frames(a, t->got[0]);
    t->allocations += a->allocations;
    t->wishes += a->wishes;
    t->missed += a->missed;
    t->failed += a->failed;
    t->probes += a->probes;
    t->distance_sum += a->distance_sum;
    if (a->distance_max > t->distance_max)
        t->distance_max = a->distance_max;
    s->nodes = m->nodes.count;
    t->local += a->local;
    for (unsigned i = 0; i < s->nodes; i++) {
        t->node_wanted[i] += a->node_wanted[i];
        t->node_got[i] += a->node_got[i];
    }
    add_counters(s, m);
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

static void head_node_wanted(struct record *r, void *arg)
{
    head(r, arg);
    record_str(r, "array", "node_wanted");
}

static void head_node_got(struct record *r, void *arg)
{
    head(r, arg);
    record_str(r, "array", "node_got");
}

static void write_counter(struct account_sum *s, const struct policy_counter *c)
{
    struct record r;
    record_begin(&r, "alloc");
    head(&r, s);
    record_str(&r, "counter", c->name);
    record_u64(&r, "value", c->value);
    record_end(&r);
}

static void write_nodes(struct account_sum *s, void (*array)(struct record *r, void *arg),
                        const uint64_t *blocks)
{
    uint32_t v[NUMA_NODES];
    for (unsigned i = 0; i < s->nodes; i++)
        v[i] = (uint32_t)blocks[i];
    record_u32_parts("alloc", array, s, "v", v, s->nodes);
}

void account_sum_write(struct account_sum *s)
{
    const struct account *t = &s->total;
    struct record r;
    record_begin(&r, "alloc");
    head(&r, s);
    record_u64(&r, "pages", s->frames);
    record_u64(&r, "blocks", t->allocations);
    record_u64(&r, "colors", t->map->colors);
    record_u64(&r, "wishes", t->wishes);
    if (t->wishes) {
        record_u64(&r, "distance_max", t->distance_max);
        record_f64(&r, "distance_mean", (double)t->distance_sum / (double)t->wishes);
    }
    record_u64(&r, "missed", t->missed);
    record_u64(&r, "failed", t->failed);
    if (s->nodes > 1) {
        record_u64(&r, "local", t->local);
        record_u64(&r, "remote", t->allocations - t->local);
    }
    record_end(&r);
    if (s->nodes > 1) {
        write_nodes(s, head_node_wanted, t->node_wanted);
        write_nodes(s, head_node_got, t->node_got);
    }
    for (unsigned i = 0; i < s->counters; i++)
        write_counter(s, &s->counter[i]);
    record_u32_parts("alloc", head_free, s, "v", s->free_blocks, MAX_ORDER + 1);
    if (t->wishes)
        record_u32_parts("alloc", head_wanted, s, "v", t->wanted, t->map->colors);
    record_u32_parts("alloc", head_got, s, "v", t->got[0], t->map->colors);
}

#define PER_LINE 16 /* list lengths a line: 128 columns at most */

/* Makes *value the policy's own counter of that name, if it has one. */
static void ask_policy(const struct memory *m, const char *name, uint64_t *value)
{
    const struct policy *policy = m->setup->policy;
    struct policy_counter counter[POLICY_COUNTERS_MAX];
    unsigned n = policy->counters ? policy->counters(&m->policy, counter) : 0;
    for (unsigned i = 0; i < n; i++) {
        if (!strcmp(counter[i].name, name))
            *value = counter[i].value;
    }
}

void account_print_proc(struct memory *m)
{
    const struct nodes *n = &m->nodes;
    const struct account *a = memory_account(m);
    uint64_t hits = a->allocations, misses = a->probes, pages = 0;
    for (unsigned k = 0; k <= MAX_ORDER; k++) {
        for (uint32_t c = 0; c < m->color.colors; c++)
            pages += (uint64_t)a->got[k][c] << k;
    }
    ask_policy(m, "hits", &hits);
    ask_policy(m, "misses", &misses);
    say("# colors: %u\n# hits: %llu\n# misses: %llu\n# pages allocated: %llu\n", m->color.colors,
        (unsigned long long)hits, (unsigned long long)misses, (unsigned long long)pages);
    for (unsigned k = 0; k <= MAX_ORDER; k++) {
        for (uint32_t class = 0; class < m->list_color.classes[k]; class ++) {
            if (class % PER_LINE == 0)
                say(class ? "\n#    " : "# %2u:", k);
            uint32_t blocks = 0;
            for (unsigned node = 0; node < n->count; node++)
                blocks += n->lists[node].order[k].list[class].count;
            say(" %u", blocks);
        }
        say("\n");
    }
}
