/*
 * Caches as CPUID describes them: leaf 4 (Intel SDM vol. 2A), AMD's leaf 0x8000001d in the same
 * format where the CPU has it (topology extensions), else AMD's older 0x80000005 and 0x80000006.
 *
 * Values are handed on as found; color_auto() judges them.
 */
#include "arch.h"
#include "core/kprintf.h"
#include "regs.h"

#include <string.h>

#define CPUID_TOPOEXT (1u << 22) /* leaf 0x80000001 ecx */

enum cache_type { CACHE_NONE, CACHE_DATA, CACHE_CODE, CACHE_UNIFIED };

/* Leaf 4 and 0x8000001d enumerate until a type of 0; no CPU lists more than a handful. */
#define SUBLEAVES_MAX 16

static unsigned deterministic(uint32_t leaf, const char *source, struct arch_cache *c, unsigned max)
{
    unsigned n = 0;

    for (uint32_t sub = 0; sub < SUBLEAVES_MAX && n < max; sub++) {
        struct cpuid id = cpuid(leaf, sub);
        unsigned type = id.eax & 0x1f;
        bool fully = id.eax & (1u << 9);
        unsigned line = (id.ebx & 0xfff) + 1;
        unsigned partitions = (id.ebx >> 12 & 0x3ff) + 1;
        unsigned ways = (id.ebx >> 22) + 1;

        if (type == CACHE_NONE)
            break;
        if (type != CACHE_DATA && type != CACHE_UNIFIED)
            continue;
        c[n].level = id.eax >> 5 & 7;
        c[n].size_bytes = (uint64_t)ways * partitions * line * ((uint64_t)id.ecx + 1);
        c[n].ways = fully ? 0 : ways;
        c[n].line_bytes = line;
        ksnprintf(c[n].source, sizeof(c[n].source), "%s", source);
        n++;
    }
    return n;
}

/* AMD's code of four bits for the ways of L2 and L3; 1 for the codes that say nothing. */
static unsigned amd_ways(unsigned code)
{
    static const unsigned char ways[16] = {1, 1, 2, 3, 4, 6, 8, 1, 16, 1, 32, 48, 64, 96, 128, 0};

    return ways[code];
}

static unsigned amd_old(struct arch_cache *c, unsigned max)
{
    unsigned n = 0;
    struct cpuid l1 = cpuid(0x80000005, 0);
    struct cpuid l2 = {0};

    if (cpuid_max(0x80000000) >= 0x80000006)
        l2 = cpuid(0x80000006, 0);
    if (l1.ecx >> 24 && n < max) {
        unsigned ways = l1.ecx >> 16 & 0xff;

        c[n++] = (struct arch_cache){1, (uint64_t)(l1.ecx >> 24) << 10, ways == 0xff ? 0 : ways,
                                     l1.ecx & 0xff, "cpuid 0x80000005"};
    }
    if (l2.ecx >> 16 && n < max)
        c[n++] =
            (struct arch_cache){2, (uint64_t)(l2.ecx >> 16) << 10, amd_ways(l2.ecx >> 12 & 0xf),
                                l2.ecx & 0xff, "cpuid 0x80000006"};
    if (l2.edx >> 18 && n < max)
        c[n++] =
            (struct arch_cache){3, (uint64_t)(l2.edx >> 18) << 19, amd_ways(l2.edx >> 12 & 0xf),
                                l2.edx & 0xff, "cpuid 0x80000006"};
    return n;
}

static int by_level(const struct arch_cache *a, const struct arch_cache *b)
{
    return (int)a->level - (int)b->level;
}

static void sort(struct arch_cache *c, unsigned n)
{
    for (unsigned i = 1; i < n; i++) {
        for (unsigned j = i; j > 0 && by_level(&c[j - 1], &c[j]) > 0; j--) {
            struct arch_cache swap = c[j];

            c[j] = c[j - 1];
            c[j - 1] = swap;
        }
    }
}

unsigned arch_caches(struct arch_cache *c, unsigned max)
{
    uint32_t extended = cpuid_max(0x80000000);
    unsigned n = 0;

    if (extended >= 0x8000001d && (cpuid(0x80000001, 0).ecx & CPUID_TOPOEXT))
        n = deterministic(0x8000001d, "cpuid 0x8000001d", c, max);
    if (!n && cpuid_max(0) >= 4)
        n = deterministic(4, "cpuid leaf 4", c, max);
    if (!n && extended >= 0x80000005)
        n = amd_old(c, max);
    sort(c, n);
    return n;
}
