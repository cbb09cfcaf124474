/* A whole instance (mm/memory.h) for tests: set up from the texts of the command line. */
#ifndef TT_UNIT_MM_INSTANCE_H
#define TT_UNIT_MM_INSTANCE_H

#include "mm/memory.h"
#include "mm_oracle.h"

struct instance {
    struct setup setup;
    struct subject subject;
    struct memory memory;
    struct oracle oracle; /* of a fresh instance (age off) only */
};

/* Texts as in alloc=, empty=, page_color=, age=; any that is wrong fails the test. */
struct setup instance_setup(const char *alloc, const char *empty, const char *page_color,
                            const char *age);

/* Over these ranges; the area holds junk before. */
void instance_build(struct instance *i, const struct setup *s, const struct pfn_range *ranges,
                    unsigned n, uint64_t seed);
/* The same with nodes and CPUs. */
void instance_build_on(struct instance *i, const struct setup *s, const struct topology *t,
                       const struct pfn_range *ranges, unsigned n, uint64_t seed);
void instance_drop(struct instance *i);

/* Four ranges with holes and unaligned ends, 3,608 frames. */
extern const struct pfn_range instance_ranges[4];

/* alloc by the policy, fail the test if the oracle complains. */
pfn_t instance_alloc(struct instance *i, const struct place_request *q);

/* Frees the oracle's live block k. */
void instance_free(struct instance *i, uint32_t k);

#endif
