/* The factors `cpus`, how many CPUs take part in an experiment, and `interleave`, how they take
 * turns. */
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

/* Beyond this many operations between turns nothing is left that could be called taking turns. */
#define INTERLEAVE_MAX 1000000

static int level_interleave(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    uint64_t n;
    if (parse_u64(text, 1, INTERLEAVE_MAX, &n)) {
        ksnprintf(err, err_bytes, "%s: valid: a number from 1 to %u", text, INTERLEAVE_MAX);
        return -TT_EINVAL;
    }
    s->smp.interleave = (uint32_t)n;
    return 0;
}

REGISTER_FACTOR(interleave, ',', "1", "N[,N...]",
                "CPUs take turns every N operations where one host thread runs them all",
                level_interleave, NULL, NULL);
