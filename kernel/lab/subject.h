/* Planning the subject: which frames an experiment's instances own, and where they keep notes. */
#ifndef TT_LAB_SUBJECT_H
#define TT_LAB_SUBJECT_H

#include "lab/factor.h"
#include "mm/memmap.h"

/*
 * Takes about `bytes` of the map's RAM for the subject, with an area beside it that is large enough
 * for every level, so that all levels own the same frames. The map itself is not changed. strict:
 * less than bytes is an error; otherwise it takes what there is. With own_colors= the area is own
 * memory (mm/own.h), where it has those colours. 0, or -TT_ENOMEM with a message.
 *
 * On a machine with nodes, unless all levels have numa=off, each node gives as much of the subject
 * as it has of the memory that is left, in whole blocks of the largest order where it can; what a
 * node cannot give, others do. Descriptors lie on the nodes of their frames (descriptors.h), but of
 * levels with numa=off, and with own_colors=. The rest of the area lies in one piece, so on one
 * node, or where own memory does.
 */
int subject_plan(struct subject *out, const struct memmap *map, const struct topology *t,
                 const struct levels *levels, uint64_t bytes, bool strict, char *err,
                 size_t err_bytes);

#endif
