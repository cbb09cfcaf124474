/*
 * Address spaces over a processor that exists only here: page tables are an array, an access walks
 * them, faults like a machine and then reads or writes the bytes of a small physical memory.
 *
 * The oracle of the random test is what programs see: each space's bytes, page by page, and who may
 * do what; copies must look like copies however frames are shared.
 */
#include "host.h"

#include "core/errno.h"
#include "core/record.h"
#include "core/trap.h"
#include "mm/vm.h"
#include "mm_instance.h"

#include <stdlib.h>
#include <string.h>

/* ---- the processor ------------------------------------------------------------------------------
 */

#define FIRST  0x400u /* of physical memory; a large page fits at its start */
#define FRAMES 1536u
#define LARGE  (LARGE_PAGE_SHIFT - PAGE_SHIFT)

static uint8_t *physical;

void *arch_phys_to_virt(phys_t a)
{
    assert_true(a.a >= FIRST * PAGE_SIZE && a.a < (FIRST + FRAMES) * PAGE_SIZE);
    return physical + (a.a - FIRST * PAGE_SIZE);
}

struct entry {
    const struct arch_space *space;
    uintptr_t va;
    pfn_t p;
    unsigned order, prot;
};

#define ENTRIES 4096
static struct entry table[ENTRIES];
static unsigned entries, tables_left, flushes;
static struct vm_space *current; /* set by arch_space_switch through the space's hw */

int arch_space_create(struct arch_space *s)
{
    s->table_pages = 1;
    return 0;
}

void arch_space_destroy(struct arch_space *s)
{
    for (unsigned i = 0; i < entries; i++)
        assert_ptr_not_equal(table[i].space, s);
}

void arch_space_switch(struct arch_space *s)
{
    current = s ? container_of(s, struct vm_space, hw) : NULL;
}

static struct entry *walk(const struct arch_space *s, uintptr_t va)
{
    for (unsigned i = 0; i < entries; i++) {
        uintptr_t size = (uintptr_t)PAGE_SIZE << table[i].order;
        if (table[i].space == s && va >= table[i].va && va - table[i].va < size)
            return &table[i];
    }
    return NULL;
}

int arch_space_map(struct arch_space *s, uintptr_t va, pfn_t p, unsigned order, unsigned prot)
{
    assert_int_equal(va % ((uintptr_t)PAGE_SIZE << order), 0);
    assert_int_equal(p.n % (1ul << order), 0);
    if (walk(s, va))
        return -TT_EEXIST;
    if (!tables_left || entries == ENTRIES)
        return -TT_ENOMEM;
    tables_left--;
    table[entries++] = (struct entry){s, va, p, order, prot};
    return 0;
}

pfn_t arch_space_unmap(struct arch_space *s, uintptr_t va)
{
    struct entry *e = walk(s, va);
    if (!e)
        return PFN_NONE;
    pfn_t p = e->p;
    *e = table[--entries];
    tables_left++;
    return p;
}

int arch_space_protect(struct arch_space *s, uintptr_t va, unsigned prot)
{
    struct entry *e = walk(s, va);
    if (!e)
        return -TT_ENOENT;
    e->prot = prot;
    return 0;
}

phys_t arch_space_lookup(const struct arch_space *s, uintptr_t va, unsigned *prot)
{
    const struct entry *e = walk(s, va);
    if (!e)
        return PHYS_NONE;
    if (prot)
        *prot = e->prot;
    return phys((e->p.n << PAGE_SHIFT) + (va - e->va));
}

void arch_tlb_flush(void)
{
    flushes++;
}

static fault_hook hook;
static void *hook_arg;

void trap_set_fault_hook(fault_hook h, void *arg)
{
    hook = h;
    hook_arg = arg;
}

/* One access of the current space: NULL when it is refused. */
static uint8_t *touch(uintptr_t va, enum vm_access access)
{
    static const unsigned needs[] = {PROT_R, PROT_W, PROT_X};
    for (unsigned tries = 0; tries < 2; tries++) {
        unsigned prot = 0;
        phys_t a = arch_space_lookup(&current->hw, va, &prot);
        if (a.a != PHYS_NONE.a && prot & needs[access])
            return arch_phys_to_virt(a);
        struct trap_info t = {.kind = TRAP_PAGE_FAULT,
                              .address = va,
                              .write = access == VM_WRITE,
                              .exec = access == VM_EXEC,
                              .present = a.a != PHYS_NONE.a};
        if (!hook || !hook(&t, hook_arg))
            return NULL;
    }
    fail_msg("a fault was handled but the access still cannot be made");
    return NULL;
}

