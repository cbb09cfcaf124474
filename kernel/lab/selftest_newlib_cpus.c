/*
 * Self-test: newlib used by all CPUs at once. Its locks and each CPU's own errno hold or they do
 * not: with locks that do nothing the heap is broken within moments, with one errno for all a wrong
 * one shows up.
 */
#include "core/cpu.h"
#include "core/kprintf.h"
#include "core/selftest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 300
#define BLOCKS 8

static const char *volatile broken;

/* Blocks of changing sizes, each full of its owner's mark until it is freed. */
static void churn(void *arg)
{
    unsigned char *block[BLOCKS] = {NULL};
    size_t bytes[BLOCKS] = {0};
    unsigned char mark = (unsigned char)(cpu_id() + 1);
    (void)arg;
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned slot = i % BLOCKS;
        for (size_t b = 0; b < bytes[slot]; b++)
            if (block[slot][b] != mark)
                broken = "a block of the heap was given away twice";
        free(block[slot]);
        bytes[slot] = 16 + (i * 37 + mark * 101) % 700;
        block[slot] = malloc(bytes[slot]);
        if (!block[slot]) {
            bytes[slot] = 0;
            broken = "malloc";
            break;
        }
        memset(block[slot], mark, bytes[slot]);

        /* CPUs with an even number fail on purpose; the others must not see their errno. */
        errno = 0;
        (void)strtoul(mark % 2 ? "12345678901234567890123" : "1234", NULL, 10);
        cpu_relax();
        if (errno != (mark % 2 ? ERANGE : 0))
            broken = "errno";

        char text[40];
        snprintf(text, sizeof text, "%u:%.3f:%zu", (unsigned)mark, mark / 8.0, bytes[slot]);
        if ((unsigned)strtod(strchr(text, ':') + 1, NULL) != mark / 8u)
            broken = "snprintf or strtod";
    }
    for (unsigned slot = 0; slot < BLOCKS; slot++)
        free(block[slot]);
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    if (cpus_running() == 1) {
        ksnprintf(msg, msg_bytes, "one CPU runs");
        return SELFTEST_SKIP;
    }
    broken = NULL;
    if (cpus_run(cpus_running(), churn, NULL, msg, msg_bytes))
        return SELFTEST_FAIL;
    if (!broken)
        return SELFTEST_OK;
    ksnprintf(msg, msg_bytes, "%s", broken);
    return SELFTEST_FAIL;
}

REGISTER(selftest, newlib_cpus) = {
    .name = "newlib_cpus",
    .proves = "the C library stands several CPUs at once: heap, errno, numbers",
    .run = run,
};
