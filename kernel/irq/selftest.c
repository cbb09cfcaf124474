/*
 * Self-tests of interrupts, with real ones: sent between CPUs (`irq_ipi`), each CPU's timer
 * (`irq_timer`), and two devices of the ISA bus, the clock (`irq_rtc`) and the serial port that
 * carries this log (`irq_uart`), also on another CPU (`irq_route`).
 */
#include "core/selftest.h"
#include "arch.h"
#include "core/cpu.h"
#include "core/kprintf.h"
#include "irq/irq.h"

#include <arch/io.h>

/* Rounds of waiting with interrupts let in. A window takes 0.1 us or more: seconds in all. */
#define WINDOWS 20000000ul

static volatile uint32_t came[CPU_MAX]; /* of the interrupt under test, by CPU */

static bool count_here(unsigned irq, void *arg)
{
    (void)irq, (void)arg;
    came[cpu_id()] = came[cpu_id()] + 1;
    return true;
}

/* Lets interrupts in until n more have come to this CPU. */
static bool wait_here(uint32_t n)
{
    uint32_t until = came[cpu_id()] + n;
    for (unsigned long i = 0; i < WINDOWS; i++) {
        arch_irq_window();
        if ((int32_t)(came[cpu_id()] - until) >= 0)
            return true;
        cpu_relax();
    }
    return false;
}

static enum selftest_verdict skip(char *msg, size_t msg_bytes, const char *why)
{
    ksnprintf(msg, msg_bytes, "%s", why);
    return SELFTEST_SKIP;
}

static enum selftest_verdict result(char *msg, size_t msg_bytes, const char *broken)
{
    if (!broken)
        broken = irq_check();
    ksnprintf(msg, msg_bytes, "%s", broken ? broken : "");
    return broken ? SELFTEST_FAIL : SELFTEST_OK;
}

/* ---- irq_ipi ------------------------------------------------------------------------------- */

#define SENDS 100

/* Each CPU sends to itself and to the next one; idle CPUs take interrupts while they halt. */
static const char *send_all(unsigned irq, unsigned cpu)
{
    for (unsigned i = 0; i < SENDS; i++) {
        uint32_t before = came[cpu];
        arch_irq_send(irq, cpu);
        for (unsigned long w = 0; came[cpu] == before; w++) {
            if (w == WINDOWS)
                return "an interrupt that was sent did not arrive";
            arch_irq_window();
            cpu_relax();
        }
    }
    return NULL;
}

static enum selftest_verdict run_ipi(char *msg, size_t msg_bytes)
{
    const char *broken = NULL;
    int irq = arch_irq_of_ipi(0);
    if (irq < 0)
        return skip(msg, msg_bytes, "this machine has no interrupt controller that is known");
    if (irq_request((unsigned)irq, count_here, NULL))
        return result(msg, msg_bytes, "no action");
    for (unsigned cpu = 0; cpu < cpus_running() && !broken; cpu++) {
        uint64_t before = irq_count((unsigned)irq, cpu);
        broken = send_all((unsigned)irq, cpu);
        if (!broken && irq_count((unsigned)irq, cpu) - before != SENDS)
            broken = "the count of a CPU is not what was sent to it";
    }
    irq_free((unsigned)irq, count_here, NULL);
    return result(msg, msg_bytes, broken);
}

REGISTER(selftest, irq_ipi) = {
    .name = "irq_ipi",
    .proves = "what one CPU sends to another or to itself is dispatched there, and counted",
    .run = run_ipi,
};

/* ---- irq_timer ----------------------------------------------------------------------------- */

#define TIMER_NS 200000
#define TICKS    5

static const char *volatile timer_broken;

static void tick_here(void *arg)
{
    unsigned irq = (unsigned)arch_irq_of_timer();
    uint64_t before = irq_count(irq, cpu_id());
    (void)arg;
    if (arch_timer_every(TIMER_NS) || !wait_here(TICKS))
        timer_broken = "a CPU's timer does not interrupt";
    else if (irq_count(irq, cpu_id()) - before < TICKS)
        timer_broken = "a CPU's timer interrupts are not counted";
    arch_timer_every(0);
    arch_irq_window(); /* the last one, if it came in between */
}

