/*
 * txpage: pages sent by one CPU and completed by another, as seed 001's TCP transmit.
 *
 * CPU A allocates pages, takes references, and queues them on a device's ring; the device's
 * interrupt comes on CPU B (tx_irq=other) or on A itself (same), which drops the references and
 * frees the pages. Each CPU has its own page lists (pcp=16:64 unless given). Of a
 * page's descriptor exactly what that path touches is touched:
 *   A  next (off the page list), count = 1, flags (highmem, for the mapping), virtual where the
 *      shape has it (page_address), count + 1 (the fragment's) and count - 1 (the sender's)
 *   B  flags (compound), count - 1, then flags and mapping (a page that may not be freed), next
 *      (onto the page list)
 * With 56-byte descriptors three of four lie in two 64-byte lines, so more lines go from A to B
 * and back. CPUs work in pairs; with an odd number the last one does nothing.
 */
#include "core/handover.h"
#include "core/interleave.h"
#include "irq/irq.h"
#include "lab/factor.h"
#include "lab/team.h"
#include "mm/own.h"

#include <stdlib.h>

enum { PAGE, PACKETS, TRANSFERS, DESC_TRANSFERS };

static const struct metric metrics[] = {
    [PAGE] = {"page", "ns", BETTER_LOWER, METRIC_TIME},
    [PACKETS] = {"packets", "million/s", BETTER_HIGHER, METRIC_RATE, .plain = true},
    [TRANSFERS] = {"transfers", "per page", BETTER_LOWER, METRIC_EVENTS, "model"},
    [DESC_TRANSFERS] = {"desc_transfers", "per page", BETTER_LOWER, METRIC_EVENTS, "model"},
};

static const char *const completions[] = {"other", "same", NULL};
enum { OTHER, SAME };
REGISTER_CHOICE(tx_irq, "txpage", "other", "other|same[,...]",
                "which CPU completes what was sent: another one, or the sender", completions);

static const char *const depths[] = {"16", "64", "256", NULL};
REGISTER_CHOICE(tx_ring, "txpage", "64", "16|64|256[,...]", "entries of the device's ring", depths);

#define PAIRS_MAX     4
#define RING_MAX      256
#define PAGES_PER_CPU 4096        /* sent in one pass */
#define POLLS         100000000ul /* of a wait for the other CPU: seconds */

/* Words that A and B write lie apart; entries are A's until the head passes them. */
struct ring {
    uint32_t head __attribute__((aligned(LINE_BYTES))); /* A's */
    uint32_t tail __attribute__((aligned(LINE_BYTES))); /* B's */
    uint32_t entry[RING_MAX] __attribute__((aligned(LINE_BYTES)));
};

static struct ring *rings; /* PAIRS_MAX, of own memory */

static struct {
    struct memory *memory;
    uint32_t depth;
    unsigned fragments; /* pages of a packet */
    uint32_t pages;     /* to be sent by each pair */
    bool same;
    uint32_t lost; /* a page that could not be had, or a partner that stopped */
} tx;

/* ---- completing, in interrupt context ---------------------------------------------------------
 */

NO_FP_CODE static void put_page(struct pages *pages, uint32_t nr)
{
    const struct page_shape *shape = pages->shape;
    (void)load_once(page_flag_word(pages, nr));
    if (fetch_add(page_field(pages, nr, shape->count), (uint32_t)-1) != 1)
        return;
    (void)load_once(page_flag_word(pages, nr));
    (void)load_once(page_field(pages, nr, shape->mapping));
    memory_free_shared(tx.memory, page_pfn(pages, nr), 0);
}

NO_FP_CODE static bool complete(unsigned irq, void *arg)
{
    struct ring *r = arg;
    uint32_t tail = load_once(&r->tail), head = load_acquire(&r->head);
    (void)irq;
    handover_acquire(&r->head);
    for (; tail != head; tail++)
        put_page(&tx.memory->pages, r->entry[tail % tx.depth]);
    handover_release(&r->tail);
    store_release(&r->tail, tail);
    return true; /* also without work: one message may announce what another one has completed */
}

/* ---- sending ----------------------------------------------------------------------------------
 */

static bool wait_for_room(struct ring *r, uint32_t head)
{
    for (unsigned long i = 0; i < POLLS; i++) {
        if (head - load_acquire(&r->tail) < tx.depth) {
            handover_acquire(&r->tail);
            return true;
        }
        arch_irq_window();
        interleave_wait();
    }
    return false;
}

/* Puts one page on the ring, not yet announced. */
static bool queue_page(struct ring *r, uint32_t head)
{
    struct pages *pages = &tx.memory->pages;
    const struct page_shape *shape = pages->shape;
    struct place_request q = {.va = ARCH_WINDOW + ((uintptr_t)head << PAGE_SHIFT), .pid = 1};
    pfn_t p = memory_alloc_shared(tx.memory, &q);
    const struct page_range *in = p.n == PFN_NONE.n ? NULL : pages_find_range(pages, p);
    if (!in)
        return false;
    uint32_t nr = (uint32_t)(p.n - in->start) + in->first;
    uint32_t *count = page_field(pages, nr, shape->count);
    store_once(count, 1);
    (void)load_once(page_flag_word(pages, nr));
    if (shape->virtual != PAGE_NO_FIELD)
        (void)load_once(page_field(pages, nr, shape->virtual));
    fetch_add(count, 1);
    r->entry[head % tx.depth] = nr;
    fetch_add(count, (uint32_t)-1);
    return true;
}

