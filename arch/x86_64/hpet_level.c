/*
 * A comparator of the HPET as the board's timer whose interrupt is a level (arch.h): wired to a
 * line of an IO-APIC that no ISA device has, one-shot.
 */
#include "arch.h"
#include "core/errno.h"
#include "hpet.h"
#include "ioapic.h"

#define FIRST_LINE 16 /* those below are ISA's, edges, and the interval timer's may be an NMI */

/* Ahead: 100 us at 10 MHz, the slowest HPET there is; 70 us at 14.3 MHz, the usual one. */
#define TICKS 1000

static volatile uint64_t *hpet;
static unsigned timer;
static uint32_t due;
static uint64_t as_it_was; /* its configuration */

/* A comparator and a line that it can be wired to; -TT_ENODEV: none. */
static int find_line(void)
{
    for (timer = 0; timer < HPET_TIMERS(hpet[HPET_CAPABILITIES]); timer++) {
        uint32_t lines = (uint32_t)(hpet[HPET_TIMER(timer)] >> HPET_TIMER_LINES);

        for (unsigned line = FIRST_LINE; line < 32; line++) {
            if ((lines >> line & 1) && ioapic_has(line))
                return (int)line;
        }
    }
    return -TT_ENODEV;
}

int arch_level_start(const char **why)
{
    hpet = hpet_registers();
    if (!hpet) {
        *why = "this machine has no HPET that runs";
        return -TT_ENODEV;
    }

    int line = find_line();

    if (line < 0) {
        *why = "no comparator of the HPET can be wired to a line of its own";
        return line;
    }
    as_it_was = hpet[HPET_TIMER(timer)];
    hpet[HPET_TIMER(timer)] = HPET_TIMER_LINE(line) | HPET_TIMER_LEVEL | HPET_TIMER_32_BITS;
    hpet[HPET_STATUS] = 1ul << timer;
    return line;
}

static bool is_before_due(void)
{
    return (int32_t)((uint32_t)hpet[HPET_COUNTER] - due) < 0;
}

/*
 * Off and on again around the change, so that a passed one is forgotten. One that has passed before
 * it was on, and interrupts only when the counter has wrapped, is set again, later.
 */
void arch_level_ask(void)
{
    volatile uint64_t *config = &hpet[HPET_TIMER(timer)];

    for (uint32_t ticks = TICKS; ticks < 1u << 30; ticks *= 2) {
        *config &= ~(uint64_t)HPET_TIMER_ENABLE;
        hpet[HPET_STATUS] = 1ul << timer;
        due = (uint32_t)hpet[HPET_COUNTER] + ticks;
        hpet[HPET_TIMER(timer) + 1] = due;
        *config |= HPET_TIMER_ENABLE;
        if (is_before_due())
            return;
    }
}

bool arch_level_take(bool *early)
{
    uint64_t mine = 1ul << timer;

    if (!(hpet[HPET_STATUS] & mine))
        return false;
    hpet[HPET_STATUS] = mine;
    *early = is_before_due();
    return true;
}

void arch_level_stop(void)
{
    hpet[HPET_TIMER(timer)] = as_it_was & ~(uint64_t)HPET_TIMER_ENABLE;
    hpet[HPET_STATUS] = 1ul << timer;
}
