/*
 * Reference clock "pit": channel 2 of the 8254 interval timer, which raises no interrupt.
 *
 * 16 bits wide, it wraps every 54.9 ms: pit_read must be called more often than that to be right,
 * which a calibration of 10 ms does.
 */
#include "core/ref_clock.h"

#include <arch/io.h>

#define PIT_HZ 1193182 /* 14.31818 MHz / 12 */

#define PIT_CHANNEL2 0x42
#define PIT_COMMAND  0x43
#define PIT_CONTROL  0x61 /* bit 0: gate of channel 2; bit 1: speaker */

#define PIT_RATE  0xb4 /* channel 2, low then high byte, mode 2: counts down, over and over */
#define PIT_LATCH 0x80 /* channel 2: holds the count for the next two reads */

static uint64_t last;

static uint64_t pit_read(void)
{
    outb(PIT_COMMAND, PIT_LATCH);

    unsigned lo = inb(PIT_CHANNEL2);
    unsigned hi = inb(PIT_CHANNEL2);

    return clock_extend(&last, 0x10000 - (hi << 8 | lo), 16);
}

bool pit_probe(struct arch_ref_clock *r)
{
    outb(PIT_CONTROL, (inb(PIT_CONTROL) & 0xfc) | 0x01);
    outb(PIT_COMMAND, PIT_RATE);
    outb(PIT_CHANNEL2, 0); /* a count of 0 means 65536 */
    outb(PIT_CHANNEL2, 0);
    last = 0;
    if (!clock_moves(pit_read))
        return false;
    *r = (struct arch_ref_clock){"pit", PIT_HZ, pit_read};
    return true;
}
