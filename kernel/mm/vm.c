/* Address spaces: faults, copy on write, protection, unmapping. Contract in vm.h. */
#include "mm/vm.h"

#include "core/errno.h"
#include "core/panic.h"
#include "core/trap.h"

#include <string.h>

/* ---- frames and their sharers ------------------------------------------------------------------
 */

static uint32_t *sharers(struct pages *p, uint32_t nr)
{
    return page_field(p, nr, p->shape->count);
}

/* Number of the event that allocated the frame. */
static uint32_t *event_of(struct pages *p, uint32_t nr)
{
    return page_field(p, nr, p->shape->index);
}

static uint32_t page_in_window(uintptr_t va)
{
    return (uint32_t)((va - ARCH_WINDOW) >> PAGE_SHIFT);
}

/* A frame for va with one sharer, recorded; PFN_NONE when the policy has none. */
static pfn_t take_frame(struct vm_space *s, const struct vm_area *a, uintptr_t va,
                        enum vm_event_kind why)
{
    struct place_request q = {.va = va, .space = s->number, .pid = s->pid, .order = a->order};
    pfn_t p = memory_alloc(s->memory, &q);
    if (p.n == PFN_NONE.n)
        return p;
    struct pages *pages = &s->memory->pages;
    uint32_t nr = page_nr(pages, p);
    *sharers(pages, nr) = 1;
    *event_of(pages, nr) =
        vm_trace_add(s->trace, vm_event(page_in_window(va), s->number, a->order, why));
    if (s->trace)
        s->trace->placement = vm_placement(s->trace->placement, p);
    return p;
}

/* One sharer less; the last one frees it. */
static void drop_frame(struct vm_space *s, pfn_t p, unsigned order)
{
    struct pages *pages = &s->memory->pages;
    uint32_t nr = page_nr(pages, p);
    if (--*sharers(pages, nr))
        return;
    uint32_t event = *event_of(pages, nr);
    if (event != VM_EVENT_NONE)
        vm_trace_add(s->trace, vm_event(event, s->number, order, VM_EVENT_FREE));
    memory_free(s->memory, p, order);
}

static void *frame_memory(struct vm_space *s, pfn_t p)
{
    return page_address(&s->memory->pages, page_nr(&s->memory->pages, p));
}

/* ---- the space ---------------------------------------------------------------------------------
 */

int vm_create(struct vm_space *s, struct memory *m, uint32_t number, uint32_t pid)
{
    memset(s, 0, sizeof *s);
    s->memory = m;
    s->number = number;
    s->pid = pid;
    return arch_space_create(&s->hw);
}

void vm_destroy(struct vm_space *s)
{
    while (s->area_count)
        vm_unmap(s, s->area[0].start, s->area[0].end);
    arch_space_destroy(&s->hw);
}

static bool hook(const struct trap_info *t, void *space)
{
    return vm_fault(space, t->address, t->write ? VM_WRITE : t->exec ? VM_EXEC : VM_READ);
}

void vm_switch(struct vm_space *s)
{
    trap_set_fault_hook(s ? hook : NULL, s);
    arch_space_switch(s ? &s->hw : NULL);
}

/* ---- faults ------------------------------------------------------------------------------------
 */

static bool out_of_memory(struct vm_space *s)
{
    s->counts.no_memory++;
    return false;
}

static bool demand(struct vm_space *s, const struct vm_area *a, uintptr_t va, enum vm_access access)
{
    pfn_t p = take_frame(s, a, va, (enum vm_event_kind)access);
    if (p.n == PFN_NONE.n)
        return out_of_memory(s);
    if (a->zero)
        memset(frame_memory(s, p), 0, (size_t)PAGE_SIZE << a->order);
    if (arch_space_map(&s->hw, va, p, a->order, a->prot)) {
        drop_frame(s, p, a->order);
        return out_of_memory(s);
    }
    s->counts.demand++;
    return true;
}

/* A write to a frame that is mapped read-only in a writable area. */
static bool copy_on_write(struct vm_space *s, const struct vm_area *a, uintptr_t va, pfn_t old)
{
    struct pages *pages = &s->memory->pages;
    if (*sharers(pages, page_nr(pages, old)) == 1) {
        s->counts.reused++;
        return !arch_space_protect(&s->hw, va, a->prot);
    }
    pfn_t p = take_frame(s, a, va, VM_EVENT_COPY);
    if (p.n == PFN_NONE.n)
        return out_of_memory(s);
    memcpy(frame_memory(s, p), frame_memory(s, old), (size_t)PAGE_SIZE << a->order);
    arch_space_unmap(&s->hw, va);
    int bad = arch_space_map(&s->hw, va, p, a->order, a->prot);
    if (bad) /* the table page was there a moment ago */
        panic("vm: cannot map 0x%lx again after unmapping it: %d", (unsigned long)va, bad);
    drop_frame(s, old, a->order);
    s->counts.copied++;
    return true;
}

static bool allowed(const struct vm_area *a, enum vm_access access)
{
    static const uint8_t needs[] = {[VM_READ] = PROT_R, [VM_WRITE] = PROT_W, [VM_EXEC] = PROT_X};
    return a && a->prot & needs[access];
}

