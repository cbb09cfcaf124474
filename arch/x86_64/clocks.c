/* The cycle counter's name and stated rate, and the list of reference clocks. */
#include "arch.h"
#include "ref_clocks.h"
#include "regs.h"

const char arch_cycle_source[] = "tsc";

#define REF_CLOCKS 3

/* Probed only as far as asked for, after arch_vm_init: ACPI is needed. */
unsigned arch_ref_clocks(struct arch_ref_clock *r, unsigned max)
{
    static bool (*const probes[REF_CLOCKS])(struct arch_ref_clock *) = {hpet_probe, acpi_pm_probe,
                                                                        pit_probe};
    static struct arch_ref_clock found[REF_CLOCKS];
    static unsigned count, probed;

    for (; probed < REF_CLOCKS && count < max; probed++)
        count += probes[probed](&found[count]);

    unsigned n = count < max ? count : max;

    for (unsigned i = 0; i < n; i++)
        r[i] = found[i];
    return n;
}

uint64_t arch_cycle_hz_stated(void)
{
    uint32_t max = cpuid_max(0);

    /* Crystal times ratio: exact (Intel SDM vol. 2A, leaf 0x15). */
    if (max >= 0x15) {
        struct cpuid c = cpuid(0x15, 0);

        if (c.eax && c.ebx && c.ecx)
            return (uint64_t)c.ecx * c.ebx / c.eax;

        /* Ratio without crystal: the counter runs at the base frequency, stated in whole MHz. */
        if (c.eax && c.ebx && max >= 0x16)
            return (uint64_t)(cpuid(0x16, 0).eax & 0xffff) * 1000000;
    }

    /* A hypervisor's timing leaf, in kHz (VMware's convention; QEMU and KVM follow it). */
    if ((cpuid(1, 0).ecx & CPUID_HYPERVISOR) && cpuid_max(0x40000000) >= 0x40000010)
        return (uint64_t)cpuid(0x40000010, 0).eax * 1000;
    return 0;
}

int arch_cycle_invariant(void)
{
    if (cpuid_max(0x80000000) < 0x80000007)
        return -1;
    return cpuid(0x80000007, 0).edx >> 8 & 1;
}
