/*
 * Self-tests of several CPUs: calls and traps in them (`cpus`), locks under contention (`locks`),
 * lines of the log from all CPUs at once (`console_cpus`). Skipped where one CPU runs.
 */
#include "core/cpu.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/lock.h"
#include "core/selftest.h"
#include "core/trap.h"

#include <string.h>

static bool alone(char *msg, size_t msg_bytes)
{
    if (cpus_running() > 1)
        return false;
    ksnprintf(msg, msg_bytes, "one CPU runs");
    return true;
}

/* ---- cpus ---------------------------------------------------------------------------------- */

static uint64_t seen[CPU_MAX]; /* what each CPU reported about itself: number, place of its stack */

static void report_self(void *arg)
{
    char on_stack;
    (void)arg;
    seen[cpu_id()] = (uintptr_t)&on_stack;
}

static void read_nothing(void *arg)
{
    (void)*(volatile char *)arg;
}

/* A trap on another CPU ends the call there, is told here, and is not counted here. */
static const char *check_trap(unsigned id, char *msg, size_t msg_bytes)
{
    uint64_t before = trap_count(TRAP_PAGE_FAULT);
    int bad = cpu_start_call(id, read_nothing, (void *)8);
    if (!bad)
        bad = cpu_wait_call(id, CPUS_RUN_CYCLES, msg, msg_bytes);
    if (bad != -TT_EFAULT)
        return "a load through a null pointer did not end the call";
    if (!strstr(msg, "address 0x8"))
        return "the trap's address is not told";
    return trap_count(TRAP_PAGE_FAULT) == before ? NULL : "a trap of another CPU was counted here";
}

static enum selftest_verdict fail(char *msg, size_t msg_bytes, unsigned id, const char *why)
{
    ksnprintf(msg, msg_bytes, "CPU %u: %s", id, why);
    return SELFTEST_FAIL;
}

static enum selftest_verdict run_cpus(char *msg, size_t msg_bytes)
{
    if (alone(msg, msg_bytes))
        return SELFTEST_SKIP;
    memset(seen, 0, sizeof seen);
    if (cpus_run(cpus_running(), report_self, NULL, msg, msg_bytes))
        return SELFTEST_FAIL;
    for (unsigned id = 0; id < cpus_running(); id++) {
        if (!seen[id])
            return fail(msg, msg_bytes, id, "did not run, or under another number");
        for (unsigned other = 0; other < id; other++) {
            /* The same call depth: stacks of their own are at least a page apart. */
            uint64_t apart = max_u64(seen[id], seen[other]) - min_u64(seen[id], seen[other]);
            if (apart < PAGE_SIZE)
                return fail(msg, msg_bytes, id, "shares a stack");
        }
    }
    for (unsigned id = 1; id < cpus_running(); id++) {
        const char *broken = check_trap(id, msg, msg_bytes);
        if (broken)
            return fail(msg, msg_bytes, id, broken);
    }
    if (cpu_start_call(0, report_self, NULL) != -TT_EBUSY ||
        cpu_start_call(cpus_running(), report_self, NULL) != -TT_ENODEV)
        return fail(msg, msg_bytes, 0, "a call to itself or to nobody is accepted");
    return SELFTEST_OK;
}

REGISTER(selftest, cpus) = {
    .name = "cpus",
    .proves = "every CPU runs what it is given, on its own stack, and reports its traps",
    .run = run_cpus,
};

/* ---- locks --------------------------------------------------------------------------------- */

/* Enough that CPUs which do not exclude each other lose some. */
#define ADDITIONS 5000

static struct lock adding = LOCK_INIT("selftest");
static volatile uint64_t sum;

static void add(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < ADDITIONS; i++) {
        /* A third of them by trying first, so that both ways in are used. */
        if (i % 3 || !lock_try(&adding))
            lock_take(&adding);
        sum = sum + 1;
        if (i % 64 == 0)
            cpu_relax(); /* inside: others then stand in line, also where CPUs take turns */
        lock_drop(&adding);
    }
}

static enum selftest_verdict run_locks(char *msg, size_t msg_bytes)
{
    if (alone(msg, msg_bytes))
        return SELFTEST_SKIP;
    sum = 0;
    if (cpus_run(cpus_running(), add, NULL, msg, msg_bytes))
        return SELFTEST_FAIL;
    uint64_t expected = (uint64_t)ADDITIONS * cpus_running();
    if (sum == expected)
        return SELFTEST_OK;
    ksnprintf(msg, msg_bytes, "%lu additions of %lu are left", (unsigned long)sum,
              (unsigned long)expected);
    return SELFTEST_FAIL;
}

REGISTER(selftest, locks) = {
    .name = "locks",
    .proves = "no addition under a lock is lost with all CPUs at it",
    .run = run_locks,
};

/* ---- console_cpus -------------------------------------------------------------------------- */

/* tests/system/test_smp.py reads these lines: each whole, and all of them there. */
#define LINES 20

static void print(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < LINES; i++)
        kprintf("# console_cpus: CPU %u says %u of %u, and nothing of it may be lost or mixed up; "
                "it is longer than one piece of kprintf\n",
                cpu_id(), i, LINES);
}

static enum selftest_verdict run_console(char *msg, size_t msg_bytes)
{
    if (alone(msg, msg_bytes))
        return SELFTEST_SKIP;
    return cpus_run(cpus_running(), print, NULL, msg, msg_bytes) ? SELFTEST_FAIL : SELFTEST_OK;
}

REGISTER(selftest, console_cpus) = {
    .name = "console_cpus",
    .proves = "all CPUs print at once; the log's reader checks that lines are whole",
    .run = run_console,
};
