/*
 * A machine to model, as read from tools/machines/NAME.conf. Plain data: the parser fills it and
 * has checked it, everything else trusts it.
 *
 * What the checks guarantee: one line size for all levels, sizes that divide into whole sets,
 * powers of two where an index or a shift is made of them; write-through and no-allocate only at
 * level 1; private levels (shared_by 1) inside shared ones (shared_by = cpus); sectors and
 * prefetch only at the last level.
 */
#ifndef TOOLS_MODEL_MACHINE_H
#define TOOLS_MODEL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/perf/model_abi.h"

enum machine_inclusion {
    MACHINE_NEITHER = 0,   /* filled on the way in, evicts without asking the inner levels */
    MACHINE_INCLUSIVE = 1, /* filled on the way in, its evictions empty the inner levels too */
    MACHINE_EXCLUSIVE = 2, /* filled by inner victims, gives a line away when it is hit */
};

#define MACHINE_MAX_HASH        4u
#define MACHINE_MAX_OUTSTANDING 64u
#define MACHINE_TLB_BITS        12u
#define MACHINE_MAX_TLB         (1u << MACHINE_TLB_BITS)

struct machine_level {
    uint64_t size_bytes;
    uint32_t ways;
    uint32_t sector_bytes; /* fetched together on a miss; = line_bytes when there are no sectors */
    uint32_t latency_cycles;  /* load to use, from the start of the access */
    uint32_t bandwidth_milli; /* bytes per 1000 core cycles into the next inner level */
    uint32_t shared_by;
    enum machine_inclusion inclusion;
    bool virtual_index;
    bool write_back;
    bool write_allocate;
    bool prefetch_next;
    uint32_t hash_bits; /* top index bits: parity of the physical address under a mask each */
    uint64_t hash_mask[MACHINE_MAX_HASH];
};

struct machine {
    char name[MODEL_NAME_BYTES];
    uint32_t cpus;
    uint32_t clock_khz;
    uint32_t page_bytes;
    uint32_t line_bytes;
    uint32_t levels;
    struct machine_level level[MODEL_MAX_LEVELS];
    uint32_t memory_latency_cycles;
    uint32_t memory_bandwidth_milli;  /* bytes per 1000 core cycles, all CPUs together */
    uint32_t transfer_latency_cycles; /* a dirty line, or a permission, from another CPU */
    uint32_t outstanding_misses;
    uint32_t tlb_entries; /* 0: not modelled */
    uint32_t tlb_ways;    /* = tlb_entries: fully associative */
    uint32_t tlb_miss_cycles;
};

#define MACHINE_ERROR_BYTES 256u

/*
 * Read a machine file's text. Returns 0, or -1 with a message "line N: key: what; valid: ..." in
 * error. machine is undefined after an error.
 */
int machine_parse(struct machine *machine, const char *text, char error[MACHINE_ERROR_BYTES]);

/* Same from a file; an unreadable file is an error with its name. */
int machine_load(struct machine *machine, const char *path, char error[MACHINE_ERROR_BYTES]);

/* Sets of one level. */
uint32_t machine_sets(const struct machine *machine, uint32_t level);

#endif
