/* Which kind of core this CPU is, on a processor that mixes kinds. Contract in arch.h. */
#include "arch.h"
#include "core/kprintf.h"
#include "regs.h"

#define INTEL_HYBRID (1u << 15) /* leaf 7, edx: leaf 0x1a says what this core is (SDM vol. 2A) */
#define AMD_MIXED    (1u << 30) /* leaf 0x80000026, eax: ebx says so (APM vol. 3) */

/* Intel's core types are 0x40 (Core) and 0x20 (Atom); the rest of the word is the core's model. */
static const char *intel_name(uint32_t type)
{
    return type == 0x40 ? "performance" : type == 0x20 ? "efficiency" : "unknown";
}

static const char *amd_name(uint32_t type)
{
    return type == 0 ? "performance" : type == 1 ? "efficiency" : "unknown";
}

bool arch_cpu_kind(char *name, size_t bytes)
{
    if (cpuid_max(0) >= 0x1a && (cpuid(7, 0).edx & INTEL_HYBRID)) {
        uint32_t id = cpuid(0x1a, 0).eax;

        ksnprintf(name, bytes, "%s 0x%08x", intel_name(id >> 24), id);
        return true;
    }
    if (cpuid_max(0x80000000) >= 0x80000026 && (cpuid(0x80000026, 0).eax & AMD_MIXED)) {
        uint32_t type = cpuid(0x80000026, 0).ebx >> 28;

        ksnprintf(name, bytes, "%s 0x%x", amd_name(type), type);
        return true;
    }
    return false;
}
