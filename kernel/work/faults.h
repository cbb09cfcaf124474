/* The trace that the workload `faults` has recorded, for `replay`. */
#ifndef TT_WORK_FAULTS_H
#define TT_WORK_FAULTS_H

#include "mm/vm_trace.h"

/*
 * A hash of placements (mm/vm_trace.h) as a value: 29 bits, which all numbers of the log hold.
 * Equal for equal placements, different for others but once in 5 * 10^8.
 */
static inline double placement_value(uint64_t hash)
{
    return (double)(hash >> 35);
}

/* NULL: nothing was recorded in this boot. It lives until the boot's end. */
const struct vm_trace *faults_trace(void);

#endif
