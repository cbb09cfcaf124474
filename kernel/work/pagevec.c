/*
 * pagevec: pages added to the LRU lists by all CPUs, through a pagevec of each CPU.
 *
 * What Linux 2.6 did for every page that was read or faulted in: take a reference, append the page
 * to the CPU's pagevec; when that is full, put its pages on the inactive list under the one lock of
 * the zone, and drop the references. Fields touched: count, flags, next and prev (lru) of the page,
 * and of the page that was newest. The lock's share is the time from asking for the lock to having
 * the list's work done, in percent of the CPUs' time.
 */
#include "core/interleave.h"
#include "lab/team.h"
#include "mm/lru.h"
#include "mm/own.h"
#include "perf/clock.h"
#include "work/take_page.h"

#include <stdlib.h>

enum { ADD, ADDED, LOCK_SHARE, TRANSFERS, LRU_TRANSFERS };

static const struct metric metrics[] = {
    [ADD] = {"page", "ns", BETTER_LOWER, METRIC_TIME},
    [ADDED] = {"added", "Mpages/s", BETTER_HIGHER, METRIC_RATE, .plain = true},
    [LOCK_SHARE] = {"lock_share", "%", BETTER_LOWER, METRIC_EVENTS, NULL},
    [TRANSFERS] = {"transfers", "per page", BETTER_LOWER, METRIC_EVENTS, "model"},
    [LRU_TRANSFERS] = {"lru_transfers", "per page", BETTER_LOWER, METRIC_EVENTS, "model"},
};

#define PAGES_PER_CPU 1024 /* in a pass; of 4K: 4 MiB, some dozens of the largest pagevecs */

/* One CPU's: its pagevec, and the pages that it will add. */
struct adder {
    uint8_t memory[PAGEVEC_OFFSET_MAX + PAGEVEC_BYTES_MAX] __attribute__((aligned(128)));
    struct pagevec vec __attribute__((aligned(128)));
    const uint32_t *page;
    uint64_t locked; /* clock ticks in flush */
} __attribute__((aligned(256)));

static struct adder *adders; /* CPU_MAX, of own memory as the lists are */
static struct nodes *nodes;

static void flush(struct adder *a)
{
    uint64_t start = clock_read();
    lru_add(nodes->lru, LRU_INACTIVE, &a->vec);
    a->locked += clock_read() - start;
}

static void add(unsigned member, void *arg)
{
    struct adder *a = &adders[member];
    struct pages *pages = arg;
    uint8_t count = pages->shape->count;
    for (unsigned i = 0; i < PAGES_PER_CPU; i++) {
        uint32_t page = a->page[i];
        fetch_add(page_field(pages, page, count), 1);
        if (!pagevec_add(&a->vec, page))
            flush(a);
        interleave_step();
    }
    flush(a); /* what is left */
}

static uint64_t subject_bytes(const struct lab_scale *scale)
{
    (void)scale;
    uint64_t bytes = 4ul * cpus_running() * PAGES_PER_CPU << PAGE_SHIFT; /* half of it is aged */
    return max_u64(bytes, 32ul << 20);
}

static uint32_t *take_pages(struct sample *s, uint32_t n)
{
    uint32_t *page = malloc(n * sizeof *page);
    for (uint32_t i = 0; page && i < n; i++) {
        page[i] = take_page(lab_memory(s), i);
        if (page[i] == PAGE_NR_NONE) {
            free(page);
            return NULL;
        }
    }
    return page;
}

static int check_result(struct sample *s, uint32_t pages)
{
    uint32_t on_lists = 0;
    for (unsigned i = 0; i < nodes->count; i++) {
        struct lru *lru = &nodes->lru[i];
        const char *broken = lru_check(lru);
        if (broken)
            return lab_fail(s, "%s", broken);
        on_lists += lru->list[LRU_INACTIVE].count;
        /* Also makes room for the next pass. */
        for (uint32_t p; (p = lru_take_oldest(lru, LRU_INACTIVE)) != PAGE_NR_NONE;) {
            if (*page_field(lru->pages, p, lru->pages->shape->count))
                return lab_fail(s, "page %u keeps a reference", (unsigned)p);
        }
    }
    if (on_lists != pages)
        return lab_fail(s, "%u pages are on the lists, %u were added", (unsigned)on_lists,
                        (unsigned)pages);
    return 0;
}

/* All passes: in each every CPU adds its pages, then they are checked and taken off again. */
static int measure(struct sample *s, unsigned n)
{
    struct pages *pages = &lab_memory(s)->pages;
    uint64_t all = (uint64_t)n * PAGES_PER_CPU * lab_passes(s), locked = 0, moved = 0;
    struct lab_team_interval sum = {.i = {0}}, t;
    model_name_range(0, "lru", nodes->lru, nodes->count * sizeof nodes->lru[0]);
    for (unsigned pass = 0; pass < lab_passes(s); pass++) {
        uint64_t before = model_range_events(0).transfers;
        if (lab_team(s, n, add, pages, &t))
            return -1;
        moved += model_range_events(0).transfers - before;
        lab_team_add(&sum, &t);
        if (check_result(s, n * PAGES_PER_CPU))
            return -1;
    }
    for (unsigned cpu = 0; cpu < n; cpu++)
        locked += adders[cpu].locked;
    lab_team_measured(s, 0, ADD, &sum, all);
    lab_team_measured(s, 0, ADDED, &sum, all);
    if (sum.i.clock)
        lab_value(s, 0, LOCK_SHARE, 100.0 * (double)locked / ((double)sum.i.clock * n), false);
    lab_model_value(s, 0, TRANSFERS, (double)sum.lines.transfers / (double)all);
    lab_model_value(s, 0, LRU_TRANSFERS, (double)moved / (double)all);
    return 0;
}

static int run(struct sample *s)
{
    struct memory *m = lab_memory(s);
    unsigned n = lab_cpus(s);
    if (!adders)
        adders = own_array(CPU_MAX * sizeof *adders);
    if (!adders)
        return lab_fail(s, "no memory left for pagevecs");
    uint32_t *page = take_pages(s, n * PAGES_PER_CPU);
    if (!page)
        return lab_fail(s, "no memory left for %u pages", n * PAGES_PER_CPU);
    nodes = &m->nodes;
    for (uint32_t i = 0; i < n * PAGES_PER_CPU; i++)
        *page_field(&m->pages, page[i], m->pages.shape->count) = 0;
    for (unsigned cpu = 0; cpu < n; cpu++) {
        struct adder *a = &adders[cpu];
        pagevec_init(&a->vec, &m->setup->smp.pagevec, n, a->memory);
        a->page = page + cpu * PAGES_PER_CPU;
        a->locked = 0;
    }
    int bad = measure(s, n);
    free(page);
    return bad;
}

REGISTER(workload, pagevec) = {
    .name = "pagevec",
    .what = "pages added to the LRU lists by all CPUs, by capacity and header of pagevecs",
    .source = "seed 004",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .team = true,
    .subject_bytes = subject_bytes,
    .run = run,
};
