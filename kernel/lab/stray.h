/* Keys on the command line that belong to a workload which does not run. */
#ifndef TT_LAB_STRAY_H
#define TT_LAB_STRAY_H

#include <stdbool.h>
#include <stddef.h>

/* True when there is such a key, with the first of them in err: it would silently do nothing. */
bool stray_key(const char *run, char *err, size_t err_bytes);

#endif