/* ---- set-up
 * ---------------------------------------------------------------------------------------- */

static struct instance in;
static struct vm_event events[20000];
static struct vm_trace trace;

static void set_up_memory(const char *alloc, uint32_t frames)
{
    struct pfn_range range = {pfn(FIRST), pfn(FIRST + frames)};
    struct setup s = instance_setup(alloc, "next", "64", "off");
    instance_build(&in, &s, &range, 1, 1);
    trace = (struct vm_trace){.event = events, .room = ARRAY_SIZE(events)};
    entries = 0;
    tables_left = ENTRIES;
    memset(physical, 0xcc, FRAMES * PAGE_SIZE);
}

static struct vm_area area(unsigned page, unsigned pages, unsigned prot)
{
    uintptr_t start = ARCH_WINDOW + page * PAGE_SIZE;
    return (struct vm_area){start, start + pages * PAGE_SIZE, (uint8_t)prot, 0, true};
}

static uintptr_t va(unsigned page)
{
    return ARCH_WINDOW + page * PAGE_SIZE;
}

static void map(struct vm_space *s, unsigned page, unsigned pages, unsigned prot)
{
    struct vm_area a = area(page, pages, prot);
    assert_int_equal(vm_map(s, &a), 0);
}

static uint64_t frames_out(void)
{
    return in.memory.pages.count - buddy_free_pages(&in.memory.nodes.lists[0]);
}

/* ---- by hand
 * ---------------------------------------------------------------------------------------- */

static void nothing_is_taken_until_it_is_touched(void **state)
{
    (void)state;
    struct vm_space s;
    set_up_memory("va", 256);
    assert_int_equal(vm_create(&s, &in.memory, 0, 1), 0);
    vm_switch(&s);
    map(&s, 0, 100, PROT_R | PROT_W);
    assert_int_equal(frames_out(), 0);
    assert_int_equal(*touch(va(7) + 5, VM_READ), 0); /* and zeroed, where 0xcc was */
    assert_int_equal(frames_out(), 1);
    assert_int_equal(color_of(&in.memory.color, phys_to_pfn(arch_space_lookup(&s.hw, va(7), NULL))),
                     7); /* the policy saw the address */
    *touch(va(7), VM_WRITE) = 3;
    assert_int_equal(s.counts.faults, 1);
    assert_null(touch(va(100), VM_READ));
    assert_null(touch(va(7), VM_EXEC));
    assert_int_equal(s.counts.refused, 2);
    assert_null(vm_check(&s));
    /* A translation that the processor still had although the tables allow it already. */
    assert_true(vm_fault(&s, va(7), VM_READ));
    assert_int_equal(s.counts.stale, 1);
    assert_int_equal(flushes, 1);
    vm_switch(NULL);
    assert_null(hook);
    vm_destroy(&s);
    assert_int_equal(frames_out(), 0);
    instance_drop(&in);
}

