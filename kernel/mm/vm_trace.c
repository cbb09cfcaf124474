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

#define FREED 0x80u /* in the kind of an allocation, while its trace is being loaded */

/* Is event i what a recording can hold? Marks the allocation that it frees. */
static bool fits(struct vm_trace *t, uint32_t i)
{
    struct vm_event e = t->event[i];
    if (vm_event_kind(e) > VM_EVENT_FREE || vm_event_order(e) > MAX_ORDER)
        return false;
    if (vm_event_kind(e) != VM_EVENT_FREE)
        return true;
    if (e.page >= i || vm_event_kind(t->event[e.page]) >= VM_EVENT_FREE ||
        vm_event_order(t->event[e.page]) != vm_event_order(e))
        return false;
    t->event[e.page].what |= FREED;
    return true;
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
    for (uint32_t i = 0; i < events; i++)
        t->event[i].what &= ~FREED;
    t->count = events;
    return 0;
}

const char *vm_trace_file(const void *data, size_t bytes, const uint32_t **words, uint32_t *events)
{
    const uint32_t *head = data;
    if (bytes < 3 * sizeof *head || head[0] != VM_TRACE_MAGIC)
        return "it is not a fault trace";
    size_t size = (size_t)head[1] * sizeof(struct vm_event);
    if (bytes - 3 * sizeof *head < size)
        return "the trace is cut";
    if (crc32_zlib(0, head + 3, size) != head[2])
        return "the trace is damaged: its CRC differs";
    *words = head + 3;
    *events = head[1];
    return NULL;
}

/* ---- replay -------------------------------------------------------------------------------------
 */

uint32_t vm_trace_peak(const struct vm_trace *t)
{
    uint64_t out = 0, most = 0;
    uint32_t peak = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t pages = 1ul << vm_event_order(t->event[i]);
        out = vm_event_kind(t->event[i]) == VM_EVENT_FREE ? out - pages : out + pages;
        if (out > most) {
            most = out;
            peak = i + 1;
        }
    }
    return peak;
}

static void give_back(struct vm_replay *r, uint32_t i)
{
    if (r->got[i].n != PFN_NONE.n)
        memory_free(r->memory, r->got[i], vm_event_order(r->trace->event[i]));
    r->got[i] = PFN_NONE;
}

void vm_replay_to(struct vm_replay *r, uint32_t end)
{
    check(1, r->trace->lost == 0 && end <= r->trace->count);
    for (; r->next < end; r->next++) {
        struct vm_event e = r->trace->event[r->next];
        pfn_t *got = &r->got[r->next];
        *got = PFN_NONE;
        if (vm_event_kind(e) == VM_EVENT_FREE) {
            give_back(r, e.page);
            continue;
        }
        struct place_request q = {.va = ARCH_WINDOW + ((uintptr_t)e.page << PAGE_SHIFT),
                                  .space = vm_event_space(e),
                                  .pid = vm_event_space(e) + 1,
                                  .order = vm_event_order(e)};
        *got = memory_alloc(r->memory, &q);
        r->unserved += got->n == PFN_NONE.n;
        r->placement = vm_placement(r->placement, *got);
    }
}

void vm_replay_drop(struct vm_replay *r)
{
    for (uint32_t i = 0; i < r->next; i++)
        give_back(r, i);
}
