/*
 * The bundle `levels=`: named levels that set several factors at once.
 *
 *     levels=NAME[:KEY=LEVEL[+KEY=LEVEL...]][/NAME...]
 *     levels=ref/p-al:page_struct=2.2:48/irq:irq_desc=32/both:page_struct=2.2:48+irq_desc=32
 *
 * What a level does not set keeps its value from the rest of the command line, so a name alone is
 * the reference. For comparisons that no cross product gives: each of several changes, and all of
 * them, against one reference. A '+' begins the next key only where a key and '=' follow, since
 * levels may hold one (irq_desc=16+16).
 */
#ifndef TT_LAB_BUNDLE_H
#define TT_LAB_BUNDLE_H

#include "lab/factor.h"

/* The name of a level; false, with a message in err, when there is none, or no valid one. */
bool bundle_name(const char *text, char name[LEVEL_LABEL_BYTES], char *err, size_t err_bytes);

/* Sets in l what the level sets; 0, or -TT_EINVAL with a message. */
int bundle_apply(const char *text, struct level *l, char *err, size_t err_bytes);

/* Does any level of levels= set this factor? Then its own level is only where that starts from. */
bool bundle_sets(const struct factor *f);

/* Is every factor that is set one of this workload's, with one level of its own? Else as above. */
int bundle_check(const char *workload, char *err, size_t err_bytes);

/*
 * What the level means: all factors that levels= sets, "page_struct=2.2:40 irq_desc=16", those that
 * this level leaves alone with their own level.
 */
#define BUNDLE_MEANING_BYTES 4096 /* twice the longest command line */
void bundle_meaning(const char *text, char out[BUNDLE_MEANING_BYTES]);

#endif
