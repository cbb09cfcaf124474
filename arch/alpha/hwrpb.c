/* What the HWRPB says about the machine: names for the log's machine record, the clock's rate. */
#include "arch.h"
#include "core/kprintf.h"

#include <arch/boot.h>
#include <string.h>

const struct hwrpb *arch_hwrpb;

/* Index of words in a per-CPU slot. */
#define SLOT_TYPE 22

/* Minor number in the upper half of the type. */
static const char *const cpu_names[] = {[1] = "EV3",
                                        [2] = "EV4 (21064)",
                                        [4] = "LCA4 (21066)",
                                        [5] = "EV5 (21164)",
                                        [6] = "EV45",
                                        [7] = "EV56 (21164A)",
                                        [8] = "EV6 (21264)",
                                        [9] = "PCA56 (21164PC)",
                                        [11] = "EV67 (21264A)",
                                        [12] = "EV68CB (21264C)",
                                        [13] = "EV68AL (21264B)"};

const uint64_t *hwrpb_slot(unsigned cpu)
{
    const struct hwrpb *h = arch_hwrpb;

    if (!h || cpu >= h->cpus || h->cpu_bytes < (SLOT_TYPE + 1) * sizeof(uint64_t))
        return NULL;
    return (const uint64_t *)((const char *)h + h->cpu_offset + cpu * h->cpu_bytes);
}

void arch_machine_info(struct arch_machine *m)
{
    const uint64_t *slot = hwrpb_slot(0);
    uint64_t type = slot ? slot[SLOT_TYPE] : 0;
    unsigned major = (uint32_t)type;
    const char *name = major < ARRAY_SIZE(cpu_names) ? cpu_names[major] : NULL;

    *m = (struct arch_machine){.vendor = "DEC", .family = major, .model = (unsigned)(type >> 32)};
    if (arch_hwrpb)
        m->stepping = (unsigned)arch_hwrpb->system_revision;
    /* The firmware that QEMU brings names its maker as the serial number; QEMU has only TCG here.
     */
    if (arch_hwrpb && strcmp(arch_hwrpb->ssn, "QEMU") == 0)
        strcpy(m->hypervisor, "TCG");
    ksnprintf(m->cpu, sizeof(m->cpu), "%s", name ? name : "unknown");
}

uint64_t arch_cycle_hz_stated(void)
{
    return arch_hwrpb ? arch_hwrpb->cycle_hz : 0;
}
