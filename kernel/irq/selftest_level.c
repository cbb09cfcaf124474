/*
 * Self-test `irq_level`: an interrupt that is a level, by the timer of the board that has one
 * (arch.h; the HPET on a PC). Each is asked for, so that their number is known exactly.
 */
#include "arch.h"
#include "core/cpu.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "irq/irq.h"

#define ASKED 20

/* Rounds of waiting with interrupts let in. One takes 0.1 us or more: seconds in all. */
#define WINDOWS 20000000ul

static volatile unsigned asked, came, early_ones;
static volatile unsigned on_cpu;

static void ask(void *arg)
{
    (void)arg;
    arch_level_ask();
    asked = asked + 1;
}

static bool handler(unsigned irq, void *arg)
{
    bool early;

    (void)irq;
    if (!arch_level_take(&early))
        return false;
    early_ones = early_ones + early;
    on_cpu = cpu_id();
    came = came + 1;
    if (came < ASKED)
        ask(arg);
    return true;
}

/* ASKED interrupts in a row, all of them on one CPU. */
static const char *take_all(unsigned irq, unsigned cpu)
{
    uint64_t before = irq_count(irq, cpu) - irq_unhandled(irq);
    const char *cannot = arch_irq_route(irq, cpu);
    char why[80];

    if (cannot) {
        kprintf("# irq_level: CPU %u: %s\n", cpu, cannot);
        return cpu ? NULL : "the line cannot be routed to CPU 0";
    }
    asked = came = early_ones = 0;
    /* There, with interrupts off: the handler asks too, and must not do it at the same time. */
    if (cpu == 0)
        ask(NULL);
    else if (cpu_start_call(cpu, ask, NULL) || cpu_wait_call(cpu, CPUS_RUN_CYCLES, why, sizeof why))
        return "a CPU cannot be called";
    for (unsigned long i = 0; i < WINDOWS && came < ASKED; i++) {
        arch_irq_window();
        cpu_relax();
    }
    for (unsigned i = 0; i < 100; i++) /* one too many */
        arch_irq_window();
    if (came < ASKED)
        return "a level that goes up does not interrupt";
    /* Those that were passed and forgotten may have left already: nobody knows them then. */
    if (came != asked || irq_count(irq, cpu) - irq_unhandled(irq) - before != asked)
        return "not as many interrupts were counted, or came, as were asked for";
    if (on_cpu != cpu)
        return "an interrupt came to another CPU than it was routed to";
    return early_ones ? "an interrupt came before its time" : NULL;
}

/* The first and the last stand for all: with 64 emulated ones each takes a second. */
static const char *take_on_both(unsigned irq)
{
    const char *broken = take_all(irq, 0);

    if (!broken && cpus_running() > 1)
        broken = take_all(irq, cpus_running() - 1);
    return broken;
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    const char *why = "", *broken = "the line cannot be had";
    bool shut = false;
    int irq = arch_level_start(&why);

    if (irq < 0) {
        ksnprintf(msg, msg_bytes, "%s", why);
        return SELFTEST_SKIP;
    }
    if (!irq_request((unsigned)irq, handler, NULL)) {
        broken = take_on_both((unsigned)irq);
        arch_level_stop();
        shut = irq_describe((unsigned)irq).status & IRQ_SHUT;
        irq_free((unsigned)irq, handler, NULL);
        arch_irq_route((unsigned)irq, 0);
    } else {
        arch_level_stop();
    }
    if (shut) {
        ksnprintf(msg, msg_bytes, "another device, which nobody serves, holds the line up");
        return SELFTEST_SKIP;
    }
    if (!broken)
        broken = irq_check();
    ksnprintf(msg, msg_bytes, "%s", broken ? broken : "");
    return broken ? SELFTEST_FAIL : SELFTEST_OK;
}

REGISTER(selftest, irq_level) = {
    .name = "irq_level",
    .proves = "a level arrives exactly as often as it was raised, on the CPU that it is routed to",
    .run = run,
};
