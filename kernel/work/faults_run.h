/*
 * One sample of the workload `faults` in progress: what its parts share. faults.c says what it
 * does.
 */
#ifndef TT_WORK_FAULTS_RUN_H
#define TT_WORK_FAULTS_RUN_H

#include "lab/workload.h"
#include "mm/vm.h"
#include "work/faults_oracle.h"

struct faults_run {
    struct sample *s;
    struct vm_space space[FAULTS_SPACES];
    unsigned spaces; /* that exist, from 0 */
    struct faults_oracle oracle;
    struct rng rng;
    uint32_t pages; /* of each space at this point */
    void *oracle_memory;
    struct touch *touch; /* of a phase */
    uint32_t touches;
    unsigned word;       /* that they touch */
    uint32_t *order;     /* as many: scratch, then the values that are written */
    uint32_t *per_color; /* [colors]: scratch */
    struct vm_trace recording;
    struct vm_trace *trace; /* that, or NULL */
    struct lab_interval time;
    uint64_t faults; /* in that time */
    bool full;       /* the policy had no frame: the point is missing */
};

static inline uintptr_t faults_address(uint32_t page)
{
    return ARCH_WINDOW + (uintptr_t)page * PAGE_SIZE;
}

/* The words that are written: 0, the page's first, and 1, its last. */
static inline volatile uint32_t *faults_word(uint32_t page, unsigned word)
{
    uintptr_t last = PAGE_SIZE - sizeof(uint32_t);
    return (volatile uint32_t *)(faults_address(page) + word * last);
}

/* A member of vm_counts, summed over the spaces. */
#define FAULTS_SUM(f, member)                                                                      \
    ({                                                                                             \
        uint64_t sum_ = 0;                                                                         \
        for (unsigned i_ = 0; i_ < (f)->spaces; i_++)                                              \
            sum_ += (f)->space[i_].counts.member;                                                  \
        sum_;                                                                                      \
    })

/* Creates the spaces and has them fault, fork, copy, unmap and protect. 0; -1: failed, or full. */
int faults_phases(struct faults_run *f);

/* Holds spaces and counts to the oracle. 0; -1: something differs, and lab_fail() says what. */
int faults_check(struct faults_run *f);

#endif
