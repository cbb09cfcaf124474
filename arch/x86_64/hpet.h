/* The High Precision Event Timer's registers (IA-PC HPET 1.0a), for hpet.c and hpet_level.c. */
#ifndef X86_HPET_H
#define X86_HPET_H

#include <stdint.h>

/* In 64-bit words. */
#define HPET_CAPABILITIES 0
#define HPET_CONFIG       2
#define HPET_STATUS       4 /* a bit per comparator whose level is up; writing it takes it down */
#define HPET_COUNTER      30
#define HPET_TIMER(n)     (32 + 4 * (n)) /* configuration of comparator n, its value behind it */

#define HPET_TIMERS(capabilities) (((unsigned)((capabilities) >> 8) & 0x1f) + 1)

/* Of a comparator's configuration. */
#define HPET_TIMER_LEVEL   0x0002
#define HPET_TIMER_ENABLE  0x0004
#define HPET_TIMER_32_BITS 0x0100
#define HPET_TIMER_LINE(n) ((uint64_t)(n) << 9)
#define HPET_TIMER_LINES   32 /* shift: lines of the IO-APIC that it can be wired to, a bit each */

/* NULL: no HPET is in use as a reference clock. */
volatile uint64_t *hpet_registers(void);

#endif
