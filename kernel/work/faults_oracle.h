/*
 * What the spaces of the workload `faults` must look like: sharing, values and faults by kind, kept
 * in plain arrays that know nothing of page tables and frames. The workload is held to it.
 */
#ifndef TT_WORK_FAULTS_ORACLE_H
#define TT_WORK_FAULTS_ORACLE_H

#include "work/faults_program.h"

#include <stddef.h>

#define ORACLE_NONE  UINT32_MAX
#define ORACLE_WORDS 2

struct faults_oracle {
    uint32_t pages;    /* of each space */
    uint32_t copies;   /* contents that there have been: each demand and each copy makes one */
    uint32_t *content; /* [space][page]: which content is there, or ORACLE_NONE */
    uint8_t *writable; /* [space][page]: a write does not fault */
    uint32_t *sharers; /* [content] */
    uint32_t *value;   /* [content][ORACLE_WORDS]: its first and its last word */
    uint64_t demand, copied, reused; /* faults so far */
};

/* Bytes that an oracle for so many pages needs: a content per space and page, and once more as much
 * for what is unmapped and touched again. */
size_t oracle_bytes(uint32_t pages);

/* Nothing is mapped. memory: oracle_bytes(pages), 4-byte aligned. */
void oracle_init(struct faults_oracle *o, uint32_t pages, void *memory);

/* The space touches a word of the page; value is what it writes. */
void oracle_touch(struct faults_oracle *o, const struct touch *t, unsigned word, uint32_t value);

/* child, empty, becomes a copy of parent. */
void oracle_fork(struct faults_oracle *o, unsigned child, unsigned parent);

/* Pages [first, end) lose what is there, or are made read-only and writable again. */
void oracle_unmap(struct faults_oracle *o, unsigned space, uint32_t first, uint32_t end);
void oracle_protect(struct faults_oracle *o, unsigned space, uint32_t first, uint32_t end);

/* What is there: ORACLE_WORDS values; NULL: nothing. */
const uint32_t *oracle_values(const struct faults_oracle *o, unsigned space, uint32_t page);

#endif
