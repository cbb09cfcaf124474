/*
 * struct memory: one instance of the subject memory, built for one level, measured, checked, gone.
 *
 * Binds page descriptors, the free lists of all nodes, the policy with its fallback and the colour
 * accounting over a set of frames. Everything an instance keeps lies in one area of the kernel's
 * memory that the caller provides, so that building and dropping leave nothing behind; the frames
 * themselves hold nothing but what the workload writes.
 */
#ifndef TT_MM_MEMORY_H
#define TT_MM_MEMORY_H

#include "mm/account.h"
#include "mm/age.h"
#include "mm/cache_setup.h"
#include "mm/color_spec.h"
#include "mm/nodes.h"
#include "mm/pcp.h"
#include "mm/policy.h"
#include "mm/smp_setup.h"

/*
 * What comes first when the node of the CPU that asks has no block of the wanted colour. NUMA_ON:
 * the node: all that the fallback tries there, and then the same on the next nearest one, since a
 * wrong colour costs now and then where a far page always does (illumos decides so, too).
 * NUMA_COLOR: the colour: each that the fallback tries is looked for on all nodes. Nearest is by
 * distance, then by number. NUMA_OFF: there are no nodes.
 */
enum numa_rule { NUMA_ON, NUMA_OFF, NUMA_COLOR };

/* What one level of an experiment asks for. */
struct setup {
    const struct policy *policy;
    const struct fallback *fallback;
    struct color_spec color;
    struct page_layout layout;
    struct age_spec age;
    uint8_t page_order; /* of the pages that a working set is mapped with */
    enum numa_rule numa;
    struct pcp_spec pcp; /* not automatic any more */
    struct smp_setup smp;
    struct cache_setup cache;
};

#define SUBJECT_PLACES 64 /* as many as an experiment has levels */

/*
 * Addresses of the descriptors of one layout, page aligned. by_node: each page of them lies on the
 * node of the frames that most of it describes; else at the start of the area, with other
 * addresses.
 */
struct descriptor_place {
    uint32_t stride_bytes, offset_bytes;
    bool by_node;
    void *at;
};

/* The frames of an instance, and the area for everything kept about them. */
struct subject {
    unsigned range_count;
    struct pfn_range range[PAGE_RANGES];
    uint32_t pages; /* sum over the ranges */
    struct topology topology;
    void *area;        /* page aligned, not part of the ranges */
    size_t area_bytes; /* at least memory_bytes() of every level that uses it */
    unsigned places;   /* 0: all descriptors lie at the start of the area */
    struct descriptor_place place[SUBJECT_PLACES];
};

struct memory {
    const struct setup *setup;
    pfn_t (*alloc)(struct memory *m, const struct place_request *q); /* by kind of policy */
    void (*free)(struct memory *m, pfn_t p, unsigned order); /* NULL: buddy_free() is enough */
    struct color_map color;      /* of the cache under study: policy and accounting */
    struct color_map list_color; /* of the free lists: the same, or one colour */
    struct pages pages;
    struct nodes nodes;
    struct policy_state policy; /* [m] of all nodes together */
    struct account account;     /* [m] see memory_account() */
    void *tables;               /* cache.tables_bytes, zeroed */
    uint32_t operations;        /* CHECK >= 2: since the last full check */
    /*
     * [m]: with per-CPU lists memory_alloc and memory_free take it by themselves, where a policy
     * has state; without, memory_alloc_shared and memory_free_shared do.
     */
    struct lock lock __attribute__((aligned(128)));
    struct pcp pcp; /* batch 0: none, and callers see to it that one comes at a time */
    PER_CPU(struct account, cpu_account); /* with per-CPU lists: under the lock of those */
};

/* 0, or -TT_EINVAL when the choices of a set-up do not go together, with the reason in err. */
int setup_check(const struct setup *s, char *err, size_t err_bytes);

/* Do a set-up's descriptors lie on their frames' nodes, and so not in the area? */
static inline bool memory_by_node(const struct setup *s, const struct topology *t)
{
    return t->descriptors && topology_nodes(t, s->numa != NUMA_OFF) > 1;
}

/* The place of a set-up's descriptors; NULL: at the start of the area. */
static inline const struct descriptor_place *memory_place(const struct setup *s,
                                                          const struct subject *on)
{
    for (unsigned i = 0; i < on->places; i++) {
        const struct descriptor_place *p = &on->place[i];
        if (p->stride_bytes == s->layout.stride_bytes &&
            p->offset_bytes == s->layout.offset_bytes &&
            p->by_node == memory_by_node(s, &on->topology))
            return p;
    }
    return NULL;
}

static inline void *memory_descriptors(const struct setup *s, const struct subject *on)
{
    const struct descriptor_place *p = memory_place(s, on);
    return p ? p->at : on->area;
}

/* Bytes of area that an instance of `pages` frames needs under a set-up. */
size_t memory_bytes(const struct setup *s, const struct topology *t, uint32_t pages);

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
    if (__builtin_expect(m->free != NULL, 0))
        m->free(m, p, order);
    else
        buddy_free(&m->nodes.lists[0], p, order);
    if (CHECK >= 2)
        memory_recheck(m);
}

/* The same where several CPUs do it. */
pfn_t memory_alloc_shared(struct memory *m, const struct place_request *q);
void memory_free_shared(struct memory *m, pfn_t p, unsigned order);

/* What has been counted since the instance was built, by all CPUs. Nobody may be allocating. */
struct account *memory_account(struct memory *m);

/* All validators of the instance; NULL or what is broken. Nobody may be allocating. */
const char *memory_check(struct memory *m);

#endif
