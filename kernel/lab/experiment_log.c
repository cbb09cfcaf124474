/* Experiment records. Contract in experiment_log.h, members in HACKING.md. */
#include "lab/experiment_log.h"

#include "arch.h"
#include "core/kprintf.h"
#include "core/record.h"
#include "lab/bundle.h"
#include "lab/descriptors.h"
#include "lab/options.h"
#include "lab/results.h"
#include "mm/own.h"

#include <string.h>

static void write_level(const struct workload *w, const struct level *l, unsigned i)
{
    struct record r;
    record_begin(&r, "experiment");
    record_str(&r, "exp", w->name);
    record_str(&r, "what", "level");
    record_u64(&r, "level", i);
    record_str(&r, "name", l->name);
    record_u64(&r, "colors", l->setup.color.colors);
    record_u64(&r, "cache_bytes", l->setup.color.size_bytes);
    record_u64(&r, "ways", l->setup.color.ways);
    record_str(&r, "color_source", l->setup.color.source);
    if (l->setup.pcp.batch) {
        record_u64(&r, "pcp_batch", l->setup.pcp.batch);
        record_u64(&r, "pcp_high", l->setup.pcp.high);
    }
    if (l->setup.cache.tables_bytes)
        record_u64(&r, "tables_bytes", l->setup.cache.tables_bytes);
    record_end(&r);
}

#define TEXT_PART 300 /* of a level's text in one record */

/* The whole of a level's text that names only have a label for; of a bundle's level the meaning. */
static void write_text(const struct workload *w, const struct factor *f, const char *text)
{
    static char meaning[BUNDLE_MEANING_BYTES];
    char label[LEVEL_LABEL_BYTES], part[TEXT_PART + 1];
    if (!factor_label(f, text, label))
        return;
    if (f->bundle) {
        bundle_meaning(text, meaning);
        kprintf("# levels=%s: %s\n", label, meaning);
        text = meaning;
    }
    size_t parts = (strlen(text) + TEXT_PART - 1) / TEXT_PART;
    for (size_t i = 0; i < parts; i++) {
        struct record r;
        ksnprintf(part, sizeof part, "%s", text + i * TEXT_PART);
        record_begin(&r, "experiment");
        record_str(&r, "exp", w->name);
        record_str(&r, "what", "label");
        record_str(&r, "factor", f->name);
        record_str(&r, "label", label);
        record_u64(&r, "part", i);
        record_u64(&r, "parts", parts);
        record_str(&r, "text", part);
        record_end(&r);
    }
}

static void write_texts(const struct workload *w)
{
    for_each_registered (factor, f) {
        if (!factor_applies(f, w->name))
            continue;
        for (unsigned i = 0; i < factor_count(f); i++)
            write_text(w, f, factor_text(f, i));
    }
}

static void write_metric(const struct workload *w, const struct metric *m)
{
    static const char *const better[] = {"higher", "lower", "none"};
    struct record r;
    record_begin(&r, "experiment");
    record_str(&r, "exp", w->name);
    record_str(&r, "what", "metric");
    record_str(&r, "metric", m->name);
    record_str(&r, "unit", metric_unit(m));
    record_str(&r, "better", better[m->better]);
    record_str(&r, "source", metric_source(m));
    record_end(&r);
}

/* Are the descriptors, too, in the colours of own_colors=? Page by page, as the tables say. */
static bool area_in_own_colors(const struct subject *subject)
{
    const char *at = subject->area, *end = at + subject->area_bytes;
    for (; at < end; at += PAGE_SIZE) {
        if (!own_color_allowed_naive(arch_space_lookup(NULL, (uintptr_t)at, NULL)))
            return false;
    }
    return true;
}

/* The subject's frames by node, where the machine has several. */
static void write_node_pages(struct record *r, const struct subject *subject)
{
    const struct numa *numa = subject->topology.numa;
    uint64_t pages[NUMA_NODES] = {0};
    if (numa->nodes == 1)
        return;
    for (unsigned i = 0; i < subject->range_count; i++) {
        struct pfn_range left = subject->range[i];
        while (pfn_range_pages(left)) {
            unsigned node;
            struct pfn_range piece = numa_first(numa, left, &node);
            pages[node] += pfn_range_pages(piece);
            left.start = piece.end;
        }
    }
    record_array(r, "subject_nodes");
    for (unsigned i = 0; i < numa->nodes; i++)
        record_u64(r, NULL, pages[i]);
    record_array_end(r);
}

/* Where a level's descriptors lie, where the machine has several nodes. */
static void write_descriptors(const struct workload *w, const struct level *l,
                              const struct subject *subject)
{
    struct descriptors_found found;
    struct record r;
    descriptors_find(subject, &l->setup, &found);
    record_begin(&r, "experiment");
    record_str(&r, "exp", w->name);
    record_str(&r, "what", "descriptors");
    record_str(&r, "level", l->name);
    record_array(&r, "nodes");
    for (unsigned i = 0; i < subject->topology.numa->nodes; i++)
        record_u64(&r, NULL, found.pages[i]);
    record_array_end(&r);
    record_u64(&r, "away", found.away);
    record_end(&r);
}

void experiment_write_plan(const struct results *res, const struct subject *subject)
{
    const struct workload *w = res->work;
    const struct levels *levels = res->levels;
    struct record r;
    record_begin(&r, "experiment");
    record_str(&r, "exp", w->name);
    record_str(&r, "what", "plan");
    if (w->axis)
        record_str(&r, "axis", w->axis);
    record_u64(&r, "levels", levels->count);
    record_u64(&r, "reps", lab_options.reps);
    record_u64(&r, "warmup", lab_options.warmup);
    record_u64(&r, "passes", lab_options.passes);
    record_u64(&r, "seed", lab_options.seed);
    record_u64(&r, "subject_pages", subject->pages);
    record_u64(&r, "subject_ranges", subject->range_count);
    write_node_pages(&r, subject);
    if (own_colors().given)
        record_str(&r, "descriptors", area_in_own_colors(subject) ? "own colors" : "any color");
    record_str(&r, "design", "randomized complete blocks");
    record_str(&r, "fixed", levels->fixed);
    record_end(&r);
    write_texts(w);
    for (unsigned i = 0; i < levels->count; i++)
        write_level(w, &levels->level[i], i);
    for (unsigned i = 0; i < levels->count && subject->topology.numa->nodes > 1; i++)
        write_descriptors(w, &levels->level[i], subject);
    for (unsigned i = 0; i < res->metrics; i++)
        write_metric(w, &res->metric[i]);
}

void experiment_progress(const struct workload *w, unsigned block, bool record)
{
    kprintf("# ... %s: %s %u of %u\n", w->name, record ? "block" : "warm-up", block + 1,
            record ? lab_options.reps : lab_options.warmup);
}
