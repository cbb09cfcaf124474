/* The watchdog. Contract in watchdog.h. */
#include "core/watchdog.h"

#include "arch.h"
#include "core/atomic.h"
#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"

#define SECONDS_MAX 86400 /* a day: longer is a typing error */

static uint64_t seconds; /* 0: off */
static uint64_t limit;   /* in ticks */
static uint64_t ticks;   /* since the last kick */

static int parse_watchdog(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    if (!parse_u64(value, 1, SECONDS_MAX, &seconds))
        return 0;
    ksnprintf(err, err_bytes, "valid: seconds, from 1 to %u", SECONDS_MAX);
    return -TT_EINVAL;
}

REGISTER(option, watchdog) = {
    .name = "watchdog",
    .grammar = "SECONDS",
    .help = "end a boot in which no sample ends for so long, with a report of all CPUs",
    .parse = parse_watchdog};

int watchdog_start(char *err, size_t err_bytes)
{
    if (!seconds)
        return 0;
    unsigned millihertz = arch_watchdog_start();
    if (!millihertz) {
        ksnprintf(err, err_bytes,
                  "watchdog=: nothing on this machine comes through when "
                  "interrupts are off");
        return -TT_ENODEV;
    }
    limit = (seconds * millihertz + 999) / 1000;
    return 0;
}

void watchdog_kick(void)
{
    store_once(&ticks, 0);
}

void watchdog_tick(struct trap_frame *f)
{
    uint64_t now = load_once(&ticks) + 1;
    store_once(&ticks, now);
    if (limit && now > limit)
        panic_frame(f, "watchdog: no sample ended for %lu seconds", (unsigned long)seconds);
}