static void send(struct ring *r, unsigned irq, unsigned to)
{
    uint32_t head = load_once(&r->head), end = head + tx.pages;
    while (head != end) {
        for (unsigned i = 0; i < tx.fragments && head != end; i++, head++) {
            if (!wait_for_room(r, head) || !queue_page(r, head)) {
                store_once(&tx.lost, 1);
                return;
            }
        }
        handover_release(&r->head);
        store_release(&r->head, head);
        arch_irq_send(irq, to);
        if (tx.same)
            arch_irq_window();
        interleave_step();
    }
}

/* Until everything that will be sent is completed: on B the work is its handler's. */
static void wait_for_end(struct ring *r, uint32_t end)
{
    for (unsigned long i = 0; load_acquire(&r->tail) != end; i++) {
        if (i == POLLS || load_once(&tx.lost)) {
            store_once(&tx.lost, 1);
            return;
        }
        arch_irq_window();
        interleave_wait();
    }
    handover_acquire(&r->tail);
}

static void work(unsigned member, void *arg)
{
    struct ring *r = &rings[member / 2];
    unsigned first = member & ~1u;
    uint32_t end = *(uint32_t *)arg + tx.pages;
    if (member == first)
        send(r, (unsigned)arch_irq_of_ipi(member / 2), tx.same ? first : first + 1);
    wait_for_end(r, end);
}

/* ---- a sample ---------------------------------------------------------------------------------
 */

/* Pages of a packet: 4, 16 and 64 kB of payload with 4K pages. */
static unsigned points(const struct lab_scale *scale, uint64_t *x)
{
    (void)scale;
    x[0] = 1;
    x[1] = 4;
    x[2] = 16;
    return 3;
}

static uint64_t subject_bytes(const struct lab_scale *scale)
{
    (void)scale;
    return 64ul << 20;
}

static uint64_t packets(uint32_t pages)
{
    return (pages + tx.fragments - 1) / tx.fragments;
}

static int measure(struct sample *s, unsigned point, unsigned pairs)
{
    struct pages *pages = &lab_memory(s)->pages;
    uint32_t start = rings[0].head;
    uint64_t all = (uint64_t)pairs * tx.pages;
    struct lab_team_interval t;
    model_name_range(0, "descriptors", pages->base, pages->count * pages->stride);
    struct model_range_events before = model_range_events(0);
    if (lab_team(s, 2 * pairs, work, &start, &t))
        return -1;
    struct model_range_events after = model_range_events(0);
    if (tx.lost)
        return lab_fail(s, "a page could not be had, or the other CPU stopped");
    lab_team_measured(s, point, PAGE, &t, all);
    lab_team_measured(s, point, PACKETS, &t, pairs * packets(tx.pages));
    lab_model_value(s, point, TRANSFERS, (double)t.lines.transfers / (double)all);
    lab_model_value(s, point, DESC_TRANSFERS,
                    (double)(after.transfers - before.transfers) / (double)all);
    return 0;
}

static int run_points(struct sample *s, unsigned pairs)
{
    for (unsigned point = 0; point < lab_points(s); point++) {
        tx.fragments = (unsigned)lab_x(s, point);
        tx.pages = PAGES_PER_CPU; /* once for the page lists to settle */
        struct lab_team_interval warm;
        uint32_t start = rings[0].head;
        if (lab_team(s, 2 * pairs, work, &start, &warm))
            return -1;
        tx.pages = PAGES_PER_CPU * lab_passes(s);
        if (measure(s, point, pairs))
            return -1;
    }
    const char *broken = memory_check(tx.memory);
    return broken ? lab_fail(s, "%s", broken) : 0;
}

static int run(struct sample *s)
{
    struct memory *m = lab_memory(s);
    unsigned pairs = (unsigned)min_u64(lab_cpus(s) / 2, PAIRS_MAX);
    if (!pairs || arch_irq_of_ipi(pairs - 1) < 0)
        return lab_fail(s, pairs ? "this machine's CPUs cannot send each other interrupts"
                                 : "one CPU runs: there is no pair");
    if (!rings)
        rings = own_array(PAIRS_MAX * sizeof *rings);
    if (!rings)
        return lab_fail(s, "no memory left for rings");
    tx.memory = m;
    tx.depth = (uint32_t)strtoul(depths[lab_choice(s, &tx_ring_factor)], NULL, 10);
    tx.same = lab_choice(s, &tx_irq_factor) == SAME;
    tx.lost = 0;
    int bad = 0;
    for (unsigned i = 0; i < pairs; i++) {
        rings[i] = (struct ring){0};
        bad |= irq_request((unsigned)arch_irq_of_ipi(i), complete, &rings[i]);
    }
    bad = bad ? lab_fail(s, "an interrupt cannot be had") : run_points(s, pairs);
    for (unsigned i = 0; i < pairs; i++)
        irq_free((unsigned)arch_irq_of_ipi(i), complete, &rings[i]);
    return bad;
}

REGISTER(workload, txpage) = {
    .name = "txpage",
    .what = "pages sent by one CPU and freed by another one's interrupt, by page_struct=",
    .source = "seed 001: TCP transmit on a CPU other than the interrupt's",
    .axis = "pages of a packet",
    .metric = metrics,
    .metrics = ARRAY_SIZE(metrics),
    .team = true,
    .pcp = {.batch = 16, .high = 64}, /* about 2.6's */
    .points = points,
    .subject_bytes = subject_bytes,
    .run = run,
};
