/* Probing colours by timing. Contract in probe.h. */
#include "lab/probe.h"

#include "core/errno.h"
#include "core/kprintf.h"
#include "core/rng.h"
#include "core/watchdog.h"
#include "lab/eviction.h"
#include "lab/linear.h"
#include "lab/options.h"
#include "lab/record_float.h"
#include "lab/say.h"
#include "perf/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_PROBE = 1004, STREAM_LINEAR = 1005 };

#define TRIES  15  /* of a time: the median counts */
#define CHECKS 512 /* questions about the finished grouping */

/* Contradictions among them: one in so many is noise, more are an error. */
#define WRONG_ONE_IN 20

/* Ten-thousandths of pairs from which on two partitions are the same but for noise. */
#define AGREES 9900

/* A sweep of so many times the lines that a cache has at one offset leaves nothing of it. */
#define SWEEP 4

/* From one question's offset to the next one's: 9 lines of 64 bytes, so that all come round. */
#define OFFSET_STEP 576

#define PROGRESS_FRAMES (8 * 1024)

/* Replacement is not always by age: what is to be thrown out has to see the others twice. */
#define ROUNDS 2

struct probe {
    struct eviction e;
    uint64_t near, far; /* cycles of a load that hits, and of one behind a sweep */
    uint64_t limit;     /* more is a miss */
    uint64_t questions; /* so far */
    uint32_t checked, wrong;
    void *scratch;
    pfn_t *frame;
};

static color_t *tables[LEVELS_MAX];
static unsigned table_count;

/* ---- times -------------------------------------------------------------------------------------
 */

/*
 * A question is about lines at one offset of their pages, and the next one about another: the
 * kernel's own words, which are read all the time, share a set with some lines at one offset, and
 * with none of these frames at most others. Two frames that meet at one offset meet at all, unless
 * the index is no linear function.
 */
static size_t offset_of(const struct probe *p)
{
    return p->questions * OFFSET_STEP % PAGE_SIZE;
}

static const volatile uint64_t *line_at(const struct probe *p, uint32_t i, size_t offset)
{
    const char *page = arch_phys_to_virt(pfn_to_phys(p->frame[i]));
    return (const volatile uint64_t *)(page + offset);
}

/* The page's translation first, by a line far from it, or its miss would be timed as well. */
static uint64_t load_cycles(const struct probe *p, uint32_t i, size_t offset)
{
    const volatile uint64_t *line = line_at(p, i, offset);
    (void)*line_at(p, i, offset ^ PAGE_SIZE / 2);
    uint64_t start = clock_read();
    (void)*line;
    return clock_read() - start;
}

