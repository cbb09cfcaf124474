/*
 * struct memory: one instance of the subject memory, built for one level, measured, checked, gone.
 *
 * Binds page descriptors, free lists, the policy with its fallback and the colour accounting
 * over a set of frames. Everything an instance keeps lies in one area of the kernel's memory
 * that the caller provides, so that building and dropping leave nothing behind; the frames
 * themselves hold nothing but what the workload writes.
 */
#ifndef TT_MM_MEMORY_H
#define TT_MM_MEMORY_H

#include "mm/account.h"
#include "mm/age.h"
#include "mm/buddy.h"
#include "mm/color_spec.h"
#include "mm/policy.h"
#include "mm/smp_setup.h"

/* What one level of an experiment asks for. */
struct setup {
    const struct policy *policy;
    const struct fallback *fallback;
    struct color_spec color;
    struct page_layout layout;
    struct age_spec age;
    uint8_t page_order; /* of the pages that a working set is mapped with */
    struct smp_setup smp;
};

/* The frames of an instance, and the area for everything kept about them. */
struct subject {
    unsigned range_count;
    struct pfn_range range[PAGE_RANGES];
    uint32_t pages;    /* sum over the ranges */
    void *area;        /* page aligned, not part of the ranges */
    size_t area_bytes; /* at least memory_bytes() of every level that uses it */
};

struct memory {
    const struct setup *setup;
    pfn_t (*alloc)(struct memory *m, const struct place_request *q); /* by kind of policy */
    void (*freed)(struct policy_state *s, pfn_t p, unsigned order);  /* the policy's, or NULL */
    struct color_map color;      /* of the cache under study: policy and accounting */
    struct color_map list_color; /* of the free lists: the same, or one colour */
    struct pages pages;
    struct buddy buddy;
    struct policy_state policy;
    struct account account;
    uint32_t operations; /* CHECK >= 2: since the last full check */
};

/* 0, or -TT_EINVAL when the choices of a set-up do not go together, with the reason in err. */
int setup_check(const struct setup *s, char *err, size_t err_bytes);

/* Bytes of area that an instance of `pages` frames needs under a set-up. */
size_t memory_bytes(const struct setup *s, uint32_t pages);

/*
 * Builds an instance over the subject and ages it. seed decides the ageing (the same for every
 * set-up) and the policy's draws. Preconditions: setup_check() has nothing against
 * it; the area is large enough.
 */
void memory_build(struct memory *m, const struct setup *s, const struct subject *on, uint64_t seed);

/* CHECK >= 2: runs all validators after every 4096th operation, CHECK >= 3: after every one. */
void memory_recheck(struct memory *m);

/*
 * A block for a request by the instance's policy and, when its colour is empty, its fallback;
 * accounted. PFN_NONE when nothing acceptable is free.
 */
static inline pfn_t memory_alloc(struct memory *m, const struct place_request *q)
{
    pfn_t p = m->alloc(m, q);
    if (CHECK >= 2)
        memory_recheck(m);
    return p;
}

/* Gives a block back. Preconditions as buddy_free(). */
static inline void memory_free(struct memory *m, pfn_t p, unsigned order)
{
    if (__builtin_expect(m->freed != NULL, 0))
        m->freed(&m->policy, p, order);
    buddy_free(&m->buddy, p, order);
    if (CHECK >= 2)
        memory_recheck(m);
}

/* All validators of the instance; NULL or what is broken. */
const char *memory_check(struct memory *m);

#endif
