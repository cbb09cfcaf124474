/*
 * Address spaces with demand faults, copy on write and protection changes, over arch_space_*.
 *
 * A space is a list of areas: ranges of addresses with a protection and a page size. An area has no
 * frames until it is touched; the fault asks the instance's policy with the faulting address, space
 * and task, which is all that a real kernel's policy gets to see. vm_copy() shares every frame
 * read-only until one side writes (fork). A frame's sharers are counted in its descriptor's
 * `count`, as kernels do.
 *
 * One CPU; the handler runs with interrupts off on the faulting stack. Table pages come from own
 * memory, frames from the instance. Nothing here waits.
 */
#ifndef TT_MM_VM_H
#define TT_MM_VM_H

#include "arch.h"
#include "mm/memory.h"
#include "mm/vm_trace.h"

#define VM_AREAS 32 /* per space: text, data, heap, stacks, and splits of them */

/* [start, end) on the area's page size. */
struct vm_area {
    uintptr_t start, end;
    uint8_t prot;  /* PROT_R, and PROT_W or PROT_X but not both */
    uint8_t order; /* of its pages: 0, or LARGE_PAGE_SHIFT - PAGE_SHIFT */
    bool zero;     /* fill new frames with zeroes, as kernels do for programs */
};

struct vm_counts {
    uint64_t faults;    /* handled: the sum of the next four */
    uint64_t demand;    /* a frame for an address that had none */
    uint64_t copied;    /* a shared frame was copied for a write */
    uint64_t reused;    /* written by its last sharer: no copy needed */
    uint64_t stale;     /* the tables allowed it already */
    uint64_t refused;   /* no area there, or its protection forbids it */
    uint64_t no_memory; /* no frame or no table page was to be had */
};

struct vm_space {
    struct memory *memory;
    uint32_t number; /* for policies, from 0 */
    uint32_t pid;    /* for policies, from 1 */
    struct arch_space hw;
    unsigned area_count;
    struct vm_area area[VM_AREAS]; /* sorted, disjoint */
    struct vm_counts counts;
    struct vm_trace *trace; /* where allocations and frees are recorded, NULL: nowhere */
};

/* An empty space over an instance. 0 or -TT_ENOMEM. */
int vm_create(struct vm_space *s, struct memory *m, uint32_t number, uint32_t pid);

/* Gives every frame and every table page back. Precondition: s is not current. */
void vm_destroy(struct vm_space *s);

/* Makes s current, with faults in the window going to vm_fault(); NULL: none, and no faults. */
void vm_switch(struct vm_space *s);

/*
 * Adds an area without frames. 0; -TT_EINVAL (not on page boundaries, empty, outside the window, no
 * PROT_R, writable and executable, an order that is no page size), -TT_EEXIST (overlaps one),
 * -TT_ENOSPC (too many areas).
 */
int vm_map(struct vm_space *s, const struct vm_area *a);

/*
 * Takes [start, end) out of all areas and frees its frames; what was not mapped is no error.
 * -TT_EINVAL when an end is inside a page of an area, -TT_ENOSPC when a split finds no room; then
 * nothing has changed.
 */
int vm_unmap(struct vm_space *s, uintptr_t start, uintptr_t end);

/*
 * Changes the protection of [start, end); -TT_ENOENT when some of it is in no area, else as
 * vm_unmap.
 */
int vm_protect(struct vm_space *s, uintptr_t start, uintptr_t end, unsigned prot);

/*
 * Fills the empty space `child` with what parent has, sharing the frames. 0 or -TT_ENOMEM; then
 * child has a part of them and can be destroyed.
 */
int vm_copy(struct vm_space *child, struct vm_space *parent);

enum vm_access { VM_READ, VM_WRITE, VM_EXEC };

/* Makes an access possible. False: it must not be (counted refused) or cannot (no_memory). */
bool vm_fault(struct vm_space *s, uintptr_t va, enum vm_access access);

/*
 * Every frame mapped is in an area, in use at the area's order, shared by at least one, writable
 * only where the area is and the frame is not shared. NULL or what is broken. O(pages of areas).
 */
const char *vm_check(const struct vm_space *s);

/* ---- areas (vm_area.c), for vm.c ------------------------------------------------------------- */

/* Readable, and not both writable and executable: what an area may be. */
bool vm_prot_valid(unsigned prot);

/* The area that holds va, NULL if none does. */
struct vm_area *vm_area_at(struct vm_space *s, uintptr_t va);

/* Splits areas so that none has start or end inside. Errors as vm_unmap, nothing changed then. */
int vm_area_cut(struct vm_space *s, uintptr_t start, uintptr_t end);

/* Is every address of [start, end) in some area? */
bool vm_area_covers(const struct vm_space *s, uintptr_t start, uintptr_t end);

/* Forgets the areas inside [start, end), which vm_area_cut has made whole. */
void vm_area_remove(struct vm_space *s, uintptr_t start, uintptr_t end);

/* Joins neighbours that are alike, so that changes there and back leave no splits. */
void vm_area_join(struct vm_space *s);

#endif
