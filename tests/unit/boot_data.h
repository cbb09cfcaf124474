/*
 * For the tests of boot paths: files of tests/data/boot, and information in a buffer of exactly its
 * size, so that AddressSanitizer sees every read behind its end.
 */
#ifndef TT_UNIT_BOOT_DATA_H
#define TT_UNIT_BOOT_DATA_H

#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole file, from malloc. */
static inline char *boot_data(const char *name, size_t *bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", BOOT_DATA, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s: cannot be read", path);
    char *all = malloc(1 << 20);
    *bytes = fread(all, 1, 1 << 20, f);
    fclose(f);
    assert_true(*bytes > 0);
    return realloc(all, *bytes);
}

#endif
