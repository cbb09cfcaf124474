/* See mm_instance.h. */
#include "host.h"

#include "mm_instance.h"

#include <stdlib.h>
#include <string.h>

const struct pfn_range instance_ranges[4] = {
    {{5}, {703}},
    {{1024}, {1024 + 2048 + 301}},
    {{10000}, {10001}},
    {{0x400000 + 17}, {0x400000 + 17 + 560}},
};

struct setup instance_setup(const char *alloc, const char *empty, const char *page_color,
                            const char *age)
{
    char err[256] = "";
    struct setup s = {.policy = policy_named(alloc), .fallback = fallback_named(empty)};
    if (!s.policy || !s.fallback)
        fail_msg("no policy %s or no fallback %s", alloc, empty);
    if (color_spec_parse(page_color, NULL, 0, &s.color, err, sizeof err) ||
        age_parse(age, &s.age, err, sizeof err) ||
        page_layout_parse("2.6", &s.layout, err, sizeof err) || setup_check(&s, err, sizeof err))
        fail_msg("%s", err);
    return s;
}

void instance_build(struct instance *i, const struct setup *s, const struct pfn_range *ranges,
                    unsigned n, uint64_t seed)
{
    static const struct topology one;
    instance_build_on(i, s, &one, ranges, n, seed);
}

void instance_build_on(struct instance *i, const struct setup *s, const struct topology *t,
                       const struct pfn_range *ranges, unsigned n, uint64_t seed)
{
    memset(i, 0, sizeof *i);
    i->setup = *s;
    i->subject.topology = *t;
    i->subject.range_count = n;
    for (unsigned k = 0; k < n; k++) {
        i->subject.range[k] = ranges[k];
        i->subject.pages += (uint32_t)pfn_range_pages(ranges[k]);
    }
    i->subject.area_bytes =
        align_up(memory_bytes(s, &i->subject.topology, i->subject.pages), PAGE_SIZE);
    i->subject.area = aligned_alloc(PAGE_SIZE, i->subject.area_bytes);
    memset(i->subject.area, 0x5a, i->subject.area_bytes);
    memory_build(&i->memory, &i->setup, &i->subject, seed);
    oracle_init(&i->oracle, &i->memory.nodes.lists[0], &i->memory.color);
    i->oracle.nodes = &i->memory.nodes;
}

void instance_drop(struct instance *i)
{
    oracle_drop(&i->oracle);
    free(i->subject.area);
}

pfn_t instance_alloc(struct instance *i, const struct place_request *q)
{
    pfn_t p = memory_alloc(&i->memory, q);
    const char *complaint = p.n == PFN_NONE.n ? NULL : oracle_out(&i->oracle, p, q->order);
    if (complaint)
        fail_msg("alloc=%s: %s", i->setup.policy->name, complaint);
    return p;
}

void instance_free(struct instance *i, uint32_t k)
{
    struct oracle_block gone = oracle_back(&i->oracle, k);
    memory_free(&i->memory, gone.at, gone.order);
}
