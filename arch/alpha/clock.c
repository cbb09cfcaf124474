/*
 * The cycle counter as a 64-bit clock, and what else the interval clock is for. Contracts in
 * clock.h and arch.h.
 *
 * rpcc counts 32 bits; the clock interrupt keeps a base that readers (arch/cpu.h) add to. It comes
 * twice a second, at a level that nothing else is let through at, to CPU 0 alone. Its handler is
 * ten instructions (trap_entry.S), so that what runs is disturbed by less than one part in a
 * million. A timer needs more: while one runs, the clock ticks at its highest rate, and the
 * chipset's ignore counts divide that for each CPU.
 */
#include "clock.h"

#include "core/cpu.h"
#include "core/errno.h"
#include "core/lock.h"
#include "core/ref_clock.h"
#include "core/watchdog.h"
#include "interrupt.h"
#include "pal.h"
#include "percpu.h"
#include "smp.h"
#include "tsunami.h"

#include <arch/cpu.h>
#include <arch/io.h>

/* MC146818 real-time clock. */
#define RTC_INDEX 0x70
#define RTC_DATA  0x71

#define RTC_A 0x0a
#define RTC_B 0x0b
#define RTC_C 0x0c /* flags; reading clears them */

#define RTC_A_2HZ      0x2f /* oscillator on; 32768 Hz / 2^14 */
#define RTC_A_8192HZ   0x23
#define RTC_B_PERIODIC 0x40
#define RTC_B_24H      0x02

#define SLOW_HZ 2
#define FAST_HZ 8192

const char arch_cycle_source[] = "rpcc";

volatile uint64_t arch_cycles_base;
uint32_t arch_cycles_skewed;

/* How many need clock_interrupt; 0: trap_entry.S moves the base and that is all. */
uint32_t clock_wanted;

static struct lock rate_lock = LOCK_INIT("clock"); /* over the two below, and the rate */
static unsigned timers;                            /* CPUs whose timer runs */
static bool rtc_on;                                /* somebody takes it as a device */
static uint64_t watchdog_next;                     /* in cycles; 0: off */

static void rtc_write(uint8_t reg, uint8_t v)
{
    outb(RTC_INDEX, reg);
    outb(RTC_DATA, v);
}

void clock_start(void)
{
    uint64_t raw;

    __asm__ volatile("rpcc %0" : "=r"(raw));
    arch_cycles_base = (uint32_t)raw; /* whatever the console's time was */
    rtc_write(RTC_A, RTC_A_2HZ);
    rtc_write(RTC_B, RTC_B_PERIODIC | RTC_B_24H);
    outb(RTC_INDEX, RTC_C);
    inb(RTC_DATA);
    pal_swpipl(IPL_DEVICE);
}

/* ---- each CPU's timer ---------------------------------------------------------------------- */

/* Ticks that a CPU lets pass before an interrupt: CPU 0 keeps to SLOW_HZ, others need none. */
static void set_ignored(unsigned id)
{
    const struct alpha_cpu *c = &cpu_of(alpha_cpus, id);
    uint32_t idle = id ? IIC_NONE : timers ? FAST_HZ / SLOW_HZ - 1 : 0;

    cchip_write(cchip_of(CCHIP_IIC0, c->hw_id), c->timer ? c->timer - 1 : idle);
}

void clock_join(void)
{
    set_ignored(cpu_id());
    cchip_write(CCHIP_MISC, (uint64_t)MISC_CLOCK << this_of(alpha_cpus).hw_id);
}

static void set_timer(uint32_t ticks)
{
    struct alpha_cpu *me = &this_of(alpha_cpus);
    unsigned before = timers;

    timers += !!ticks;
    timers -= !!me->timer;
    me->timer = ticks;
    set_ignored(cpu_id());
    if (!before == !timers)
        return;
    fetch_add(&clock_wanted, timers ? 1u : -1u);
    rtc_write(RTC_A, timers ? RTC_A_8192HZ : RTC_A_2HZ);
    set_ignored(0);
}

int arch_timer_every(uint64_t ns)
{
    uint64_t ticks = (ns * FAST_HZ + 500000000) / 1000000000;

    if (!chipset_known() || (ns && (!ticks || ticks > IIC_NONE || ns > UINT64_MAX / FAST_HZ / 2)))
        return -TT_ENODEV;

    unsigned long was = lock_take_irq(&rate_lock);

    set_timer((uint32_t)ticks);
    lock_drop_irq(&rate_lock, was);
    return 0;
}

/* ---- its interrupt ------------------------------------------------------------------------- */

static void tick_cpu0(struct trap_frame *f)
{
    uint64_t now = cpu_cycles(), half = arch_cycle_hz_stated() / SLOW_HZ;

    arch_cycles_base = now;
    if (rtc_on)
        interrupt_note(IRQ_RTC);
    /* However fast it ticks: twice a second, and a little early is in time. */
    if (watchdog_next && now >= watchdog_next - half / 64) {
        watchdog_next += half;
        watchdog_tick(f);
    }
}

void clock_interrupt(struct trap_frame *f)
{
    unsigned id = cpu_id();

    if (id == 0)
        tick_cpu0(f);
    if (this_of(alpha_cpus).timer)
        interrupt_note(IRQ_TIMER);
    set_ignored(id); /* it counts once; then every tick comes through */
}

static void rtc_enable(unsigned irq)
{
    (void)irq;
    rtc_on = true;
    fetch_add(&clock_wanted, 1);
}

static void rtc_disable(unsigned irq)
{
    (void)irq;
    rtc_on = false;
    fetch_add(&clock_wanted, -1u);
}

static void nothing(unsigned irq)
{
    (void)irq;
}

const struct arch_irq_chip rtc_chip = {"clock as device", rtc_enable, rtc_disable, nothing,
                                       nothing};

unsigned arch_watchdog_start(void)
{
    watchdog_next = cpu_cycles() + arch_cycle_hz_stated() / SLOW_HZ;
    fetch_add(&clock_wanted, 1);
    return SLOW_HZ * 1000;
}

/* ---- as a reference, and its rate ---------------------------------------------------------- */

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

int32_t arch_cycles_skew(void)
{
    return (int32_t)this_of(alpha_cpus).skew;
}
