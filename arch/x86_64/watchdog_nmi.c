/* NMIs from the interval timer. Contracts in watchdog_nmi.h and arch.h. */
#include "watchdog_nmi.h"

#include "arch.h"
#include "core/ref_clock.h"
#include "ioapic.h"
#include "percpu.h"
#include "regs.h"

#define ISA_TIMER 0

#define PIT_CHANNEL0 0x40
#define PIT_COMMAND  0x43
#define PIT_LATCH    0x00 /* channel 0: holds the count for the next two reads */
#define PIT_RATE     0x34 /* channel 0, low then high byte, mode 2: an edge at every reload */

/* 1193182 Hz / 65536, in thousandths. */
#define TICK_MILLIHERTZ 18206

#define NMI_STATUS 0x61
#define NMI_ERRORS 0xc0 /* memory parity, bus error */

static bool running;

static uint64_t read_count(void)
{
    outb(PIT_COMMAND, PIT_LATCH);

    unsigned lo = inb(PIT_CHANNEL0), hi = inb(PIT_CHANNEL0);

    return hi << 8 | lo;
}

unsigned arch_watchdog_start(void)
{
    outb(PIT_COMMAND, PIT_RATE);
    outb(PIT_CHANNEL0, 0); /* a count of 0 means 65536 */
    outb(PIT_CHANNEL0, 0);
    /* Newer chipsets can take the timer's clock away, and firmware does: it would never bark. */
    if (!clock_moves(read_count) || ioapic_nmi(ISA_TIMER, percpu_apic_id(0), true))
        return 0;
    running = true;
    return TICK_MILLIHERTZ;
}

bool watchdog_owns_nmi(void)
{
    return running && !(inb(NMI_STATUS) & NMI_ERRORS);
}
