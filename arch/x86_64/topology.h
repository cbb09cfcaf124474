/* The machine's MADT, read once; NULL when there is none. After arch_vm_init. */
#ifndef X86_TOPOLOGY_H
#define X86_TOPOLOGY_H

#include "madt.h"

const struct madt *topology_madt(void);

#endif
