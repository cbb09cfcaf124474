/* What a level asks for beyond placement: how many CPUs, and the layouts of what they share. */
#ifndef TT_MM_SMP_SETUP_H
#define TT_MM_SMP_SETUP_H

struct smp_setup {
    unsigned cpus; /* CPUs at work; 0: all that run */
};

#endif
