/*
 * The cycle counter as a 64-bit clock: rpcc counts 32 bits, and the clock interrupt keeps a base
 * that readers (arch/cpu.h) add to.
 *
 * The interrupt comes twice a second, from the real-time clock, at a level that nothing else is
 * let through at. Its handler is ten instructions (trap_entry.S), so that what runs is disturbed
 * by less than one part in a million.
 */
#include "clock.h"

#include "arch.h"
#include "core/ref_clock.h"
#include "pal.h"

#include <arch/cpu.h>
#include <arch/io.h>

/* MC146818 real-time clock. */
#define RTC_INDEX 0x70
#define RTC_DATA  0x71

#define RTC_A 0x0a
#define RTC_B 0x0b
#define RTC_C 0x0c /* flags; reading clears them */

#define RTC_A_2HZ      0x2f /* oscillator on; 32768 Hz / 2^14 */
#define RTC_B_PERIODIC 0x40
#define RTC_B_24H      0x02

const char arch_cycle_source[] = "rpcc";

volatile uint64_t arch_cycles_base;

static void rtc_write(uint8_t reg, uint8_t v)
{
    outb(RTC_INDEX, reg);
    outb(RTC_DATA, v);
}

void clock_start(void)
{
    rtc_write(RTC_A, RTC_A_2HZ);
    rtc_write(RTC_B, RTC_B_PERIODIC | RTC_B_24H);
    outb(RTC_INDEX, RTC_C);
    inb(RTC_DATA);
    pal_swpipl(IPL_DEVICE);
}

unsigned arch_ref_clocks(struct arch_ref_clock *r, unsigned max)
{
    static struct arch_ref_clock pit;
    static bool probed, found;

    if (!probed)
        found = pit_probe(&pit);
    probed = true;
    if (!found || max < 1)
        return 0;
    r[0] = pit;
    return 1;
}

/* Nothing on these machines changes the CPU's frequency. */
int arch_cycle_invariant(void)
{
    return 1;
}
