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

/*
 * What the members did, each from its own start to its own end: waiting at the barriers is not in
 * it. Counters are the members' own, by counters_count().
 */
struct lab_cpus {
    uint64_t operations; /* calls of interleave_step(), all members together */
    /* Of those who did operations (all, if nobody did: then they take turns by waiting only): */
    uint64_t yields; /* waits for locks and for each other included */
    uint64_t cycles; /* of their clocks, all together */
    uint64_t sum[COUNTERS_MAX];
    uint64_t max[COUNTERS_MAX]; /* of the member that had most */
};

/* What a team did between its barriers: CPU 0's interval, all CPUs' lines (zero without model). */
struct lab_team_interval {
    struct lab_interval i;
    struct model_lines lines;
    struct lab_cpus cpus;
};

/*
 * Runs fn(member, arg) on CPUs 0 to n - 1 at once, member being the CPU's number: all meet at a
 * barrier, the clock starts, all work, all meet again, the clock stops. 0, or lab_fail() for a trap
 * on any of them. fn calls interleave_step() once per operation.
 */
int lab_team(struct sample *s, unsigned n, void (*fn)(unsigned member, void *arg), void *arg,
             struct lab_team_interval *out);

/* Adds up passes with other work between them, as lab_add(); max: of the passes' maxima the sum. */
void lab_team_add(struct lab_team_interval *sum, const struct lab_team_interval *part);

/* lab_measured() for workloads with .team: also the mean slice, and all members' counters. */
void lab_team_measured(struct sample *s, unsigned point, unsigned metric,
                       const struct lab_team_interval *t, uint64_t amount);

/* A value that only the cache model knows: missing without it. */
void lab_model_value(struct sample *s, unsigned point, unsigned metric, double value);

#endif
