/*
 * The 21264's counters. Sources: Alpha Architecture Reference Manual (4th edition), appendix E, for
 * wrperfmon's functions; Alpha 21264 Hardware Reference Manual, 5.2.22 and chapter 6, for PCTR_CTL.
 *
 * A counter has 20 bits, which at one count a cycle go round within 2.3 ms at 466 MHz; it then
 * interrupts, at IPL 6, and counts on from 0. The rest of each count is kept here.
 */
#include "perfmon.h"

/* wrperfmon's functions. */
#define DISABLE 0
#define ENABLE  1
#define SELECT  2 /* what to count */
#define OPTIONS 3 /* which processes; 0: all */
#define READ    5
#define WRITE   6 /* sets the counters that the low bits name */

#define BOTH 3

/*
 * SELECT: bit 4 is counter 0's event, 0 cycles and 1 retired instructions, the low bits are counter
 * 1's, 0: cycles. The 21264A and later have a mode there instead, 0: aggregate, in which the two
 * always count instructions and cycles; bit 4 is then its other mode (ProfileMe).
 */
#define SELECT_21264  0x10
#define SELECT_21264A 0x00

#define COUNT_BITS 20
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)

/* Where READ's and WRITE's quadword has them. */
static const unsigned shift[PERFMON_COUNTERS] = {28, 6};

static volatile uint64_t rounds[PERFMON_COUNTERS]; /* interrupts so far */

void perfmon_start(bool aggregate)
{
    pal_wrperfmon(DISABLE, BOTH);
    pal_wrperfmon(SELECT, aggregate ? SELECT_21264A : SELECT_21264);
    pal_wrperfmon(OPTIONS, 0);
    pal_wrperfmon(WRITE, BOTH);
    for (unsigned i = 0; i < PERFMON_COUNTERS; i++)
        rounds[i] = 0;
    pal_wrperfmon(ENABLE, BOTH);
}

void perfmon_overflow(uint64_t i)
{
    if (i < PERFMON_COUNTERS)
        rounds[i]++;
}

/*
 * An interrupt comes some cycles after its cause, and at the latest when PALcode returns from the
 * next call: the second read is there for that.
 */
uint64_t perfmon_read(unsigned i)
{
    uint64_t before, low;

    do {
        before = rounds[i];
        low = pal_wrperfmon(READ, 0) >> shift[i] & COUNT_MASK;
        pal_wrperfmon(READ, 0);
    } while (before != rounds[i]);
    return before << COUNT_BITS | low;
}
