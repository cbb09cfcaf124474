/*
 * The contract between a guest kernel and the cache model (tools/model): a few pages of guest RAM
 * that the model fills in and the guest reads by plain loads, and command numbers that travel the
 * other way inside no-op instructions (arch/model_cmd.h). Included by both sides, so it must stay
 * freestanding, free of #ifdefs, and of one layout on every target (all fields are naturally
 * aligned; both supported targets are little-endian). tools/model/README.md has the protocol.
 */
#ifndef KERNEL_PERF_MODEL_ABI_H
#define KERNEL_PERF_MODEL_ABI_H

#include <stddef.h>
#include <stdint.h>

/* "TTMODEL" and the layout's number: the guest accepts exactly the version it was built with. */
#define MODEL_MAGIC   UINT64_C(0x314c45444f4d5454)
#define MODEL_VERSION 1u

#define MODEL_MAX_CPUS      8u /* the largest machine file (zen3) has 8 */
#define MODEL_MAX_LEVELS    4u /* three is the most any machine file has */
#define MODEL_MAX_SNAPSHOTS 2u /* one before, one after */
#define MODEL_MAX_REGIONS   32u
#define MODEL_MAX_RANGES    16u
#define MODEL_NAME_BYTES    16u
#define MODEL_ARGS          6u

/* Size and alignment of the shared area: physically contiguous, 32 KiB, 8 KiB aligned. */
#define MODEL_AREA_BYTES 32768u
#define MODEL_AREA_ALIGN 8192u

/*
 * Commands. The number is the high byte of the no-op's magic, the argument ("aa") its low byte.
 * 0x41 and up keeps clear of the displacements 0, that compilers and assemblers use as padding.
 * "box" means: further arguments are read from the calling CPU's box, written there before.
 */
enum model_command {
    MODEL_CMD_ANNOUNCE = 0x41,     /* the next store of this CPU goes to the area's first word */
    MODEL_CMD_ATTACH = 0x42,       /* the next store of this CPU goes to its own box's attach */
    MODEL_CMD_LATCH = 0x43,        /* copy all live counters to snapshot aa */
    MODEL_CMD_RESET = 0x44,        /* counters, clocks, regions, range counts to 0; caches stay */
    MODEL_CMD_FLUSH = 0x45,        /* empty caches and TLBs, forget what was ever seen */
    MODEL_CMD_REGION_BEGIN = 0x46, /* region aa of this CPU starts; regions may nest, overlap */
    MODEL_CMD_REGION_END = 0x47,   /* add what this CPU counted since the begin to region aa */
    MODEL_CMD_RANGE = 0x48,        /* box: physical start, end; box name. Names range aa */
    MODEL_CMD_IDLE_BEGIN = 0x49,   /* this CPU's accesses and instructions stop to count */
    MODEL_CMD_IDLE_END = 0x4a,     /* ... and count again */
    MODEL_CMD_RELEASE = 0x4b,      /* publish this CPU's clocks in slot aa (MODEL_KEY_IN_BOX) */
    MODEL_CMD_ACQUIRE = 0x4c,      /* wait for the clocks published in slot aa (same) */
    MODEL_CMD_SAMPLE_START = 0x4d, /* box: enum model_sample_arg */
    MODEL_CMD_SAMPLE_STOP = 0x4e,
    MODEL_CMD_SPLIT = 0x4f,      /* aa 1: tell misses by kind from now on (slower); 0: do not */
    MODEL_CMD_RANGE_MORE = 0x50, /* box: physical start, end. A further piece of range aa */
};

/* aa of RELEASE and ACQUIRE: the slot's 64-bit key (a lock's address, say) is args[0] of the box */
#define MODEL_KEY_IN_BOX 0xffu

/* args[] of MODEL_CMD_SAMPLE_START; the histogram is an array of uint32_t in guest RAM. */
enum model_sample_arg {
    MODEL_SAMPLE_PHYS = 0,     /* physical address of the histogram, 4-byte aligned */
    MODEL_SAMPLE_BUCKETS = 1,  /* its length; samples outside count in the last bucket */
    MODEL_SAMPLE_PC_BASE = 2,  /* virtual address of bucket 0 */
    MODEL_SAMPLE_SHIFT = 3,    /* a bucket is 1 << shift bytes of code */
    MODEL_SAMPLE_INTERVAL = 4, /* cycles of the serial clock between two samples, >= 1 */
};

/* Result of a CPU's last command, in its box. */
enum model_status {
    MODEL_OK = 0,
    MODEL_BAD_COMMAND = 1,  /* no such command: the guest is newer than the model */
    MODEL_BAD_ARGUMENT = 2, /* index or address out of range; nothing was done */
    MODEL_FULL = 3,         /* no free release/acquire slot; nothing was done */
};

/* Counts of one cache level as one CPU used it. hits + misses == accesses. */
struct model_level_counts {
    uint64_t accesses;
    uint64_t hits;
    uint64_t misses;
    uint64_t compulsory; /* the four kinds sum up to misses while SPLIT is on, else stay */
    uint64_t capacity;
    uint64_t conflict;
    uint64_t coherence;
    uint64_t writebacks;       /* dirty lines this level pushed outwards */
    uint64_t extra_fills;      /* lines fetched unasked: sector partners and prefetches */
    uint64_t invalidations;    /* lines taken away by other CPUs' stores */
    uint64_t back_invalidates; /* lines lost because an inclusive outer level evicted them */
    uint64_t reserved;
};

