/*
 * Teams: the CPUs of a level (cpus=) running one part of a workload each, started together,
 * measured together.
 */
#ifndef TT_LAB_TEAM_H
#define TT_LAB_TEAM_H

#include "lab/workload.h"
#include "perf/model_cpus.h"

/* CPUs at work at this level: as many as cpus= says, at most those that run. */
unsigned lab_cpus(const struct sample *s);

/* What a team did between its barriers: CPU 0's interval, all CPUs' lines (zero without model). */
struct lab_team_interval {
    struct lab_interval i;
    struct model_lines lines;
};

/*
 * Runs fn(member, arg) on CPUs 0 to n - 1 at once, member being the CPU's number: all meet at a
 * barrier, the clock starts, all work, all meet again, the clock stops. 0, or lab_fail() for a trap
 * on any of them. fn calls interleave_step() once per operation.
 */
int lab_team(struct sample *s, unsigned n, void (*fn)(unsigned member, void *arg), void *arg,
             struct lab_team_interval *out);

/* A value that only the cache model knows: missing without it. */
void lab_model_value(struct sample *s, unsigned point, unsigned metric, double value);

#endif