static void bad_areas_are_refused(void **state)
{
    (void)state;
    struct vm_space s;
    set_up_memory("buddy", 64);
    assert_int_equal(vm_create(&s, &in.memory, 0, 1), 0);
    struct vm_area a = area(0, 1, PROT_W);
    assert_int_equal(vm_map(&s, &a), -TT_EINVAL);
    a = area(0, 1, PROT_R | PROT_W | PROT_X);
    assert_int_equal(vm_map(&s, &a), -TT_EINVAL);
    a = area(0, 0, PROT_R);
    assert_int_equal(vm_map(&s, &a), -TT_EINVAL);
    a = area(0, 1, PROT_R);
    a.end++;
    assert_int_equal(vm_map(&s, &a), -TT_EINVAL);
    a = area(0, 1, PROT_R);
    a.order = 1;
    assert_int_equal(vm_map(&s, &a), -TT_EINVAL);
    a.order = LARGE; /* a small page's range */
    assert_int_equal(vm_map(&s, &a), -TT_EINVAL);
    a = (struct vm_area){ARCH_WINDOW - PAGE_SIZE, ARCH_WINDOW + PAGE_SIZE, PROT_R, 0, true};
    assert_int_equal(vm_map(&s, &a), -TT_EINVAL);
    a = (struct vm_area){ARCH_WINDOW_END - PAGE_SIZE, ARCH_WINDOW_END + PAGE_SIZE, PROT_R, 0, true};
    assert_int_equal(vm_map(&s, &a), -TT_EINVAL);
    map(&s, 10, 10, PROT_R);
    for (unsigned page = 9; page < 20; page++) {
        a = area(page, 2, PROT_R);
        assert_int_equal(vm_map(&s, &a), -TT_EEXIST);
    }
    map(&s, 20, 1, PROT_R); /* joined with what it touches */
    assert_int_equal(s.area_count, 1);
    for (unsigned i = 1; i < VM_AREAS; i++)
        map(&s, 20 + 2 * i, 1, PROT_R);
    a = area(200, 1, PROT_R);
    assert_int_equal(vm_map(&s, &a), -TT_ENOSPC);
    assert_int_equal(vm_unmap(&s, va(12), va(13)), -TT_ENOSPC); /* would split */
    assert_int_equal(vm_protect(&s, va(9), va(11), PROT_R), -TT_ENOENT);
    assert_int_equal(vm_protect(&s, va(10), va(11), PROT_W), -TT_EINVAL);
    assert_int_equal(vm_unmap(&s, va(12) + 1, va(13)), -TT_EINVAL);
    assert_int_equal(vm_unmap(&s, va(13), va(12)), -TT_EINVAL);
    assert_int_equal(s.area_count, VM_AREAS);
    vm_destroy(&s);
    instance_drop(&in);
}

static void a_copy_shares_until_one_side_writes(void **state)
{
    (void)state;
    struct vm_space parent, child;
    set_up_memory("buddy", 64);
    assert_int_equal(vm_create(&parent, &in.memory, 0, 1), 0);
    assert_int_equal(vm_create(&child, &in.memory, 1, 2), 0);
    map(&parent, 0, 4, PROT_R | PROT_W);
    vm_switch(&parent);
    for (unsigned i = 0; i < 3; i++)
        *touch(va(i), VM_WRITE) = (uint8_t)(10 + i);
    assert_int_equal(vm_copy(&child, &parent), 0);
    assert_int_equal(frames_out(), 3);
    assert_null(vm_check(&parent));
    assert_null(vm_check(&child));

    *touch(va(0), VM_WRITE) = 99; /* the parent copies */
    assert_int_equal(parent.counts.copied, 1);
    assert_int_equal(frames_out(), 4);
    vm_switch(&child);
    assert_int_equal(*touch(va(0), VM_READ), 10);
    *touch(va(0), VM_WRITE) = 11; /* nobody else has it any more */
    assert_int_equal(child.counts.reused, 1);
    assert_int_equal(child.counts.copied, 0);
    *touch(va(1), VM_WRITE) = 21;
    assert_int_equal(child.counts.copied, 1);
    *touch(va(3), VM_WRITE) = 7; /* touched by neither before: the child's own */
    vm_switch(&parent);
    assert_int_equal(*touch(va(0), VM_READ), 99);
    assert_int_equal(*touch(va(1), VM_READ), 11);
    assert_int_equal(*touch(va(3), VM_READ), 0);
    vm_switch(NULL);
    vm_destroy(&parent);
    vm_switch(&child);
    assert_int_equal(*touch(va(2), VM_READ), 12); /* outlives the space that it came from */
    vm_switch(NULL);
    vm_destroy(&child);
    assert_int_equal(frames_out(), 0);
    assert_null(memory_check(&in.memory));
    instance_drop(&in);
}

static void a_shared_frame_stays_read_only_through_protect(void **state)
{
    (void)state;
    struct vm_space parent, child;
    set_up_memory("buddy", 64);
    assert_int_equal(vm_create(&parent, &in.memory, 0, 1), 0);
    assert_int_equal(vm_create(&child, &in.memory, 1, 2), 0);
    map(&parent, 0, 4, PROT_R | PROT_W);
    vm_switch(&parent);
    *touch(va(1), VM_WRITE) = 5;
    assert_int_equal(vm_copy(&child, &parent), 0);
    assert_int_equal(vm_protect(&parent, va(1), va(2), PROT_R), 0);
    assert_int_equal(parent.area_count, 3);
    assert_null(touch(va(1), VM_WRITE));
    assert_int_equal(vm_protect(&parent, va(1), va(2), PROT_R | PROT_W), 0);
    assert_int_equal(parent.area_count, 1); /* joined again */
    assert_null(vm_check(&parent));
    *touch(va(1), VM_WRITE) = 6;
    assert_int_equal(parent.counts.copied, 1);
    vm_switch(&child);
    assert_int_equal(*touch(va(1), VM_READ), 5);
    vm_switch(NULL);
    vm_destroy(&parent);
    vm_destroy(&child);
    instance_drop(&in);
}

