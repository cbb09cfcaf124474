/* The records that come before the experiments: boot, machine, memory. Members: HACKING.md. */
#ifndef TT_LAB_BOOT_LOG_H
#define TT_LAB_BOOT_LOG_H

#include "boot_info.h"

struct memmap;

void boot_log_boot(const struct boot_info *bi);
void boot_log_machine(void); /* after clock_init */
void boot_log_memory(const struct memmap *map);

#endif
