/* The experiment records: plan, levels, metrics; and progress lines for people. */
#ifndef TT_LAB_EXPERIMENT_LOG_H
#define TT_LAB_EXPERIMENT_LOG_H

#include "lab/results.h"

/* Written before the first run: everything needed to read the samples. */
void experiment_write_plan(const struct results *r, const struct subject *subject);

/* "# ... bandwidth: block 3 of 10": for people; scrapers skip it. */
void experiment_progress(const struct workload *w, unsigned block, bool record);

#endif
