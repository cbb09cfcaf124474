/* The local APIC's timer, again and again. Contract in lapic_timer.h. */
#include "lapic_timer.h"

#include "arch.h"
#include "core/cpu.h"
#include "core/errno.h"
#include "core/record.h"
#include "lapic.h"

/* Window in which the source is counted against a reference clock, as for the cycle counter. */
#define CALIBRATE_NS 2500000
#define NS_PER_S     1000000000ull
#define NS_MAX       (3600 * NS_PER_S) /* keeps the products below 64 bits */

struct timer {
    uint64_t period; /* in cycles; 0: off, or not by deadlines */
    uint64_t next;   /* the deadline that is set */
};

static PER_CPU(struct timer, timer);
static bool by_deadline;
static uint64_t source_hz; /* 0: not measured yet; the same on all CPUs, which share one clock */

static uint64_t read_count(void)
{
    return lapic_timer_passed();
}

/* Ticks per second of a counter, or 0 when there is nothing to compare it with. */
static uint64_t measure(uint64_t (*read)(void))
{
    struct arch_ref_clock clock;

    if (arch_ref_clocks(&clock, 1) != 1)
        return 0;

    uint64_t ticks = clock.hz * (CALIBRATE_NS / 1000) / 1000000, start = clock.read(), now = start;
    uint64_t first = read();

    for (unsigned i = 0; i < CALIBRATE_NS && now - start < ticks; i++) /* a read takes over 1 ns */
        now = clock.read();

    uint64_t passed = read() - first;

    return now - start >= ticks ? passed * clock.hz / (now - start) : 0;
}

static void find_source(void)
{
    struct record r;

    by_deadline = lapic_has_deadline() && arch_cycle_invariant() == 1;
    if (!by_deadline)
        lapic_timer_start(UINT32_MAX, false, 0);
    source_hz = measure(by_deadline ? cpu_cycles : read_count);
    if (!by_deadline)
        lapic_timer_start(0, false, 0);
    if (!source_hz)
        return;
    record_begin(&r, "machine");
    record_str(&r, "what", "timer");
    record_str(&r, "source", by_deadline ? "deadline" : "count");
    record_u64(&r, "hz", source_hz);
    record_end(&r);
}

/* To the nearest: ns is at most NS_MAX, a source below 18 GHz. */
static uint64_t ticks_of(uint64_t ns)
{
    return source_hz * (ns / NS_PER_S) + (source_hz * (ns % NS_PER_S) + NS_PER_S / 2) / NS_PER_S;
}

static void set_deadlines(uint64_t period, unsigned vector)
{
    struct timer *t = &this_of(timer);

    t->period = period;
    if (!period) {
        lapic_deadline_set(0);
        return;
    }
    lapic_deadline_start(vector);
    t->next = cpu_cycles() + period;
    lapic_deadline_set(t->next);
}

int timer_every(uint64_t ns, unsigned vector)
{
    if (!source_hz)
        find_source();
    if (!source_hz || ns > NS_MAX)
        return -TT_ENODEV;

    uint64_t ticks = ticks_of(ns);

    if (ns && (!ticks || (!by_deadline && ticks > UINT32_MAX)))
        return -TT_ENODEV;
    if (by_deadline)
        set_deadlines(ticks, vector);
    else
        lapic_timer_start((uint32_t)ticks, true, vector);
    return 0;
}

void timer_again(void)
{
    struct timer *t = &this_of(timer);

    if (!t->period)
        return;

    uint64_t now = cpu_cycles();

    /* What is over, because the CPU took no interrupts for so long, is not made up for. */
    t->next += t->period;
    if (t->next <= now)
        t->next = now + t->period;
    lapic_deadline_set(t->next);
}
