/*
 * names: dentries found by parent and name, and inodes by file system and number, by all CPUs.
 *
 * Linux 2.2's d_lookup(), second and third in the post's profiles, and iget() as far as it finds an
 * inode, on caches filled as name_caches.h has it. Touched of a dentry on the way are its link and
 * its name's hash, of the one found also the rest of the name and the count; of inodes link,
 * number, file system, count. All under the kernel lock, as there. In the time are the lock, giving
 * the reference back, and the key: 32 bytes of kernel memory for each lookup. How keys are spread
 * is counted from the whole tables.
 */
#include "core/interleave.h"
#include "lab/axis.h"
#include "lab/team.h"
#include "work/name_caches.h"

#include <stdlib.h>

enum { DENTRY, INODE, PROBES, INODE_PROBES, USED, INODE_USED, LONGEST, INODE_LONGEST, TRANSFERS };

static const struct metric metrics[] = {
    [DENTRY] = {"dentry", "ns", BETTER_LOWER, METRIC_TIME},
    [INODE] = {"inode", "ns", BETTER_LOWER, METRIC_TIME, .plain = true},
    [PROBES] = {"probes", "per hit", BETTER_LOWER, METRIC_COUNT},
    [INODE_PROBES] = {"inode_probes", "per hit", BETTER_LOWER, METRIC_COUNT},
    [USED] = {"used", "%", BETTER_HIGHER, METRIC_COUNT},
    [INODE_USED] = {"inode_used", "%", BETTER_HIGHER, METRIC_COUNT},
    [LONGEST] = {"longest", "dentries", BETTER_LOWER, METRIC_COUNT},
    [INODE_LONGEST] = {"inode_longest", "inodes", BETTER_LOWER, METRIC_COUNT},
    [TRANSFERS] = {"transfers", "per dentry", BETTER_LOWER, METRIC_EVENTS, "model"},
};

REGISTER_AXIS(names, "names", 1, 1000000, AXIS_NUMBERS, "N[,N...]", "names in their caches", 4000);

#define LOOKUPS     4096u /* of each CPU in a pass */
#define STREAM_KEYS 0x6b65796eu

static struct name_caches cached;

/* 2.2's kernel lock, on a line of its own. */
static struct {
    struct lock lock;
} __attribute__((aligned(LINE_BYTES))) kernel;

struct key {
    struct name name;
    uint32_t parent, sb, ino;
};

static struct reader {
    struct key *key;                /* LOOKUPS */
    uint64_t sum, dentries, inodes; /* of the numbers found, and as they should be */
    unsigned passes;
    bool inode; /* look up inodes */
} __attribute__((aligned(LINE_BYTES))) readers[CPU_MAX];

static void look_up(unsigned member, void *arg)
{
    struct reader *r = &readers[member];
    (void)arg;
    for (unsigned pass = 0; pass < r->passes; pass++) {
        for (uint32_t i = 0; i < LOOKUPS; i++) {
            const struct key *k = &r->key[i];
            lock_take(&kernel.lock);
            uint32_t nr = r->inode ? inode_find(&cached.inodes, k->sb, k->ino)
                                   : dentry_find(&cached.dentries, k->parent, &k->name);
            if (nr != TABLE_NONE && r->inode)
                inode_at(&cached.inodes, nr)->count--;
            else if (nr != TABLE_NONE)
                dentry_at(&cached.dentries, nr)->count--;
            lock_drop(&kernel.lock);
            r->sum += nr;
            interleave_step();
        }
    }
}

static void draw_keys(struct sample *s, unsigned member, unsigned point)
{
    struct reader *r = &readers[member];
    struct rng rng = rng_stream(lab_seed(s), STREAM_KEYS + CPU_MAX * point + member);
    r->dentries = r->inodes = 0;
    for (uint32_t i = 0; i < LOOKUPS; i++) {
        const struct named *at = &cached.named[rng_below(&rng, cached.count)];
        r->key[i] = (struct key){at->name, at->parent, at->sb, at->ino};
        r->dentries += at->dentry;
        r->inodes += at->inode;
    }
}

