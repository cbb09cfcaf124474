/* Model-specific registers that firmware leaves. Contract in cpu_state.h. */
#include "cpu_state.h"

#include "core/kprintf.h"

#include <arch/hw.h>

#define CPUID_MCA (1u << 14) /* leaf 1 edx */
#define CPUID_PAT (1u << 16) /* leaf 1 edx */
#define INTEL     0x756e6547 /* "Genu", leaf 0 ebx */

#define MSR_MISC_ENABLE   0x1a0
#define MISC_LIMIT_CPUID  (1ul << 22)
#define LIMITED_CPUID_MAX 3 /* what it limits to; every 64-bit Intel CPU has leaf 4 and more */

/* WB, WT, UC-, UC, twice: entry 3 is what pte.h takes for devices (Intel SDM vol. 3A, 12.12.4). */
#define MSR_PAT   0x277
#define PAT_RESET 0x0007040600070406ul

#define MSR_MC_CAP     0x179
#define MSR_MC_STATUS  0x401 /* of bank 0; its address and more behind it; 4 registers a bank */
#define MC_VALID       (1ul << 63)
#define MC_HAS_MISC    (1ul << 59)
#define MC_HAS_ADDRESS (1ul << 58)

static void unlimit_cpuid(void)
{
    struct cpuid c = cpuid(0, 0);

    if (c.ebx != INTEL || c.eax > LIMITED_CPUID_MAX)
        return;

    uint64_t v = rdmsr(MSR_MISC_ENABLE);

    if (v & MISC_LIMIT_CPUID)
        wrmsr(MSR_MISC_ENABLE, v & ~MISC_LIMIT_CPUID);
}

/* Nothing but plain cached memory is mapped so far, by entries that mean it in both. */
static void reset_pat(void)
{
    if (!(cpuid(1, 0).edx & CPUID_PAT) || rdmsr(MSR_PAT) == PAT_RESET)
        return;
    flush_caches();
    wrmsr(MSR_PAT, PAT_RESET);
    flush_caches();
}

void cpu_state_init(void)
{
    unlimit_cpuid();
    reset_pat();
}

void machine_check_print(void)
{
    if (!(cpuid(1, 0).edx & CPUID_MCA))
        return;

    unsigned banks = rdmsr(MSR_MC_CAP) & 0xff;

    for (unsigned i = 0; i < banks; i++) {
        uint32_t msr = MSR_MC_STATUS + 4 * i;
        uint64_t status = rdmsr(msr);

        if (!(status & MC_VALID))
            continue;
        kprintf("# machine check: bank %u status %016lx", i, status);
        if (status & MC_HAS_ADDRESS)
            kprintf(" address %016lx", rdmsr(msr + 1));
        if (status & MC_HAS_MISC)
            kprintf(" misc %016lx", rdmsr(msr + 2));
        kprintf("\n");
    }
}