static void large_pages(void **state)
{
    (void)state;
    struct vm_space s, copy;
    set_up_memory("buddy", FRAMES);
    assert_int_equal(vm_create(&s, &in.memory, 0, 1), 0);
    assert_int_equal(vm_create(&copy, &in.memory, 1, 2), 0);
    struct vm_area a = {ARCH_WINDOW, ARCH_WINDOW + LARGE_PAGE_SIZE, PROT_R | PROT_W, LARGE, true};
    assert_int_equal(vm_map(&s, &a), 0);
    vm_switch(&s);
    *touch(ARCH_WINDOW + LARGE_PAGE_SIZE - 1, VM_WRITE) = 42;
    assert_int_equal(frames_out(), 1u << LARGE);
    assert_int_equal(vm_unmap(&s, va(1), va(2)), -TT_EINVAL); /* inside a page */
    assert_int_equal(vm_copy(&copy, &s), 0);
    *touch(ARCH_WINDOW + 3, VM_WRITE) = 43;
    assert_int_equal(*touch(ARCH_WINDOW + LARGE_PAGE_SIZE - 1, VM_READ), 42);
    assert_int_equal(frames_out(), 2u << LARGE);
    vm_switch(&copy);
    assert_int_equal(*touch(ARCH_WINDOW + 3, VM_READ), 0);
    assert_null(vm_check(&s));
    assert_null(vm_check(&copy));
    vm_switch(NULL);
    vm_destroy(&s);
    vm_destroy(&copy);
    assert_int_equal(frames_out(), 0);
    instance_drop(&in);
}

static void running_out_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    struct vm_space s, copy;
    set_up_memory("buddy", 4);
    assert_int_equal(vm_create(&s, &in.memory, 0, 1), 0);
    assert_int_equal(vm_create(&copy, &in.memory, 1, 2), 0);
    map(&s, 0, 10, PROT_R | PROT_W);
    vm_switch(&s);
    tables_left = 3;
    for (unsigned i = 0; i < 3; i++)
        assert_non_null(touch(va(i), VM_WRITE));
    assert_null(touch(va(3), VM_WRITE)); /* no table page: the frame goes back */
    assert_int_equal(frames_out(), 3);
    tables_left = 2;
    assert_int_equal(vm_copy(&copy, &s), -TT_ENOMEM); /* a part of it */
    assert_null(vm_check(&copy));
    assert_null(vm_check(&s));
    tables_left = 9;
    assert_non_null(touch(va(3), VM_WRITE));
    assert_null(touch(va(4), VM_WRITE)); /* no frame */
    assert_null(touch(va(0), VM_WRITE)); /* none for a copy either */
    assert_int_equal(s.counts.no_memory, 3);
    vm_switch(NULL);
    vm_destroy(&copy);
    vm_destroy(&s);
    assert_int_equal(frames_out(), 0);
    instance_drop(&in);
}

/* ---- against what programs see
 * ------------------------------------------------------------------- */

#define SPACES 4
#define PAGES  48

struct seen {
    bool mapped;
    unsigned prot;
    uint8_t byte; /* the page's first; 0 until written */
};

static struct vm_space space[SPACES];
static bool alive[SPACES];
static struct seen seen[SPACES][PAGES];

