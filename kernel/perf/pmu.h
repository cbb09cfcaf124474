/* What else is asked of the hardware counters: the list of events, and why they do not run. */
#ifndef TT_PERF_PMU_H
#define TT_PERF_PMU_H

/* Prints the events that pmu= may name on this CPU, or why there are none. */
void pmu_list(void);

/* Why events that the command line asked for are not counted; NULL: they are, or none was. */
const char *pmu_failed(void);

#endif
