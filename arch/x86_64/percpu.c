/* Per-CPU data of the port. Contract in percpu.h. */
#include "percpu.h"

#include "core/cpu.h"
#include "regs.h"

_Static_assert(offsetof(struct percpu, id) == 0, "cpu_id() reads gs:0");

static PER_CPU(struct percpu, percpu);

void percpu_load(unsigned id)
{
    cpu_of(percpu, id).id = id;
    wrmsr(MSR_GS_BASE, (uintptr_t)&cpu_of(percpu, id));
}

uint32_t percpu_apic_id(unsigned id)
{
    return cpu_of(percpu, id).apic_id;
}

void percpu_set_apic_id(unsigned id, uint32_t apic_id)
{
    cpu_of(percpu, id).apic_id = apic_id;
}
