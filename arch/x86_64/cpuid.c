/* What CPUID says about the machine: names for the log's machine record, and the caches. */
#include "arch.h"
#include "regs.h"

#include <string.h>

/* Copies the words as text, without leading and trailing blanks or anything not printable. */
static void copy_text(char *to, size_t bytes, const uint32_t *words, unsigned n)
{
    const char *from = (const char *)words;
    size_t used = 0;

    for (unsigned i = 0; i < n * sizeof(*words) && from[i] && used + 1 < bytes; i++) {
        char c = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';

        if (c != ' ' || used)
            to[used++] = c;
    }
    while (used && to[used - 1] == ' ')
        used--;
    to[used] = '\0';
}

void arch_machine_info(struct arch_machine *m)
{
    struct cpuid c = cpuid(0, 0);
    uint32_t text[12];

    copy_text(m->vendor, sizeof(m->vendor), (uint32_t[]){c.ebx, c.edx, c.ecx}, 3);

    /* Family and model are split over two fields each (Intel SDM vol. 2A, CPUID leaf 1). */
    c = cpuid(1, 0);
    m->stepping = c.eax & 0xf;
    m->model = c.eax >> 4 & 0xf;
    m->family = c.eax >> 8 & 0xf;
    if (m->family == 6 || m->family == 15)
        m->model |= c.eax >> 12 & 0xf0;
    if (m->family == 15)
        m->family += c.eax >> 20 & 0xff;

    m->hypervisor[0] = '\0';
    if (c.ecx & CPUID_HYPERVISOR) {
        c = cpuid(0x40000000, 0);
        copy_text(m->hypervisor, sizeof(m->hypervisor), (uint32_t[]){c.ebx, c.ecx, c.edx}, 3);
        if (!m->hypervisor[0])
            strcpy(m->hypervisor, "unknown");
    }

    strcpy(m->cpu, "unknown");
    if (cpuid_max(0x80000000) >= 0x80000004) {
        for (unsigned i = 0; i < 3; i++) {
            c = cpuid(0x80000002 + i, 0);
            memcpy(text + 4 * i, &c, sizeof(c));
        }
        copy_text(m->cpu, sizeof(m->cpu), text, ARRAY_SIZE(text));
    }
}
