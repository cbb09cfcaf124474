/* Descriptors by node. Contract in descriptors.h. */
#include "lab/descriptors.h"

#include "arch.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "mm/own.h"

#include <string.h>

_Static_assert(SUBJECT_PLACES >= LEVELS_MAX, "a place for each level's layout");

/* ---- nodes by number of a descriptor ----------------------------------------------------------
 */

/* Goes through the frames of a subject, upwards. */
struct walk {
    const struct subject *on;
    unsigned next;         /* range to go on with */
    struct pfn_range left; /* of the present one */
    uint64_t end;          /* number behind the present piece, which is one node's */
    unsigned node;
};

static unsigned node_of(struct walk *w, uint64_t nr)
{
    while (nr >= w->end) {
        if (!pfn_range_pages(w->left))
            w->left = w->on->range[w->next++];
        struct pfn_range piece = numa_first(w->on->topology.numa, w->left, &w->node);
        w->end += pfn_range_pages(piece);
        w->left.start = piece.end;
    }
    return w->node;
}

/* The first descriptor that begins at or behind a byte of the array. */
static uint64_t number_at(const struct setup *s, uint64_t byte)
{
    const struct page_layout *l = &s->layout;
    return byte > l->offset_bytes ? (byte - l->offset_bytes + l->stride_bytes - 1) / l->stride_bytes
                                  : 0;
}

static uint64_t array_pages(const struct setup *s, uint64_t frames)
{
    return (pages_bytes(&s->layout, frames) + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

/* The node that page i of the array should lie on: that of the descriptor over its middle. */
static unsigned wanted_node(struct walk *w, const struct setup *s, uint64_t i)
{
    uint64_t nr = number_at(s, (i << PAGE_SHIFT) + PAGE_SIZE / 2 + 1);
    return node_of(w, min_u64(nr ? nr - 1 : 0, w->on->pages - 1));
}

/* ---- how much ---------------------------------------------------------------------------------
 */

/* Pages that are shared at the ends of nodes, or that a layout needs more of than a larger one. */
static uint64_t slack(const struct topology *t)
{
    return 2 * t->numa->ranges + 2;
}

uint64_t descriptors_pages(const struct levels *levels, const struct topology *t, uint64_t frames)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < levels->count; i++)
        if (memory_by_node(&levels->level[i].setup, t))
            most = max_u64(most, array_pages(&levels->level[i].setup, frames));
    return most ? most + t->numa->nodes * (slack(t) + 1) : 0;
}

uint64_t descriptors_fit(const struct levels *levels, const struct topology *t, uint64_t pages)
{
    uint64_t stride = 0;
    for (unsigned i = 0; i < levels->count; i++)
        if (memory_by_node(&levels->level[i].setup, t))
            stride = max_u64(stride, levels->level[i].setup.layout.stride_bytes);
    if (!stride)
        return pages;
    return (pages - min_u64(pages, slack(t))) * PAGE_SIZE / (PAGE_SIZE + stride);
}

/* ---- placing ----------------------------------------------------------------------------------
 */

#define STORE_PIECES 16 /* what is left of a node beside the subject is one piece or few */

/* Frames for the descriptors of one node. */
struct store {
    uint64_t pages; /* that some layout needs */
    unsigned pieces;
    struct pfn_range piece[STORE_PIECES];
};

/* Takes frames of a node; returns how many are still missing. */
static uint64_t take(struct store *s, struct memmap *rest, const struct numa *numa, unsigned node,
                     uint64_t pages)
{
    while (pages && s->pieces < STORE_PIECES) {
        struct pfn_range r = numa_largest(numa, rest, node);
        r.end = pfn(min_u64(r.end.n, r.start.n + pages));
        if (!pfn_range_pages(r) || memmap_set(rest, r, MEMMAP_KERNEL))
            break;
        s->piece[s->pieces++] = r;
        pages -= pfn_range_pages(r);
    }
    return pages;
}