static int run_team(struct sample *s, unsigned n, bool inode, unsigned passes,
                    struct lab_team_interval *t)
{
    for (unsigned cpu = 0; cpu < n; cpu++) {
        readers[cpu].sum = 0;
        readers[cpu].passes = passes;
        readers[cpu].inode = inode;
    }
    if (lab_team(s, n, look_up, NULL, t))
        return -1;
    for (unsigned cpu = 0; cpu < n; cpu++) {
        const struct reader *r = &readers[cpu];
        if (r->sum != (inode ? r->inodes : r->dentries) * passes)
            return lab_fail(s, "CPU %u found other names than are cached", cpu);
    }
    return 0;
}

/* ---- a sample ---------------------------------------------------------------------------------
 */

static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    (void)scale;
    return axis_points(&names_axis, x);
}

/* Twice what the objects need, of which half is free, and a third more. */
static uint64_t subject_bytes(const struct lab_scale *scale)
{
    (void)scale;
    return max_u64(axis_largest(&names_axis) * (DENTRY_STRIDE + INODE_BYTES) * 8 / 3, 16ul << 20);
}

static void count_shape(struct sample *s, unsigned point, const struct table *t, unsigned probes)
{
    struct table_shape shape = table_shape(t);
    lab_value(s, point, probes, (double)shape.probes / t->count, false);
    lab_value(s, point, probes + (USED - PROBES), 100 * shape.used / (double)(1u << t->bits),
              false);
    lab_value(s, point, probes + (LONGEST - PROBES), shape.longest, false);
}

static int measure(struct sample *s, unsigned point)
{
    unsigned n = lab_cpus(s), passes = lab_passes(s);
    uint64_t all = (uint64_t)n * LOOKUPS * passes;
    struct lab_team_interval t;
    for (unsigned inode = 0; inode < 2; inode++) {
        /* The first time fills the processors' caches. */
        if (run_team(s, n, inode, 1, &t) || run_team(s, n, inode, passes, &t))
            return -1;
        lab_team_measured(s, point, inode ? INODE : DENTRY, &t, all);
        if (!inode)
            lab_model_value(s, point, TRANSFERS, (double)t.lines.transfers / (double)all);
    }
    count_shape(s, point, &cached.dentries.table, PROBES);
    count_shape(s, point, &cached.inodes.table, INODE_PROBES);
    const char *broken = name_caches_check(&cached);
    return broken ? lab_fail(s, "%s", broken) : 0;
}

static int run_points(struct sample *s)
{
    int bad = 0;
    for (unsigned point = 0; point < lab_points(s) && !bad; point++) {
        /* Anew, in further pages: what was there is only memory in use. */
        const char *why =
            name_caches_init(&cached, lab_memory(s), (uint32_t)lab_x(s, point), lab_seed(s));
        for (unsigned cpu = 0; cpu < lab_cpus(s) && !why; cpu++)
            draw_keys(s, cpu, point);
        bad = why ? lab_fail(s, "%s", why) : measure(s, point);
        name_caches_free(&cached);
    }
    return bad;
}

static int run(struct sample *s)
{
    unsigned n = lab_cpus(s);
    bool room = true;
    for (unsigned cpu = 0; cpu < n; cpu++) {
        readers[cpu].key = malloc(LOOKUPS * sizeof *readers[cpu].key);
        room &= readers[cpu].key != NULL;
    }
    kernel.lock = LOCK_INIT("kernel");
    int bad = room ? run_points(s) : lab_fail(s, "no memory left for keys");
    for (unsigned cpu = 0; cpu < n; cpu++)
        free(readers[cpu].key);
    return bad;
}

REGISTER(workload, names) = {
    .name = "names",
    .what = "dentries and inodes found in their caches by all CPUs, by hash=",
    .source = "seed 003: d_lookup in its profiles; Linux 2.2; Lever 2000",
    .axis = "names",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .team = true,
    .points = points,
    .subject_bytes = subject_bytes,
    .tables_bytes = name_caches_tables,
    .run = run,
};
