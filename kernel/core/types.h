/*
 * Basic types: frame numbers, physical addresses and half-open ranges of them.
 *
 * pfn_t and phys_t are distinct structs so that the compiler refuses a frame number where an
 * address is meant. Ranges are [start, end), everywhere; an empty range has start >= end.
 * Needs no libc; used by every part of the kernel, on the target and on the host.
 */
#ifndef TT_CORE_TYPES_H
#define TT_CORE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <arch/param.h> /* PAGE_SHIFT, PAGE_SIZE */

/* Number of a page frame: physical address >> PAGE_SHIFT. */
typedef struct {
    uint64_t n;
} pfn_t;

/* A physical address, in bytes. */
typedef struct {
    uint64_t a;
} phys_t;

/* "No such frame", "no such address": all ones, never a real one. */
#define PFN_NONE  ((pfn_t){UINT64_MAX})
#define PHYS_NONE ((phys_t){UINT64_MAX})

/* Frames [start, end). */
struct pfn_range {
    pfn_t start;
    pfn_t end;
};

/* Bytes [start, end) of physical memory. */
struct phys_range {
    phys_t start;
    phys_t end;
};

static inline pfn_t pfn(uint64_t n)
{
    return (pfn_t){n};
}

static inline phys_t phys(uint64_t a)
{
    return (phys_t){a};
}

static inline phys_t pfn_to_phys(pfn_t p)
{
    return (phys_t){p.n << PAGE_SHIFT};
}

/* The frame that holds a; the offset in the page is dropped. */
static inline pfn_t phys_to_pfn(phys_t a)
{
    return (pfn_t){a.a >> PAGE_SHIFT};
}

static inline uint64_t pfn_range_pages(struct pfn_range r)
{
    return r.end.n > r.start.n ? r.end.n - r.start.n : 0;
}

static inline uint64_t phys_range_bytes(struct phys_range r)
{
    return r.end.a > r.start.a ? r.end.a - r.start.a : 0;
}

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/* Rounding to a power of two. align_up wraps to 0 at the top of the range: callers check. */
static inline uint64_t align_down(uint64_t v, uint64_t to)
{
    return v & ~(to - 1);
}

static inline uint64_t align_up(uint64_t v, uint64_t to)
{
    return (v + to - 1) & ~(to - 1);
}

static inline bool is_power_of_two(uint64_t v)
{
    return v && !(v & (v - 1));
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