static enum selftest_verdict run_timer(char *msg, size_t msg_bytes)
{
    int irq = arch_irq_of_timer();
    if (irq < 0)
        return skip(msg, msg_bytes, "this port has no timer of each CPU");
    if (irq_request((unsigned)irq, count_here, NULL))
        return result(msg, msg_bytes, "no action");
    timer_broken = NULL;
    if (arch_timer_every(TIMER_NS))
        timer_broken = "the timer cannot be measured"; /* on CPU 0 first: the others use the rate */
    arch_timer_every(0);
    if (!timer_broken && cpus_run(cpus_running(), tick_here, NULL, msg, msg_bytes))
        return SELFTEST_FAIL;
    irq_free((unsigned)irq, count_here, NULL);
    return result(msg, msg_bytes, timer_broken);
}

REGISTER(selftest, irq_timer) = {
    .name = "irq_timer",
    .proves = "every CPU's own timer interrupts it, periodically",
    .run = run_timer,
};

/* ---- irq_rtc ------------------------------------------------------------------------------- */

#define ISA_RTC      8
#define RTC_INDEX    0x70
#define RTC_DATA     0x71
#define RTC_A        0x0a
#define RTC_B        0x0b
#define RTC_C        0x0c
#define RTC_RATE     6    /* of A: 1024 interrupts a second */
#define RTC_PERIODIC 0x40 /* of B and C */

static uint8_t rtc_read(uint8_t reg)
{
    outb(RTC_INDEX, reg);
    return inb(RTC_DATA);
}

static void rtc_write(uint8_t reg, uint8_t v)
{
    outb(RTC_INDEX, reg);
    outb(RTC_DATA, v);
}

/* Reading register C is what acknowledges it. */
static bool rtc_handler(unsigned irq, void *arg)
{
    return rtc_read(RTC_C) & RTC_PERIODIC && count_here(irq, arg);
}

static enum selftest_verdict run_rtc(char *msg, size_t msg_bytes)
{
    int irq = arch_irq_of_isa(ISA_RTC);
    const char *broken = NULL;
    if (irq < 0)
        return skip(msg, msg_bytes, "this machine's ISA interrupts are not known");
    uint8_t a = rtc_read(RTC_A), b = rtc_read(RTC_B);
    if (a == 0xff && b == 0xff)
        return skip(msg, msg_bytes, "there is no clock at port 0x70");
    if (irq_request((unsigned)irq, rtc_handler, NULL))
        return result(msg, msg_bytes, "no action");
    rtc_write(RTC_A, (uint8_t)((a & 0xf0) | RTC_RATE));
    rtc_write(RTC_B, b | RTC_PERIODIC);
    rtc_read(RTC_C);
    uint64_t before = irq_count((unsigned)irq, 0);
    if (!wait_here(4))
        broken = "the clock does not interrupt";
    else if (irq_count((unsigned)irq, 0) - before < 4)
        broken = "the clock's interrupts are not counted";
    if (!broken) {
        irq_disable((unsigned)irq);
        uint32_t now = came[0];
        for (unsigned long i = 0; i < 1000; i++)
            arch_irq_window();
        if (came[0] != now)
            broken = "a disabled interrupt arrives";
        irq_enable((unsigned)irq);
        rtc_read(RTC_C);
        if (!broken && !wait_here(1))
            broken = "an interrupt does not come back after it was disabled";
    }
    rtc_write(RTC_B, b);
    rtc_write(RTC_A, a);
    irq_free((unsigned)irq, rtc_handler, NULL);
    return result(msg, msg_bytes, broken);
}

REGISTER(selftest, irq_rtc) = {
    .name = "irq_rtc",
    .proves = "a device's interrupt arrives, can be disabled, and comes back",
    .run = run_rtc,
};

/* ---- irq_uart ------------------------------------------------------------------------------ */

#define ISA_UART  4
#define UART_PORT 0x3f8
#define UART_IER  1
#define UART_IIR  2
#define UART_MCR  4
#define UART_LSR  5

#define IER_EMPTY    0x02 /* interrupt when the transmitter is empty */
#define IIR_IDENTITY 0x0f
#define IIR_EMPTY    0x02
#define MCR_OUT2     0x08 /* on a PC the line to the controller goes through it */

static bool uart_handler(unsigned irq, void *arg)
{
    if ((inb(UART_PORT + UART_IIR) & IIR_IDENTITY) != IIR_EMPTY)
        return false;
    outb(UART_PORT + UART_IER, 0);
    return count_here(irq, arg);
}

