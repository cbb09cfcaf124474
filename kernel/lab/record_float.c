/*
 * Fractional numbers in records. See record_float.h.
 */
#include "lab/record_float.h"

#include <math.h>
#include <stdio.h>

void record_f64(struct record *r, const char *key, double value)
{
    char text[32];
    if (!isfinite(value)) {
        record_null(r, key);
        return;
    }
    snprintf(text, sizeof(text), "%.9g", value);
    record_raw(r, key, text);
}
