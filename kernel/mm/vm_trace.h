/*
 * Fault traces: which page of which space was given a frame and why, in order, and when it was
 * given back. Recorded under one policy, replayed under any: the same requests, other frames.
 *
 * An event is two 32-bit words, so that a trace goes into the log as an array and comes back from
 * there as it is.
 */
#ifndef TT_MM_VM_TRACE_H
#define TT_MM_VM_TRACE_H

#include "mm/memory.h"

enum vm_event_kind { VM_EVENT_READ, VM_EVENT_WRITE, VM_EVENT_EXEC, VM_EVENT_COPY, VM_EVENT_FREE };

struct vm_event {
    uint32_t page; /* its number in the window; of a free: the event that allocated the frame */
    uint32_t what; /* space << 16 | order << 8 | kind */
};

static inline struct vm_event vm_event(uint32_t page, uint32_t space, unsigned order,
                                       enum vm_event_kind kind)
{
    return (struct vm_event){page, space << 16 | order << 8 | kind};
}

static inline enum vm_event_kind vm_event_kind(struct vm_event e)
{
    return (enum vm_event_kind)(e.what & 0xff);
}

static inline unsigned vm_event_order(struct vm_event e)
{
    return e.what >> 8 & 0xff;
}

static inline uint32_t vm_event_space(struct vm_event e)
{
    return e.what >> 16;
}

struct vm_trace {
    struct vm_event *event; /* room for `room`; constant */
    uint32_t room;
    uint32_t count;
    uint32_t lost;      /* events that found no room: a trace with any cannot be replayed */
    uint64_t placement; /* hash of the frames that its requests were given, in order */
};

/* One frame more in such a hash: FNV-1a by words, so that it costs a fault two instructions. */
static inline uint64_t vm_placement(uint64_t hash, pfn_t p)
{
    return (hash ^ p.n) * 0x100000001b3;
}

/* Number of the event that a frame out of the trace's sight has. */
#define VM_EVENT_NONE UINT32_MAX

/* Appends; returns the event's number, VM_EVENT_NONE when the trace is NULL or full. */
uint32_t vm_trace_add(struct vm_trace *t, struct vm_event e);

/* Records "trace" with the words of the events as an array in parts; name says whose. */
void vm_trace_log(const struct vm_trace *t, const char *name);

/*
 * Fills t from words as logged, two per event. 0, or -TT_EINVAL (an unknown kind or order, a free
 * that no earlier allocation fits, or a second one), -TT_ENOSPC.
 */
int vm_trace_load(struct vm_trace *t, const uint32_t *words, uint32_t events);

/* How many events have passed when most pages are out. */
uint32_t vm_trace_peak(const struct vm_trace *t);

/*
 * A trace as a file, which a loader can hand over: VM_TRACE_MAGIC, the number of events, zlib's
 * CRC-32 of the words, the words; all in 32 bits, the lower byte first. NULL and the words within
 * data, or what is wrong with it. data is 4-byte aligned.
 */
#define VM_TRACE_MAGIC 0x31725474 /* "tTr1" */
const char *vm_trace_file(const void *data, size_t bytes, const uint32_t **words, uint32_t *events);

/*
 * A trace's requests repeated over an instance, tasks numbered as spaces plus 1. Start with the
 * first three members and the rest zero. Precondition: nothing was lost.
 */
struct vm_replay {
    const struct vm_trace *trace;
    struct memory *memory;
    pfn_t *got;         /* [trace->count]: the frame of an event while it is out, else PFN_NONE */
    uint32_t next;      /* event */
    uint32_t unserved;  /* requests for which there was no frame */
    uint64_t placement; /* as the trace's */
};

/* Goes on up to event `end`, which is not done. */
void vm_replay_to(struct vm_replay *r, uint32_t end);

/* Gives back what the events so far have left out. */
void vm_replay_drop(struct vm_replay *r);

#endif
