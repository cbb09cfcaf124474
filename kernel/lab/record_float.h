/* Fractional numbers in records: shortest of %.9g; inf and nan become null, never text. */
#ifndef TT_LAB_RECORD_FLOAT_H
#define TT_LAB_RECORD_FLOAT_H

#include "core/record.h"

void record_f64(struct record *r, const char *key, double value);

#endif
