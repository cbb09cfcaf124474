/* What GS points to on each CPU. The first word is cpu_id()'s (<arch/cpu.h>). */
#ifndef X86_PERCPU_H
#define X86_PERCPU_H

#include "core/types.h"

struct percpu {
    uint32_t id;
    uint32_t apic_id;
};

/* Makes GS of the CPU that runs this point to number id's data. */
void percpu_load(unsigned id);

/* The APIC number of a running CPU. */
uint32_t percpu_apic_id(unsigned id);
void percpu_set_apic_id(unsigned id, uint32_t apic_id);

#endif