/* Everything counted for one CPU. Clocks are in cycles of the modelled machine since RESET. */
struct model_cpu_counts {
    uint64_t serial_cycles;  /* every miss waits */
    uint64_t overlap_cycles; /* misses overlap, buses are shared */
    uint64_t instructions;
    uint64_t loads; /* line accesses: one that straddles two lines counts twice */
    uint64_t stores;
    uint64_t straddles;        /* accesses that touched two lines */
    uint64_t tlb_misses;       /* of the modelled TLB */
    uint64_t upgrades;         /* stores to a line held shared */
    uint64_t transfers_in;     /* dirty lines that came from another CPU */
    uint64_t transfers_out;    /* dirty lines another CPU took or read from here */
    uint64_t snoop_writebacks; /* dirty lines written to memory because another CPU read them */
    uint64_t memory_reads;     /* lines fetched from memory, extra fills included */
    uint64_t memory_writes;    /* lines written to memory */
    uint64_t synonyms;         /* lines moved between positions of a virtually indexed cache */
    uint64_t page_crossers;    /* accesses that crossed a page: counted at their first byte only */
    uint64_t idle_skipped;     /* accesses between IDLE_BEGIN and IDLE_END: in no other counter */
    struct model_level_counts level[MODEL_MAX_LEVELS];
};

/* One level of the machine. way_bytes = size_bytes / ways is what colours are made of. */
struct model_level_info {
    uint64_t size_bytes;
    uint32_t ways;
    uint32_t line_bytes;
    uint32_t sector_bytes;
    uint32_t latency_cycles;
    uint32_t bandwidth_milli; /* bytes per 1000 core cycles on this level's bus */
    uint32_t shared_by;       /* CPUs on one instance */
    uint8_t virtual_index;
    uint8_t write_back;
    uint8_t write_allocate;
    uint8_t inclusion; /* 0 neither, 1 inclusive, 2 exclusive */
    uint8_t prefetch;  /* 1: next line */
    uint8_t hash_bits; /* index bits that are XORs of address bits: hash_mask[] */
    uint8_t pad[2];
    uint64_t hash_mask[4];
};

/* Set once, at ANNOUNCE. */
struct model_machine_info {
    char name[MODEL_NAME_BYTES]; /* NUL-terminated */
    uint32_t cpus;               /* of the machine; the guest may start fewer, not more */
    uint32_t levels;
    uint32_t clock_khz;
    uint32_t page_bytes;
    uint32_t memory_latency_cycles;
    uint32_t memory_bandwidth_milli;
    uint32_t transfer_latency_cycles;
    uint32_t outstanding_misses;
    uint32_t tlb_entries; /* 0: no TLB modelled */
    uint32_t tlb_ways;
    uint32_t tlb_miss_cycles;
    uint32_t pad;
    struct model_level_info level[MODEL_MAX_LEVELS];
};

/* A CPU's letterbox: the guest writes attach, args and name, the model writes status. */
struct model_box {
    uint64_t attach;
    uint64_t args[MODEL_ARGS];
    char name[MODEL_NAME_BYTES];
    uint64_t status; /* enum model_status */
    uint64_t pad[6]; /* 128 bytes: a box shares no line of any machine with another */
};

struct model_snapshot {
    uint64_t latched; /* how often this snapshot was taken; 0: never */
    uint64_t pad[7];
    struct model_cpu_counts cpu[MODEL_MAX_CPUS];
};

/* What the CPUs counted between REGION_BEGIN and REGION_END, summed up. */
struct model_region {
    uint64_t ends; /* how many begin/end pairs */
    struct model_cpu_counts sum;
};

/* Events on lines inside one named physical address range, all CPUs together. */
struct model_range {
    char name[MODEL_NAME_BYTES];
    uint64_t start_phys; /* [start, end), of several pieces the span; equal: unused */
    uint64_t end_phys;
    uint64_t misses;        /* accesses that left their CPU's private caches */
    uint64_t transfers;     /* of those, served by another CPU's dirty line */
    uint64_t upgrades;      /* stores that had to ask the other CPUs */
    uint64_t invalidations; /* copies taken away */
    uint64_t pad[2];
};

/* The shared area. The guest zeroes it before ANNOUNCE; magic still 0 afterwards: no model. */
struct model_area {
    uint64_t announce; /* the guest's marked store goes here; its value is ignored */
    uint64_t magic;
    uint32_t version;
    uint32_t area_bytes;
    uint32_t split_on;
    uint32_t pad0;
    struct model_machine_info machine;
    uint64_t pad1[16]; /* boxes start at 512 */
    struct model_box box[MODEL_MAX_CPUS];
    struct model_range range[MODEL_MAX_RANGES];
    struct model_snapshot snapshot[MODEL_MAX_SNAPSHOTS];
    struct model_region region[MODEL_MAX_REGIONS];
};

_Static_assert(sizeof(struct model_level_counts) == 96, "12 counters");
_Static_assert(sizeof(struct model_cpu_counts) == 512, "16 counters and 4 levels");
_Static_assert(sizeof(struct model_box) == 128, "one box, one line");
_Static_assert(offsetof(struct model_area, box) == 512, "boxes are aligned to lines");
_Static_assert(sizeof(struct model_area) <= MODEL_AREA_BYTES, "the area holds it all");

#endif
