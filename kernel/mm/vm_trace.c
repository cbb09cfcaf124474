/* Fault traces: recording, logging, loading, replaying. Contract in vm_trace.h. */
#include "mm/vm_trace.h"

#include "core/errno.h"
#include "core/panic.h"
#include "core/record.h"

uint32_t vm_trace_add(struct vm_trace *t, struct vm_event e)
{
    if (!t)
        return VM_EVENT_NONE;
    if (t->count == t->room) {
        t->lost++;
        return VM_EVENT_NONE;
    }
    t->event[t->count] = e;
    return t->count++;
}

/* ---- as words -----------------------------------------------------------------------------------
 */

struct head {
    const struct vm_trace *trace;
    const char *name;
};

static void log_head(struct record *r, void *arg)
{
    const struct head *h = arg;
    record_str(r, "trace", h->name);
    record_u64(r, "events", h->trace->count);
    record_u64(r, "lost", h->trace->lost);
}

void vm_trace_log(const struct vm_trace *t, const char *name)
{
    struct head head = {t, name};
    record_u32_parts("trace", log_head, &head, "words", &t->event->page, (size_t)t->count * 2);
}

static bool fits(const struct vm_trace *t, uint32_t i)
{
    struct vm_event e = t->event[i];
    if (vm_event_kind(e) > VM_EVENT_FREE || vm_event_order(e) > MAX_ORDER)
        return false;
    if (vm_event_kind(e) != VM_EVENT_FREE)
        return true;
    return e.page < i && vm_event_kind(t->event[e.page]) != VM_EVENT_FREE &&
           vm_event_order(t->event[e.page]) == vm_event_order(e);
}

int vm_trace_load(struct vm_trace *t, const uint32_t *words, uint32_t events)
{
    t->count = t->lost = 0;
    if (events > t->room)
        return -TT_ENOSPC;
    for (uint32_t i = 0; i < events; i++) {
        t->event[i] = (struct vm_event){words[2 * i], words[2 * i + 1]};
        if (!fits(t, i))
            return -TT_EINVAL;
    }
    t->count = events;
    return 0;
}

/* ---- replay -------------------------------------------------------------------------------------
 */

uint32_t vm_trace_replay(const struct vm_trace *t, struct memory *m, pfn_t *got)
{
    uint32_t unserved = 0;
    check(1, t->lost == 0);
    for (uint32_t i = 0; i < t->count; i++) {
        struct vm_event e = t->event[i];
        unsigned order = vm_event_order(e);
        got[i] = PFN_NONE;
        if (vm_event_kind(e) == VM_EVENT_FREE) {
            if (got[e.page].n != PFN_NONE.n)
                memory_free(m, got[e.page], order);
            got[e.page] = PFN_NONE;
            continue;
        }
        struct place_request q = {.va = ARCH_WINDOW + ((uintptr_t)e.page << PAGE_SHIFT),
                                  .space = vm_event_space(e),
                                  .pid = vm_event_space(e) + 1,
                                  .order = order};
        got[i] = memory_alloc(m, &q);
        unserved += got[i].n == PFN_NONE.n;
    }
    return unserved;
}
