/*
 * Boot modules for workloads: files that the loader put into memory (QEMU: -initrd FILE).
 */
#ifndef TT_LAB_MODULES_H
#define TT_LAB_MODULES_H

#include "boot_info.h"

/* Remembers where they are. Once, before lab_run(). */
void lab_modules_init(const struct boot_info *bi);

struct lab_module {
    const void *data; /* page aligned, the same until the end of the boot */
    size_t bytes;
    const char *label;
};

/* The i-th; false when there is none. */
bool lab_module(unsigned i, struct lab_module *m);

#endif