static void need(struct store *store, const struct subject *on, const struct setup *s)
{
    struct walk w = {.on = on};
    uint64_t pages[NUMA_NODES] = {0};
    for (uint64_t i = 0; i < array_pages(s, on->pages); i++)
        pages[wanted_node(&w, s, i)]++;
    for (unsigned node = 0; node < NUMA_NODES; node++)
        store[node].pages = max_u64(store[node].pages, pages[node]);
}

/* Memory of each node, and where it has none left, of another one. */
static int fill(struct store *store, struct memmap *rest, const struct numa *numa)
{
    for (unsigned node = 0; node < numa->nodes; node++) {
        uint64_t missing = take(&store[node], rest, numa, node, store[node].pages);
        if (take(&store[node], rest, numa, NUMA_ANY, missing))
            return -TT_ENOMEM;
    }
    return 0;
}

/* The frames behind one layout, page by page. */
struct layout {
    const struct setup *setup;
    struct walk walk;
    uint64_t page;
    const struct store *store;
    uint64_t used[NUMA_NODES];
};

static pfn_t frame_by_node(void *arg)
{
    struct layout *l = arg;
    unsigned node = wanted_node(&l->walk, l->setup, l->page++);
    uint64_t nth = l->used[node]++;
    const struct pfn_range *r = l->store[node].piece;
    for (; nth >= pfn_range_pages(*r); r++)
        nth -= pfn_range_pages(*r);
    return pfn(r->start.n + nth);
}

static pfn_t frame_of_area(void *arg)
{
    struct layout *l = arg;
    return pfn(phys_to_pfn(arch_virt_to_phys(l->walk.on->area)).n + l->page++);
}

static int add_place(struct subject *on, const struct store *store, const struct setup *s)
{
    struct layout l = {.setup = s, .walk = {.on = on}, .store = store};
    struct descriptor_place p = {s->layout.stride_bytes, s->layout.offset_bytes,
                                 memory_by_node(s, &on->topology), NULL};
    if (memory_place(s, on))
        return 0;
    p.at = own_map_frames(array_pages(s, on->pages), p.by_node ? frame_by_node : frame_of_area, &l);
    if (!p.at)
        return -TT_ENOMEM;
    on->place[on->places++] = p;
    return 0;
}

int descriptors_place(struct subject *on, struct memmap *rest, const struct levels *levels,
                      char *err, size_t err_bytes)
{
    static struct store store[NUMA_NODES];
    memset(store, 0, sizeof store);
    for (unsigned i = 0; i < levels->count; i++)
        if (memory_by_node(&levels->level[i].setup, &on->topology))
            need(store, on, &levels->level[i].setup);
    int bad = fill(store, rest, on->topology.numa);
    for (unsigned i = 0; i < levels->count && !bad; i++)
        bad = add_place(on, store, &levels->level[i].setup);
    if (bad)
        ksnprintf(err, err_bytes,
                  "subject: no room for descriptors on the nodes of %lu pages: valid: a smaller "
                  "subject=, or numa=off",
                  (unsigned long)on->pages);
    return bad;
}

/* ---- finding ----------------------------------------------------------------------------------
 */

void descriptors_find(const struct subject *on, const struct setup *s,
                      struct descriptors_found *out)
{
    const struct numa *numa = on->topology.numa;
    const char *at = memory_descriptors(s, on);
    struct walk w = {.on = on};
    *out = (struct descriptors_found){0};
    for (uint64_t i = 0; i < array_pages(s, on->pages); i++, at += PAGE_SIZE) {
        unsigned node =
            numa_node_of(numa, phys_to_pfn(arch_space_lookup(NULL, (uintptr_t)at, NULL)));
        uint64_t nr = number_at(s, i << PAGE_SHIFT);
        uint64_t end = min_u64(number_at(s, (i + 1) << PAGE_SHIFT), on->pages);
        out->pages[node]++;
        while (nr < end) {
            bool away = node_of(&w, nr) != node;
            uint64_t piece = min_u64(end, w.end);
            out->away += away ? piece - nr : 0;
            nr = piece;
        }
    }
}
