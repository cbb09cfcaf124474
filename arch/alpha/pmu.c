/*
 * Hardware counters: the 21264's two are programmed through wrperfmon, which QEMU's PALcode does
 * not have. There has been no machine to try them on, so they count as missing everywhere.
 */
#include "arch.h"

#include <string.h>

const char *arch_pmu_init(void)
{
    struct arch_machine m;

    arch_machine_info(&m);
    return m.hypervisor[0] ? "QEMU emulates no performance counters (wrperfmon)"
                           : "the counters of this CPU (wrperfmon) are not supported";
}

uint64_t arch_pmu_read(enum pmu_event e)
{
    (void)e;
    return 0;
}