bool vm_fault(struct vm_space *s, uintptr_t va, enum vm_access access)
{
    const struct vm_area *a = vm_area_at(s, va);
    if (!allowed(a, access)) {
        s->counts.refused++;
        return false;
    }
    va = align_down(va, (uintptr_t)PAGE_SIZE << a->order);
    unsigned prot;
    phys_t at = arch_space_lookup(&s->hw, va, &prot);
    bool handled = true;
    if (at.a == PHYS_NONE.a) {
        handled = demand(s, a, va, access);
    } else if (access == VM_WRITE && !(prot & PROT_W)) {
        handled = copy_on_write(s, a, va, phys_to_pfn(at));
    } else {
        arch_tlb_flush();
        s->counts.stale++;
    }
    s->counts.faults += handled;
    return handled;
}

/* ---- changes of whole ranges -------------------------------------------------------------------
 */

/* Calls fn for every page of [start, end) that has a frame; areas are whole inside it. */
static int each_mapped(struct vm_space *s, uintptr_t start, uintptr_t end,
                       int (*fn)(struct vm_space *s, struct vm_area *a, uintptr_t va, pfn_t p,
                                 void *arg),
                       void *arg)
{
    for (unsigned i = 0; i < s->area_count; i++) {
        struct vm_area *a = &s->area[i];
        if (a->start < start || a->end > end)
            continue;
        for (uintptr_t va = a->start; va < a->end; va += (uintptr_t)PAGE_SIZE << a->order) {
            phys_t at = arch_space_lookup(&s->hw, va, NULL);
            int bad = at.a == PHYS_NONE.a ? 0 : fn(s, a, va, phys_to_pfn(at), arg);
            if (bad)
                return bad;
        }
    }
    return 0;
}

static int unmap_page(struct vm_space *s, struct vm_area *a, uintptr_t va, pfn_t p, void *arg)
{
    (void)arg;
    arch_space_unmap(&s->hw, va);
    drop_frame(s, p, a->order);
    return 0;
}

int vm_unmap(struct vm_space *s, uintptr_t start, uintptr_t end)
{
    int bad = vm_area_cut(s, start, end);
    if (bad)
        return bad;
    each_mapped(s, start, end, unmap_page, NULL);
    vm_area_remove(s, start, end);
    return 0;
}

/* A shared frame stays read-only whatever its area allows. */
static int protect_page(struct vm_space *s, struct vm_area *a, uintptr_t va, pfn_t p, void *arg)
{
    (void)arg;
    struct pages *pages = &s->memory->pages;
    bool shared = *sharers(pages, page_nr(pages, p)) > 1;
    return arch_space_protect(&s->hw, va, shared ? a->prot & ~(unsigned)PROT_W : a->prot);
}

int vm_protect(struct vm_space *s, uintptr_t start, uintptr_t end, unsigned prot)
{
    if (!vm_prot_valid(prot))
        return -TT_EINVAL;
    if (!vm_area_covers(s, start, end))
        return -TT_ENOENT;
    int bad = vm_area_cut(s, start, end);
    if (bad)
        return bad;
    for (unsigned i = 0; i < s->area_count; i++) {
        if (s->area[i].start >= start && s->area[i].end <= end)
            s->area[i].prot = (uint8_t)prot;
    }
    bad = each_mapped(s, start, end, protect_page, NULL);
    vm_area_join(s);
    return bad;
}

static int share_page(struct vm_space *parent, struct vm_area *a, uintptr_t va, pfn_t p, void *arg)
{
    struct vm_space *child = arg;
    unsigned prot = a->prot & ~(unsigned)PROT_W;
    int bad = arch_space_map(&child->hw, va, p, a->order, prot);
    if (bad)
        return bad;
    ++*sharers(&parent->memory->pages, page_nr(&parent->memory->pages, p));
    return a->prot & PROT_W ? arch_space_protect(&parent->hw, va, prot) : 0;
}

int vm_copy(struct vm_space *child, struct vm_space *parent)
{
    memcpy(child->area, parent->area, sizeof child->area);
    child->area_count = parent->area_count;
    return each_mapped(parent, ARCH_WINDOW, ARCH_WINDOW_END, share_page, child);
}

/* ---- check -------------------------------------------------------------------------------------
 */

static const char *check_page(const struct vm_space *s, const struct vm_area *a, uintptr_t va)
{
    unsigned prot;
    phys_t at = arch_space_lookup(&s->hw, va, &prot);
    if (at.a == PHYS_NONE.a)
        return NULL;
    struct pages *pages = &s->memory->pages;
    uint32_t nr = page_nr(pages, phys_to_pfn(at));
    if (nr == PAGE_NR_NONE || !page_is_block(pages, nr, PAGE_USED, a->order))
        return "vm: a mapped frame is not in use at the area's order";
    if (!*sharers(pages, nr))
        return "vm: a mapped frame has no sharer";
    if (prot & PROT_W && (!(a->prot & PROT_W) || *sharers(pages, nr) > 1))
        return "vm: a frame is writable that must not be";
    return NULL;
}

const char *vm_check(const struct vm_space *s)
{
    for (unsigned i = 0; i < s->area_count; i++) {
        const struct vm_area *a = &s->area[i];
        if (a->start >= a->end || (i && a[-1].end > a->start))
            return "vm: areas are not sorted and disjoint";
        for (uintptr_t va = a->start; va < a->end; va += (uintptr_t)PAGE_SIZE << a->order) {
            const char *broken = check_page(s, a, va);
            if (broken)
                return broken;
        }
    }
    return NULL;
}
