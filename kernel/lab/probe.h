/*
 * page_color=probe: colours as this machine shows them. For each level that asks for it the frames
 * of the subject are grouped by eviction sets (lab/eviction.h), where a load that takes long says
 * that a line has left the cache; the level's map is then the table of what was found.
 */
#ifndef TT_LAB_PROBE_H
#define TT_LAB_PROBE_H

#include "lab/factor.h"
#include "lab/workload.h"

/*
 * Fills in the maps of all levels that have none yet, and writes a record for each cache probed:
 * what was found, how often it contradicted itself, how far address bits alone would have been
 * right. Needs as many own bytes as the frames from the subject's first to its last take in a
 * table. 0, or -1 with a message.
 */
int probe_levels(const struct workload *w, struct levels *levels, const struct subject *subject,
                 char *err, size_t err_bytes);

/* The tables; no level may be used any more. */
void probe_free(void);

#endif
