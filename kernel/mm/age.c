/* Ageing by random single frames. Contract in age.h. */
#include "mm/age.h"

#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"

#include <string.h>

int age_parse(const char *s, struct age_spec *out, char *err, size_t err_bytes)
{
    *out = (struct age_spec){0, 0, 0};
    if (!strcmp(s, "off"))
        return 0;
    char cycles[8], hi[8];
    uint64_t v[3] = {0, 0, 0};
    bool ok = true;
    const char *rest = parse_item(s, ':', cycles, sizeof cycles, &ok);
    rest = rest ? parse_item(rest, ':', hi, sizeof hi, &ok) : NULL;
    if (!rest || !ok || parse_u64(cycles, 1, 1000, &v[0]) || parse_u64(hi, 1, 100, &v[1]) ||
        parse_u64(rest, 0, 99, &v[2]) || v[2] >= v[1]) {
        ksnprintf(err, err_bytes,
                  "%s: valid: off, or CYCLES:HI:LO with CYCLES 1 to 1000 and "
                  "0 <= LO < HI <= 100 (percent in use)",
                  s);
        return -TT_EINVAL;
    }
    *out = (struct age_spec){(unsigned)v[0], (unsigned)v[1], (unsigned)v[2]};
    return 0;
}

size_t age_bytes(uint32_t count)
{
    return (size_t)count * sizeof(uint32_t);
}

static void swap(uint32_t *v, uint32_t i, uint32_t j)
{
    uint32_t t = v[i];
    v[i] = v[j];
    v[j] = t;
}

static struct buddy *lists_of(struct nodes *n, uint32_t nr)
{
    return &n->lists[page_node(n->pages, nr)];
}

/* frame[0..used) are in use, the rest is free: drawing from either part is one swap. */
void age_run(struct nodes *nodes, const struct age_spec *a, struct rng rng, uint32_t *frame)
{
    const struct pages *pages = nodes->pages;
    uint32_t n = pages->count, used = 0;
    uint32_t hi = (uint32_t)((uint64_t)n * a->hi / 100), lo = (uint32_t)((uint64_t)n * a->lo / 100);
    for (uint32_t i = 0; i < n; i++)
        frame[i] = i;
    for (unsigned cycle = 0; cycle < a->cycles; cycle++) {
        for (; used < hi; used++) {
            swap(frame, used, used + rng_below(&rng, n - used));
            if (!buddy_take(lists_of(nodes, frame[used]), page_pfn(pages, frame[used]), 0))
                panic("age_run: frame 0x%lx should be free",
                      (unsigned long)page_pfn(pages, frame[used]).n);
        }
        for (; used > lo; used--) {
            swap(frame, used - 1, rng_below(&rng, used));
            uint32_t nr = frame[used - 1];
            buddy_free(lists_of(nodes, nr), page_pfn(pages, nr), 0);
        }
    }
}
