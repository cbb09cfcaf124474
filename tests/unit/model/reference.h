/*
 * The model once more, slowly and in other words: caches are plain lists that are searched from
 * end to end, ages are time stamps, every rule of tools/model/model.h is a sentence of code. For
 * the differential tests; shares nothing with tools/model but the machine's description and the
 * layout of the counters.
 */
#ifndef TESTS_UNIT_MODEL_REFERENCE_H
#define TESTS_UNIT_MODEL_REFERENCE_H

#include "tools/model/machine.h"

#define REF_LINES   65536u /* line numbers must be below this */
#define REF_COPIES  1024u  /* lines in the largest cache */
#define REF_TLB     128u
#define REF_WINDOWS 1024u

struct ref_copy {
    uint64_t line;
    uint32_t set;
    char state; /* 'M', 'E', 'S', or 0: empty */
    uint64_t used;
};

struct ref_cache {
    struct ref_copy copy[REF_COPIES]; /* size / line of them are in use */
    struct ref_copy shadow[REF_COPIES];
    uint8_t met[REF_LINES];   /* ever missed or held */
    uint8_t taken[REF_LINES]; /* by another CPU's store */
};

struct ref_bus {
    uint64_t number[REF_WINDOWS];
    uint64_t used[REF_WINDOWS];
};

struct ref_cpu {
    bool active;
    uint64_t instructions;
    uint64_t serial_stall;
    uint64_t overlap_stall;
    uint64_t last_done;
    uint64_t done[MACHINE_MAX_OUTSTANDING];
    uint64_t misses_issued;
    struct {
        uint64_t page;
        uint64_t used;
    } tlb[REF_TLB];
    struct model_cpu_counts counts;
};

struct reference {
    struct machine machine;
    bool split;
    uint64_t now; /* a tick per use of anything */
    struct ref_cache cache[MODEL_MAX_LEVELS][MODEL_MAX_CPUS];
    struct ref_bus bus[MODEL_MAX_LEVELS + 1][MODEL_MAX_CPUS];
    struct ref_cpu cpu[MODEL_MAX_CPUS];
};

struct reference *reference_create(const struct machine *machine, bool split);
void reference_access(struct reference *ref, uint32_t cpu, uint64_t virt, uint64_t phys,
                      bool store);
void reference_read(const struct reference *ref, uint32_t cpu, struct model_cpu_counts *counts);

#endif
