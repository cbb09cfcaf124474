/* What a level asks for beyond placement: how many CPUs, and the layouts of what they share. */
#ifndef TT_MM_SMP_SETUP_H
#define TT_MM_SMP_SETUP_H

#include <stdint.h>

#include "mm/pagevec.h"

struct smp_setup {
    unsigned cpus;       /* CPUs at work; 0: all that run */
    uint32_t interleave; /* operations between turns (core/interleave.h) */
    struct pagevec_layout pagevec;
    uint32_t irq_stride_bytes, irq_offset_bytes; /* interrupt descriptors (irq/layout.h) */
};

#endif
