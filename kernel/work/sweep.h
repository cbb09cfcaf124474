/* The sweep of working sets that bandwidth and latency share: around the coloured cache's size. */
#ifndef TT_WORK_SWEEP_H
#define TT_WORK_SWEEP_H

#include "lab/workload.h"

/* 1/16 of the cache to 4 times its size, doubling: 7 points, fewer below a page. */
unsigned sweep_points(const struct lab_scale *scale, uint64_t *x);

/*
 * 64 times the cache: with half of it in use there are 32 pages of each colour and way on average,
 * where the largest working set needs 4: a colour runs out less than once in 10^8 instances. At
 * least 32 MiB, so that the random lists of a small cache's memory are as long as a large one's.
 */
uint64_t sweep_subject_bytes(const struct lab_scale *scale);

/* The same for a working set that does not depend on the cache: at least 4 times its size, so that
 * with half of the memory in use it finds twice as much as it needs. */
uint64_t sweep_subject_for(const struct lab_scale *scale, uint64_t working_set_bytes);

#endif
