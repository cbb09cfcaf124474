/*
 * crash=: breaks something on purpose. See crash.h. Each way must end in a panic that names it.
 */
#include "core/crash.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/cpu.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "core/types.h"

#include <string.h>

static void crash_panic(void)
{
    panic("crash=panic: asked for");
}

/* Through volatile variables, so that the compiler does not see what is wrong. */
static void crash_null(void)
{
    volatile uintptr_t address = 8;
    *(volatile char *)address = 1;
}

static void crash_text(void)
{
    volatile uintptr_t address = (uintptr_t)crash_now;
    *(volatile char *)address = 0;
}

static void crash_div(void)
{
    volatile int zero = 0, result;
    /* Not 1: the compiler answers that by comparing. */
    // cppcheck-suppress zerodiv
    result = 1000 / zero;
    (void)result;
}

static void crash_bus(void)
{
    (void)*(volatile uint32_t *)arch_map_device(phys(ARCH_BUS_ERROR), sizeof(uint32_t));
}

/* Writes every page of its stack on the way down, so that it meets the guard page. */
static unsigned descend(volatile unsigned *depth)
{
    volatile char local[256];
    local[0] = (char)++*depth;
    return *depth ? descend(depth) + (unsigned)local[0] : 0;
}

static void crash_stack(void)
{
    volatile unsigned depth = 0;
    descend(&depth);
}

static void panic_there(void *arg)
{
    (void)arg;
    /* Past the guard of the call: a panic is nobody's to catch. */
    panic("crash=cpu: asked for");
}

static void crash_cpu(void)
{
    char why[160];
    unsigned last = cpus_running() - 1;
    if (cpu_start_call(last, panic_there, NULL))
        panic("crash=cpu: there is no other CPU");
    cpu_wait_call(last, CPUS_RUN_CYCLES, why, sizeof(why));
}

static void hang_there(void *arg)
{
    for (;;)
        *(volatile unsigned *)arg = *(volatile unsigned *)arg + 1;
}

/* All CPUs at work that never ends: a watchdog's matter. */
static void crash_hang(void)
{
    static unsigned counter[CPU_MAX];
    for (unsigned id = 1; id < cpus_running(); id++)
        cpu_start_call(id, hang_there, &counter[id]);
    hang_there(&counter[0]);
}

/* crash=work waits for a workload. */
static void crash_later(void)
{
}

/* Why a way is none here, or NULL. */
#define PROTECTION                                                                                 \
    (ARCH_IMAGE_PROTECTED ? NULL : "this machine protects neither text nor the end of a stack")
#define BUS_ERROR                                                                                  \
    (ARCH_BUS_ERROR ? NULL : "this machine answers for devices that it has not, with ones")

static const struct {
    const char *name;
    void (*crash)(void);
    const char *missing;
} ways[] = {{"panic", crash_panic, NULL},       {"null", crash_null, NULL},
            {"text", crash_text, PROTECTION},   {"div", crash_div, NULL},
            {"stack", crash_stack, PROTECTION}, {"cpu", crash_cpu, NULL},
            {"hang", crash_hang, NULL},         {"work", crash_later, NULL},
            {"bus", crash_bus, BUS_ERROR}};

static void (*chosen)(void);

void crash_in_workload(void)
{
    if (chosen != crash_later)
        return;
    chosen = NULL;
    crash_null();
}

void crash_now(void)
{
    if (!chosen || chosen == crash_later)
        return;
    chosen();
    panic("crash= had no effect");
}

static int parse_crash(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    for (unsigned i = 0; i < ARRAY_SIZE(ways); i++)
        if (strcmp(value, ways[i].name) == 0) {
            if (!ways[i].missing) {
                chosen = ways[i].crash;
                return 0;
            }
            ksnprintf(err, err_bytes, "%s", ways[i].missing);
        }
    return -TT_EINVAL; /* with an empty err, the grammar says what is valid */
}

REGISTER(option, crash) = {.name = "crash",
                           .grammar = "panic|null|text|div|stack|cpu|hang|work|bus",
                           .help = "for tests: crash after the boot records",
                           .parse = parse_crash};
