/*
 * The experiment runner: levels x blocks in random order, one fresh placement per sample.
 *
 * For each experiment: warm-up blocks, then `reps` blocks; in each block every level runs once,
 * in an order drawn from the seed (a randomised complete block design), so that drift of the
 * machine hits every level alike. All levels of a block get the same seed: the same ageing, the
 * same draws.
 */
#ifndef TT_LAB_RUNNER_H
#define TT_LAB_RUNNER_H

#include "lab/workload.h"
#include "mm/memmap.h"

/*
 * Runs everything that run= names, or every stage of the preset that it names, each experiment as
 * one KTAP test. map: the memory that is left; cmdline: parsed before without an error.
 */
void lab_run(const struct memmap *map, const struct topology *topology, const char *cmdline);

#endif
