/*
 * Ageing: brings an instance's free memory into the state of a machine that has been in use.
 *
 * A fresh buddy allocator hands out consecutive frames and so is perfectly coloured by accident;
 * the state that matters is fragmented. age=CYCLES:HI:LO fills single frames at random until HI
 * percent are in use, frees at random until LO percent are, CYCLES times, and holds the rest
 * while the workload measures.
 *
 * Which frames are taken and freed, and in which order, depends on the seed alone, not on the
 * allocator under test: all levels of a block see the same free frames, and so differ by placement
 * only; also of numa=on and off, since frames are drawn from all nodes alike. Freed frames go
 * through the allocator's own free path, so its lists are in the order that these frees leave
 * behind.
 */
#ifndef TT_MM_AGE_H
#define TT_MM_AGE_H

#include "core/rng.h"
#include "mm/nodes.h"

struct age_spec {
    unsigned cycles; /* 0: fresh */
    unsigned hi, lo; /* percent in use */
};

/* "off" or "CYCLES:HI:LO"; 0, or -TT_EINVAL with what would be valid. */
int age_parse(const char *s, struct age_spec *out, char *err, size_t err_bytes);

/* Bytes of scratch for count frames. */
size_t age_bytes(uint32_t count);

/* Ages a fresh instance over all its nodes. scratch: age_bytes(pages->count). O(cycles * frames).
 */
void age_run(struct nodes *n, const struct age_spec *a, struct rng rng, uint32_t *scratch);

#endif