static void some_change(struct rng *r, unsigned n)
{
    unsigned first = rng_below(r, PAGES), pages = 1 + rng_below(r, PAGES - first);
    unsigned prot = PROT_R | (rng_below(r, 3) ? PROT_W : rng_below(r, 2) ? PROT_X : 0);
    bool all = true, none = true;
    for (unsigned i = first; i < first + pages; i++) {
        all &= seen[n][i].mapped;
        none &= !seen[n][i].mapped;
    }
    struct vm_area a = area(first, pages, prot);
    int bad;
    switch (rng_below(r, 3)) {
    case 0:
        bad = vm_map(&space[n], &a);
        assert_true(bad == (none ? 0 : -TT_EEXIST) || bad == -TT_ENOSPC);
        for (unsigned i = first; !bad && i < first + pages; i++)
            seen[n][i] = (struct seen){true, prot, 0};
        break;
    case 1:
        if (rng_below(r, 3)) /* small holes, so that most stays mapped */
            a.end = a.start + PAGE_SIZE, pages = 1;
        bad = vm_unmap(&space[n], a.start, a.end);
        assert_true(!bad || bad == -TT_ENOSPC);
        for (unsigned i = first; !bad && i < first + pages; i++)
            seen[n][i].mapped = false;
        break;
    default:
        bad = vm_protect(&space[n], a.start, a.end, prot);
        assert_true(bad == (all ? 0 : -TT_ENOENT) || bad == -TT_ENOSPC);
        for (unsigned i = first; !bad && i < first + pages; i++)
            seen[n][i].prot = prot;
    }
}

static void some_access(struct rng *r, unsigned n)
{
    unsigned page = rng_below(r, PAGES);
    enum vm_access access = (enum vm_access)rng_below(r, 3);
    static const unsigned needs[] = {PROT_R, PROT_W, PROT_X};
    struct seen *s = &seen[n][page];
    vm_switch(&space[n]);
    uint8_t *byte = touch(va(page), access);
    bool may = s->mapped && s->prot & needs[access];
    if (may != (byte != NULL))
        fail_msg("space %u page %u access %d: may %d, could %d", n, page, access, may,
                 byte != NULL);
    if (!byte)
        return;
    assert_int_equal(*byte, s->byte);
    if (access == VM_WRITE)
        *byte = s->byte = (uint8_t)(1 + rng_below(r, 255));
}

static struct vm_counts total; /* over all spaces that have ended */

static void end_space(unsigned n)
{
    const struct vm_counts *c = &space[n].counts;
    assert_int_equal(c->faults, c->demand + c->copied + c->reused + c->stale);
    total.demand += c->demand;
    total.copied += c->copied;
    total.reused += c->reused;
    total.refused += c->refused;
    vm_switch(NULL);
    vm_destroy(&space[n]);
    alive[n] = false;
    memset(seen[n], 0, sizeof seen[n]);
}

static void start_space(struct rng *r, unsigned n)
{
    assert_int_equal(vm_create(&space[n], &in.memory, n, n + 1), 0);
    space[n].trace = &trace;
    alive[n] = true;
    unsigned from = rng_below(r, SPACES);
    if (alive[from] && from != n) {
        assert_int_equal(vm_copy(&space[n], &space[from]), 0);
        memcpy(seen[n], seen[from], sizeof seen[n]);
    }
}

static void random_programs(struct rng *r, unsigned steps)
{
    for (unsigned i = 0; i < steps && trace.count + 2 * PAGES < trace.room; i++) {
        unsigned n = rng_below(r, SPACES), what = rng_below(r, 200);
        if (!alive[n])
            start_space(r, n);
        else if (what == 0)
            end_space(n);
        else if (what < 12)
            some_change(r, n);
        else
            some_access(r, n);
        if (i % 500 == 0) {
            for (unsigned k = 0; k < SPACES; k++)
                assert_null(alive[k] ? vm_check(&space[k]) : NULL);
            assert_null(memory_check(&in.memory));
        }
    }
}

static void programs_see_what_they_wrote(void **state)
{
    (void)state;
    memset(&total, 0, sizeof total);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct rng r = rng_stream(seed, 12);
        set_up_memory("binhop", SPACES * PAGES);
        random_programs(&r, 20000);
        for (unsigned n = 0; n < SPACES; n++) {
            if (alive[n])
                end_space(n);
        }
        assert_int_equal(frames_out(), 0);
        assert_int_equal(entries, 0);
        assert_null(memory_check(&in.memory));
        instance_drop(&in);
    }
    assert_true(total.demand > 5000 && total.copied > 2000 && total.reused > 500 &&
                total.refused > 5000);
}

/* ---- traces
 * ---------------------------------------------------------------------------------------- */

static pfn_t got[ARRAY_SIZE(events)];

