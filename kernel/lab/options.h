/* Options of the runner that are not factors: run, reps, warmup, passes, seed, subject, proc. */
#ifndef TT_LAB_OPTIONS_H
#define TT_LAB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct lab_options {
    char run[256];          /* run=: names, separated by commas */
    unsigned reps;          /* blocks */
    unsigned warmup;        /* blocks run first and not recorded */
    unsigned passes;        /* passes averaged within a sample */
    uint64_t seed;          /* of everything that is drawn */
    uint64_t subject_bytes; /* 0: the workload's own default */
    bool proc;              /* also print the accounting in the layout of /proc/page_color */
};

extern struct lab_options lab_options;
extern const struct lab_options lab_options_initial;

#endif
