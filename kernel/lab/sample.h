/* One run of a workload on one placement: the runner's side of lab/workload.h. */
#ifndef TT_LAB_SAMPLE_H
#define TT_LAB_SAMPLE_H

#include "arch.h"
#include "lab/results.h"

struct sample {
    struct results *results;
    unsigned level, block;
    bool record; /* false in warm-up blocks: values are measured and dropped */
    uint64_t seed;
    unsigned passes;
    struct memory *memory;
    struct arch_space space;
    uint64_t mapped_bytes; /* whole pages, of the level's size */
    uint64_t used_bytes;   /* of those, what the workload asked for */
    bool grown;            /* it did ask */
    uint32_t *per_color;   /* [colors]: scratch of the recount */
    int status;
    char failure[160]; /* why, when status is not 0 */
};

/* Base pages of the first `bytes` mapped by colour, from the page tables and color_of_naive(), into
 * per_color. */
void sample_recount(struct sample *s, uint64_t bytes);

/* Compares that recount with the accounting of the instance; NULL or what differs. */
const char *sample_check_account(struct sample *s);

#endif