static bool evicts(void *arg, const uint32_t *set, uint32_t n, uint32_t victim)
{
    struct probe *p = arg;
    size_t offset = offset_of(p);
    (void)*line_at(p, victim, offset);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (uint32_t k = 0; k < n; k++)
            (void)*line_at(p, set[k], offset);
    p->questions++;
    return load_cycles(p, victim, offset) > p->limit;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Medians of a load just made, and of one behind a sweep of the cache. */
static void measure_times(struct probe *p)
{
    uint64_t near[TRIES], far[TRIES];
    uint64_t sweep = (uint64_t)p->e.colors * p->e.ways * SWEEP;
    for (unsigned t = 0; t < TRIES; t++) {
        uint32_t victim = (uint32_t)((uint64_t)p->e.frames * t / TRIES);
        size_t offset = offset_of(p);
        (void)*line_at(p, victim, offset);
        near[t] = load_cycles(p, victim, offset);
        for (uint32_t i = 0; i < p->e.frames && i < sweep; i++)
            if (i != victim)
                (void)*line_at(p, i, offset);
        far[t] = load_cycles(p, victim, offset);
        p->questions++;
    }
    qsort(near, TRIES, sizeof *near, ascending);
    qsort(far, TRIES, sizeof *far, ascending);
    p->near = near[TRIES / 2];
    p->far = far[TRIES / 2];
    /* Nearer to the far one: caches in between are much quicker than what is behind the last. */
    p->limit = p->near + (p->far - p->near) * 2 / 3;
}

/* ---- one cache ---------------------------------------------------------------------------------
 */

static void progress(void *arg, uint32_t done)
{
    const struct probe *p = arg;
    watchdog_kick();
    if (done && done % PROGRESS_FRAMES == 0)
        kprintf("# ... probe: %u of %u frames, %u colours\n", done, p->e.frames, p->e.found);
}

/* Half of them of a frame's own colour, half of another one. */
static void check_grouping(struct probe *p)
{
    struct rng rng = rng_stream(lab_options.seed, STREAM_PROBE);
    for (p->checked = 0; p->checked < CHECKS; p->checked++) {
        uint32_t i = rng_below(&rng, p->e.frames);
        color_t own = p->e.color[i], c = own;
        if (p->checked % 2 && p->e.found > 1)
            c = (own + 1 + rng_below(&rng, p->e.found - 1)) % p->e.found;
        p->wrong += eviction_member(&p->e, p->scratch, i, c) != (c == own);
    }
}

/* The number of lines that most colours took. */
static unsigned usual_lines(const struct eviction *e)
{
    unsigned best = 0;
    for (unsigned n = 1; n <= EVICTION_LINES_MAX; n++)
        if (e->lines[n] > e->lines[best])
            best = n;
    return best;
}

static void write_probe(const struct workload *w, const struct color_spec *s, const struct probe *p,
                        const struct eviction_agreement *a)
{
    bool agrees = a->right >= AGREES && a->known >= AGREES;
    struct record r;
    record_begin(&r, "experiment");
    record_str(&r, "exp", w->name);
    record_str(&r, "what", "probe");
    record_u64(&r, "cache_bytes", s->size_bytes);
    record_u64(&r, "ways", s->ways);
    record_u64(&r, "colors", p->e.found);
    record_u64(&r, "lines", usual_lines(&p->e));
    record_u64(&r, "frames", p->e.frames);
    record_u64(&r, "guessed", p->e.guessed);
    record_u64(&r, "reads", p->e.reads);
    record_u64(&r, "near_cycles", p->near);
    record_u64(&r, "far_cycles", p->far);
    record_u64(&r, "checked", p->checked);
    record_u64(&r, "wrong", p->wrong);
    record_f64(&r, "right", a->right / 100.0);
    record_f64(&r, "known", a->known / 100.0);
    record_str(&r, "verdict", agrees ? "agrees" : "differs");
    record_str(&r, "source", clock_info()->source);
    record_end(&r);
    say("# page_color=probe: %u colours in %u frames, %u lines throw one out (source %s; %u of %u "
        "checks\n"
        "# contradict). Address bits alone (%lu kB, %u ways): of pairs of frames that they give "
        "one\n"
        "# colour %.1f%% have one, of pairs that have one they know %.1f%%: the map %s.\n",
        p->e.found, p->e.frames, usual_lines(&p->e), clock_info()->source, p->wrong, p->checked,
        (unsigned long)(s->size_bytes >> 10), s->ways, a->right / 100.0, a->known / 100.0,
        agrees ? "agrees" : "differs");
}

/*
 * Masks that say what was found, where there are some and they agree: the same colours without
 * probing, from page_color=xor:.
 */
static void write_linear(const struct workload *w, const struct color_spec *s,
                         const struct probe *p)
{
    uint64_t mask[COLOR_BITS_MAX];
    char text[20 * COLOR_BITS_MAX];
    struct rng rng = rng_stream(lab_options.seed, STREAM_LINEAR);
    struct color_map map;
    size_t used = 0;
    unsigned n = linear_masks(p->frame, p->e.color, p->e.frames, p->e.found, &rng, mask);
    for (unsigned i = 0; i < n; i++) {
        mask[i] <<= PAGE_SHIFT;
        used += ksnprintf(text + used, sizeof text - used, "%s0x%lx", i ? "," : "",
                          (unsigned long)mask[i]);
    }
    if (!n || !color_map_xor(&map, mask, n) || map.colors > s->colors)
        return;
    struct eviction_agreement a = eviction_agree(&p->e, &map, p->scratch);
    if (a.right < AGREES || a.known < AGREES)
        return;
    struct record r;
    record_begin(&r, "experiment");
    record_str(&r, "exp", w->name);
    record_str(&r, "what", "linear");
    record_u64(&r, "cache_bytes", s->size_bytes);
    record_str(&r, "masks", text);
    record_f64(&r, "right", a.right / 100.0);
    record_f64(&r, "known", a.known / 100.0);
    record_end(&r);
    say("# The colours found are a linear function of the address, page_color=xor:%s\n", text);
}

static uint64_t span(const struct subject *subject)
{
    return subject->range[subject->range_count - 1].end.n - subject->range[0].start.n;
}

static int take_memory(struct probe *p, const struct subject *subject)
{
    uint32_t n = 0;
    color_t *table = malloc(span(subject) * sizeof *table);
    tables[table_count++] = table;
    p->frame = malloc(subject->pages * sizeof *p->frame);
    p->e.color = malloc(subject->pages * sizeof *p->e.color);
    p->scratch = malloc(eviction_bytes(&p->e));
    if (!table || !p->frame || !p->e.color || !p->scratch)
        return -TT_ENOMEM;
    for (unsigned i = 0; i < subject->range_count; i++)
        for (uint64_t at = subject->range[i].start.n; at < subject->range[i].end.n; at++)
            p->frame[n++] = pfn(at);
    p->e.frame = p->frame;
    return 0;
}

static int run_probe(struct probe *p, const struct workload *w, struct color_spec *s, char *err,
                     size_t err_bytes)
{
    struct color_map stated;
    measure_times(p);
    if (p->far * 2 < p->near * 3) {
        snprintf(
            err, err_bytes,
            "page_color=probe: a load takes %lu cycles, and %lu after %u frames were read: there "
            "is nothing to tell colours by",
            (unsigned long)p->near, (unsigned long)p->far, p->e.frames);
        return -1;
    }
    const char *why = eviction_group(&p->e, p->scratch);
    if (!why) {
        check_grouping(p);
        if (p->wrong > p->checked / WRONG_ONE_IN)
            why = "the machine contradicts itself too often: times are too uneven";
    }
    if (why) {
        snprintf(err, err_bytes, "page_color=probe: %s (%u colours found, %u of %u checks wrong)",
                 why, p->e.found, p->wrong, p->checked);
        return -1;
    }
    color_map_modulo(&stated, s->colors);
    struct eviction_agreement a = eviction_agree(&p->e, &stated, p->scratch);
    write_probe(w, s, p, &a);
    write_linear(w, s, p);
    s->colors = p->e.found;
    s->cache_colors[0] = s->colors;
    return 0;
}

static int probe_cache(const struct workload *w, struct color_spec *s,
                       const struct subject *subject, char *err, size_t err_bytes)
{
    struct probe p = {.e = {.evicts = evicts,
                            .progress = progress,
                            .frames = subject->pages,
                            .colors = s->colors,
                            .ways = s->ways}};
    int bad;
    p.e.arg = &p;
    if (take_memory(&p, subject)) {
        snprintf(err, err_bytes, "page_color=probe: no memory left for a table of %lu frames",
                 (unsigned long)span(subject));
        bad = -1;
    } else {
        bad = run_probe(&p, w, s, err, err_bytes);
    }
    if (!bad) {
        color_t *table = tables[table_count - 1];
        for (uint32_t i = 0; i < p.e.frames; i++)
            table[p.frame[i].n - subject->range[0].start.n] = p.e.color[i];
        s->table = table;
        s->table_start = subject->range[0].start;
    }
    free(p.frame);
    free(p.e.color);
    free(p.scratch);
    return bad;
}

/* ---- all levels --------------------------------------------------------------------------------
 */

static bool waits(const struct color_spec *s)
{
    return s->kind == COLOR_TABLE && !s->table;
}

int probe_levels(const struct workload *w, struct levels *levels, const struct subject *subject,
                 char *err, size_t err_bytes)
{
    for (unsigned i = 0; i < levels->count; i++) {
        struct color_spec *s = &levels->level[i].setup.color;
        if (!waits(s))
            continue;
        if (!strcmp(clock_info()->source, "emulation")) {
            snprintf(err, err_bytes,
                     "page_color=probe: an emulated machine without a cache model has no caches to "
                     "probe; valid here: KB[,WAYS], xor:MASK,..., off");
            return -1;
        }
        struct color_spec asked = *s;
        if (probe_cache(w, s, subject, err, err_bytes))
            return -1;
        for (unsigned k = i + 1; k < levels->count; k++) {
            struct color_spec *same = &levels->level[k].setup.color;
            if (waits(same) && same->size_bytes == asked.size_bytes && same->ways == asked.ways)
                *same = *s;
        }
    }
    return 0;
}

void probe_free(void)
{
    while (table_count)
        free(tables[--table_count]);
}
