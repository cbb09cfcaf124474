/* The factor `cpus`: how many CPUs take part in an experiment. */
#include "core/cpu.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "lab/factor.h"

#include <string.h>

static int level_cpus(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    uint64_t n = 0;
    if (strcmp(text, "all") && parse_u64(text, 1, CPU_MAX, &n)) {
        ksnprintf(err, err_bytes, "%s: valid: all, or a number from 1 to %u", text, CPU_MAX);
        return -TT_EINVAL;
    }
    s->smp.cpus = (unsigned)n;
    cpus_want((unsigned)n);
    return 0;
}

REGISTER_FACTOR(cpus, ',', "all", "N[,N...]|all",
                "CPUs at work in experiments that use several; the most of them are started",
                level_cpus, NULL, NULL);
