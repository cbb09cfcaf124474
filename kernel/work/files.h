/*
 * Sizes of files, as they were in the time of the seeds: a pure unit, also on hosts.
 *
 * Irlam's survey of November 1993: 12 million files of 1000 Unix file systems, by powers of two of
 * their size. Within a class sizes are uniform; the 0.2% above a mebibyte are left out, and empty
 * files have a page here. Mean 15 kB; seven of ten have one page of 4 kB.
 */
#ifndef TT_WORK_FILES_H
#define TT_WORK_FILES_H

#include "core/rng.h"

#define FILE_KIB_MAX 1020 /* 255 pages of 4 kB */

/* Kibibytes of the next file: a multiple of 4, from 4 to FILE_KIB_MAX. */
uint32_t file_kib(struct rng *rng);

#endif