static void a_replay_repeats_the_recording(void **state)
{
    (void)state;
    struct rng r = rng_stream(5, 13);
    set_up_memory("va", 8 * PAGES); /* enough that no request fails and va's wish decides */
    random_programs(&r, 15000);
    assert_true(trace.count > 1000);
    assert_int_equal(trace.lost, 0);
    static struct vm_event kept[ARRAY_SIZE(events)];
    struct vm_trace recorded = {.event = kept, .room = ARRAY_SIZE(kept)};
    assert_int_equal(vm_trace_load(&recorded, &events[0].page, trace.count), 0);
    assert_int_equal(recorded.count, trace.count);

    uint64_t allocations = in.memory.account.allocations, out = frames_out();
    uint64_t placement = trace.placement;
    uint32_t *per_color = malloc(in.memory.color.colors * sizeof *per_color);
    memcpy(per_color, in.memory.account.got[0], in.memory.color.colors * sizeof *per_color);
    for (unsigned n = 0; n < SPACES; n++) {
        if (alive[n])
            end_space(n);
    }
    instance_drop(&in);

    /* The same policy over the same frames gives every event the same colours. */
    set_up_memory("va", 8 * PAGES);
    struct vm_replay r1 = {&recorded, &in.memory, got};
    uint32_t peak = vm_trace_peak(&recorded);
    vm_replay_to(&r1, peak); /* in two steps as in one */
    assert_true(frames_out() >= out);
    vm_replay_to(&r1, recorded.count);
    assert_int_equal(r1.unserved, 0);
    assert_true(r1.placement == placement);
    assert_int_equal(in.memory.account.allocations, allocations);
    assert_int_equal(frames_out(), out);
    assert_memory_equal(in.memory.account.got[0], per_color,
                        in.memory.color.colors * sizeof *per_color);
    instance_drop(&in);
    free(per_color);

    /* Another policy gets the same requests. */
    for_each_registered (policy, p) {
        if (p->unfit)
            continue;
        set_up_memory(p->name, 8 * PAGES);
        struct vm_replay r2 = {&recorded, &in.memory, got};
        vm_replay_to(&r2, recorded.count);
        assert_int_equal(r2.unserved, 0);
        assert_int_equal(in.memory.account.allocations, allocations);
        assert_int_equal(frames_out(), out);
        assert_null(memory_check(&in.memory));
        vm_replay_drop(&r2);
        assert_int_equal(frames_out(), 0);
        instance_drop(&in);
    }
}

static void a_full_trace_says_so(void **state)
{
    (void)state;
    struct vm_space s;
    set_up_memory("buddy", 16);
    trace.room = 2;
    assert_int_equal(vm_create(&s, &in.memory, 0, 1), 0);
    s.trace = &trace;
    map(&s, 0, 8, PROT_R);
    vm_switch(&s);
    for (unsigned i = 0; i < 4; i++)
        touch(va(i), VM_READ);
    assert_int_equal(trace.count, 2);
    assert_int_equal(trace.lost, 2);
    vm_switch(NULL);
    vm_destroy(&s); /* two frees of known events find no room either */
    assert_int_equal(trace.lost, 4);
    struct vm_replay r = {&trace, &in.memory, got};
    assert_panics(vm_replay_to(&r, trace.count), "lost");
    instance_drop(&in);
}

static void bad_words_are_refused(void **state)
{
    (void)state;
    struct vm_event room[4];
    struct vm_trace t = {.event = room, .room = 4};
    const uint32_t good[] = {7, 2u << 16 | VM_EVENT_WRITE, 0, 2u << 16 | VM_EVENT_FREE};
    assert_int_equal(vm_trace_load(&t, good, 2), 0);
    assert_int_equal(t.event[0].page, 7);
    assert_int_equal(vm_event_space(t.event[0]), 2);
    assert_int_equal(vm_event_kind(t.event[1]), VM_EVENT_FREE);
    const uint32_t bad[][4] = {
        {7, VM_EVENT_FREE + 1, 0, 0},                   /* no such kind */
        {7, 11u << 8, 0, 0},                            /* no such order */
        {0, VM_EVENT_FREE, 0, 0},                       /* frees itself */
        {7, VM_EVENT_READ, 1, VM_EVENT_FREE},           /* frees itself */
        {7, VM_EVENT_READ, 2, VM_EVENT_FREE},           /* frees what is yet to come */
        {7, VM_EVENT_READ, 0, 1u << 8 | VM_EVENT_FREE}, /* in another order */
    };
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++)
        assert_int_equal(vm_trace_load(&t, bad[i], 2), -TT_EINVAL);
    assert_int_equal(vm_trace_load(&t, good, 5), -TT_ENOSPC);
    const uint32_t twice[] = {7, VM_EVENT_READ, 0, VM_EVENT_FREE, 0, VM_EVENT_FREE};
    assert_int_equal(vm_trace_load(&t, twice, 3), -TT_EINVAL);
}