/* Makes it interrupt once, and waits until that has come to a CPU, which must be idle or this. */
static bool uart_reaches(unsigned cpu)
{
    uint8_t mcr = inb(UART_PORT + UART_MCR);
    uint32_t before = came[cpu];
    outb(UART_PORT + UART_MCR, mcr | MCR_OUT2);
    outb(UART_PORT + UART_IER, IER_EMPTY);
    for (unsigned long i = 0; i < WINDOWS && came[cpu] == before; i++) {
        arch_irq_window();
        cpu_relax();
    }
    outb(UART_PORT + UART_IER, 0);
    outb(UART_PORT + UART_MCR, mcr);
    return came[cpu] != before;
}

static const char *uart_missing(int irq)
{
    if (irq < 0)
        return "this machine's ISA interrupts are not known";
    return inb(UART_PORT + UART_LSR) == 0xff ? "there is no serial port at 0x3f8" : NULL;
}

static enum selftest_verdict run_uart(char *msg, size_t msg_bytes)
{
    int irq = arch_irq_of_isa(ISA_UART);
    if (uart_missing(irq))
        return skip(msg, msg_bytes, uart_missing(irq));
    if (irq_request((unsigned)irq, uart_handler, NULL))
        return result(msg, msg_bytes, "no action");
    uint64_t before = irq_count((unsigned)irq, 0);
    uint32_t came_before = came[0];
    const char *broken = NULL;
    if (!uart_reaches(0))
        broken = "an empty transmitter does not interrupt";
    else if (irq_count((unsigned)irq, 0) - before < 1)
        broken = "the serial port's interrupts are not counted";
    for (unsigned i = 0; i < 100; i++)
        arch_irq_window();
    if (!broken && came[0] - came_before != 1)
        broken = "an empty transmitter interrupts more than once";
    irq_free((unsigned)irq, uart_handler, NULL);
    return result(msg, msg_bytes, broken);
}

REGISTER(selftest, irq_uart) = {
    .name = "irq_uart",
    .proves = "the serial port interrupts when it has sent what it was given",
    .run = run_uart,
};

/* ---- irq_route ----------------------------------------------------------------------------- */

#define ROUTE_ROUNDS 100
#define ISA_IRQS     16

static void pass(void *arg)
{
    (void)arg;
}

/* How often another device than this has interrupted: nobody has asked any to. */
static uint64_t others(unsigned irq)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < ISA_IRQS; i++)
        for (unsigned cpu = 0; i != irq && cpu < cpus_running(); cpu++)
            sum += irq_count(i, cpu);
    return sum;
}

static enum selftest_verdict run_route(char *msg, size_t msg_bytes)
{
    int irq = arch_irq_of_isa(ISA_UART);
    unsigned last = cpus_running() - 1;
    if (uart_missing(irq))
        return skip(msg, msg_bytes, uart_missing(irq));
    if (!last)
        return skip(msg, msg_bytes, "one CPU runs");
    const char *broken = arch_irq_route((unsigned)irq, last);
    if (broken)
        return skip(msg, msg_bytes, broken);
    if (irq_request((unsigned)irq, uart_handler, NULL))
        return result(msg, msg_bytes, "no action");
    uint64_t others_before = others((unsigned)irq);
    for (unsigned i = 0; i < ROUTE_ROUNDS && !broken; i++) {
        char why[80];
        if (arch_irq_route((unsigned)irq, last) || !uart_reaches(last))
            broken = "it does not arrive where it was sent";
        /* Until it is through with that one, it may take the next one as well. */
        else if (cpu_start_call(last, pass, NULL) ||
                 cpu_wait_call(last, CPUS_RUN_CYCLES, why, sizeof why))
            broken = "the CPU that it was sent to does not answer";
        else if (arch_irq_route((unsigned)irq, 0) || !uart_reaches(0))
            broken = "it does not come back to CPU 0";
    }
    if (!broken && others((unsigned)irq) != others_before)
        broken = "another interrupt came, which nobody has asked for";
    irq_free((unsigned)irq, uart_handler, NULL);
    return result(msg, msg_bytes, broken);
}

REGISTER(selftest, irq_route) = {
    .name = "irq_route",
    .proves = "a device's interrupt goes to the CPU that it is sent to, and back",
    .run = run_route,
};
