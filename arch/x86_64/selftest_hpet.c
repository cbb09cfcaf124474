/*
 * Self-test `irq_hpet`: a comparator of the HPET, wired to a line of an IO-APIC that no ISA device
 * has, as a level like PCI's; the only device here whose interrupt is a level. One-shot: each of
 * its interrupts is asked for, so that their number is known exactly.
 */
#include "arch.h"
#include "core/cpu.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "hpet.h"
#include "ioapic.h"
#include "irq/irq.h"

#define FIRST_LINE 16 /* those below are ISA's, edges, and the interval timer's may be an NMI */
#define ASKED      20

/* Between two: 100 us at 10 MHz, the slowest HPET there is; 70 us at 14.3 MHz, the usual one. */
#define TICKS 1000

/* Rounds of waiting with interrupts let in. One takes 0.1 us or more: seconds in all. */
#define WINDOWS 20000000ul

static volatile uint64_t *hpet;
static unsigned timer;
static uint32_t due;
static volatile unsigned asked, came, early;
static volatile unsigned on_cpu;

/*
 * Off and on again around the change, so that a passed one is forgotten. One that has passed before
 * it was on, and interrupts only when the counter has wrapped, is set again, later.
 */
static void ask(void)
{
    volatile uint64_t *config = &hpet[HPET_TIMER(timer)];

    for (uint32_t ticks = TICKS; ticks < 1u << 30; ticks *= 2) {
        *config &= ~(uint64_t)HPET_TIMER_ENABLE;
        hpet[HPET_STATUS] = 1ul << timer;
        due = (uint32_t)hpet[HPET_COUNTER] + ticks;
        hpet[HPET_TIMER(timer) + 1] = due;
        *config |= HPET_TIMER_ENABLE;
        if ((int32_t)((uint32_t)hpet[HPET_COUNTER] - due) < 0)
            break;
    }
    asked = asked + 1;
}

static void ask_first(void *arg)
{
    (void)arg;
    ask();
}

static bool handler(unsigned irq, void *arg)
{
    uint64_t mine = 1ul << timer;

    (void)irq, (void)arg;
    if (!(hpet[HPET_STATUS] & mine))
        return false;
    hpet[HPET_STATUS] = mine;
    if ((int32_t)((uint32_t)hpet[HPET_COUNTER] - due) < 0)
        early = early + 1;
    on_cpu = cpu_id();
    came = came + 1;
    if (came < ASKED)
        ask();
    return true;
}

/* A comparator and a line that it can be wired to; -1: none. */
static int find_line(void)
{
    for (timer = 0; timer < HPET_TIMERS(hpet[HPET_CAPABILITIES]); timer++) {
        uint32_t lines = (uint32_t)(hpet[HPET_TIMER(timer)] >> HPET_TIMER_LINES);

        for (unsigned line = FIRST_LINE; line < 32; line++) {
            if ((lines >> line & 1) && ioapic_has(line))
                return (int)line;
        }
    }
    return -1;
}

/* ASKED interrupts in a row, all of them on one CPU. */
static const char *take_all(unsigned irq, unsigned cpu)
{
    uint64_t before = irq_count(irq, cpu) - irq_unhandled(irq);
    char why[80];
    const char *cannot = arch_irq_route(irq, cpu);

    if (cannot) {
        kprintf("# irq_hpet: CPU %u: %s\n", cpu, cannot);
        return cpu ? NULL : "the line cannot be routed to CPU 0";
    }
    asked = came = early = 0;
    /* There, with interrupts off: the handler asks too, and must not do it at the same time. */
    if (cpu == 0)
        ask_first(NULL);
    else if (cpu_start_call(cpu, ask_first, NULL) ||
             cpu_wait_call(cpu, CPUS_RUN_CYCLES, why, sizeof why))
        return "a CPU cannot be called";
    for (unsigned long i = 0; i < WINDOWS && came < ASKED; i++) {
        arch_irq_window();
        cpu_relax();
    }
    for (unsigned i = 0; i < 100; i++) /* one too many */
        arch_irq_window();
    if (came < ASKED)
        return "the comparator does not interrupt";
    /* Those that were passed and forgotten may have left already: nobody knows them then. */
    if (came != asked || irq_count(irq, cpu) - irq_unhandled(irq) - before != asked)
        return "not as many interrupts were counted, or came, as were asked for";
    if (on_cpu != cpu)
        return "an interrupt came to another CPU than it was routed to";
    return early ? "an interrupt came before its time" : NULL;
}

static enum selftest_verdict skip(char *msg, size_t msg_bytes, const char *why)
{
    ksnprintf(msg, msg_bytes, "%s", why);
    return SELFTEST_SKIP;
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    hpet = hpet_registers();
    if (!hpet)
        return skip(msg, msg_bytes, "this machine has no HPET that runs");

    int line = find_line();

    if (line < 0)
        return skip(msg, msg_bytes, "no comparator can be wired to a line of its own");

    unsigned irq = (unsigned)line;
    volatile uint64_t *config = &hpet[HPET_TIMER(timer)];
    uint64_t as_it_was = *config;
    const char *broken;

    *config = HPET_TIMER_LINE(irq) | HPET_TIMER_LEVEL | HPET_TIMER_32_BITS;
    hpet[HPET_STATUS] = 1ul << timer;
    if (irq_request(irq, handler, NULL))
        return skip(msg, msg_bytes, "the line cannot be had");
    /* The first and the last stand for all: with 64 emulated ones each takes a second. */
    broken = take_all(irq, 0);
    if (!broken && cpus_running() > 1)
        broken = take_all(irq, cpus_running() - 1);
    *config = as_it_was & ~(uint64_t)HPET_TIMER_ENABLE;
    hpet[HPET_STATUS] = 1ul << timer;

    bool shut = irq_describe(irq).status & IRQ_SHUT;

    irq_free(irq, handler, NULL);
    arch_irq_route(irq, 0);
    if (shut)
        return skip(msg, msg_bytes, "another device, which nobody serves, holds the line up");
    if (!broken)
        broken = irq_check();
    ksnprintf(msg, msg_bytes, "%s", broken ? broken : "");
    return broken ? SELFTEST_FAIL : SELFTEST_OK;
}

REGISTER(selftest, irq_hpet) = {
    .name = "irq_hpet",
    .proves = "a level arrives exactly as often as it was raised, on the CPU that it is routed to",
    .run = run,
};