static void the_peak_is_where_most_pages_are_out(void **state)
{
    (void)state;
    struct vm_event event[] = {vm_event(1, 0, 0, VM_EVENT_READ), vm_event(0, 0, 0, VM_EVENT_FREE),
                               vm_event(2, 0, 3, VM_EVENT_READ), vm_event(2, 0, 3, VM_EVENT_FREE),
                               vm_event(3, 0, 2, VM_EVENT_READ), vm_event(4, 0, 1, VM_EVENT_READ)};
    struct vm_trace t = {.event = event, .room = 6};
    assert_int_equal(vm_trace_peak(&t), 0);
    t.count = 2;
    assert_int_equal(vm_trace_peak(&t), 1);
    t.count = 6; /* 8 pages of one block are more than 6 of two */
    assert_int_equal(vm_trace_peak(&t), 3);
}

static void a_file_is_taken_whole_or_not_at_all(void **state)
{
    (void)state;
    uint32_t file[3 + 4] = {VM_TRACE_MAGIC, 2, 0, 7, VM_EVENT_WRITE, 0, VM_EVENT_FREE};
    const uint32_t *words = NULL;
    uint32_t events = 0;
    file[2] = crc32_zlib(0, file + 3, 16);
    assert_null(vm_trace_file(file, sizeof file, &words, &events));
    assert_ptr_equal(words, file + 3);
    assert_int_equal(events, 2);
    assert_null(vm_trace_file(file, sizeof file + 100, &words, &events)); /* padded by a loader */
    for (size_t bytes = 0; bytes < sizeof file; bytes++)
        assert_non_null(vm_trace_file(file, bytes, &words, &events));
    file[1] = UINT32_MAX;
    assert_string_equal(vm_trace_file(file, sizeof file, &words, &events), "the trace is cut");
    file[1] = 2;
    file[5] ^= 1;
    assert_non_null(strstr(vm_trace_file(file, sizeof file, &words, &events), "CRC"));
    file[0]++;
    assert_non_null(strstr(vm_trace_file(file, sizeof file, &words, &events), "not a fault trace"));
}

static void a_trace_goes_into_the_log(void **state)
{
    (void)state;
    struct vm_event event[3] = {vm_event(5, 1, 0, VM_EVENT_WRITE), vm_event(9, 0, 9, VM_EVENT_READ),
                                vm_event(0, 1, 0, VM_EVENT_FREE)};
    struct vm_trace t = {.event = event, .room = 3, .count = 3};
    host_console_clear();
    vm_trace_log(&t, "fork");
    assert_non_null(strstr(host_console(), "{\"tt\":\"trace\""));
    assert_non_null(strstr(host_console(), "\"trace\":\"fork\",\"events\":3,\"lost\":0"));
    assert_non_null(strstr(host_console(), "\"words\":[5,65537,9,2304,0,65540]"));
}

static int make_memory(void **state)
{
    (void)state;
    physical = aligned_alloc(PAGE_SIZE, FRAMES * PAGE_SIZE);
    return physical ? 0 : -1;
}

static int drop_memory(void **state)
{
    (void)state;
    free(physical);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_taken_until_it_is_touched),
        cmocka_unit_test(bad_areas_are_refused),
        cmocka_unit_test(a_copy_shares_until_one_side_writes),
        cmocka_unit_test(a_shared_frame_stays_read_only_through_protect),
        cmocka_unit_test(large_pages),
        cmocka_unit_test(running_out_is_reported_and_leaves_nothing),
        cmocka_unit_test(programs_see_what_they_wrote),
        cmocka_unit_test(a_replay_repeats_the_recording),
        cmocka_unit_test(a_full_trace_says_so),
        cmocka_unit_test(bad_words_are_refused),
        cmocka_unit_test(the_peak_is_where_most_pages_are_out),
        cmocka_unit_test(a_file_is_taken_whole_or_not_at_all),
        cmocka_unit_test(a_trace_goes_into_the_log),
    };
    return cmocka_run_group_tests(tests, make_memory, drop_memory);
}
