/* A breach of what must hold (fuzz.h). */
#include "fuzz.h"

#include <stdio.h>

void fuzz_breach(const char *condition)
{
    fprintf(stderr, "does not hold: %s\n", condition);
    abort();
}
