/* profile=CYCLES: a profile of each level of an experiment, summed over blocks, by function. */
#ifndef TT_LAB_PROFILE_LOG_H
#define TT_LAB_PROFILE_LOG_H

#include "lab/factor.h"

/* Room for the levels of an experiment; 0 (also when profile= is not given), or -TT_ENOMEM. */
int profile_log_init(unsigned levels);
void profile_log_free(void);

/* Around the workload's run of one sample. */
void profile_log_start(void);
void profile_log_stop(unsigned level);

/* Profile records of every level, the functions with most samples first, and a table for people. */
void profile_log_write(const char *experiment, const struct levels *levels);

#endif
