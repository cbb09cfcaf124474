/*
 * Self-test `cycles`: the 64-bit cycle counter goes on when rpcc's 32 bits wrap, the clock
 * interrupt moves its base on, and CPUs whose counters differ agree.
 */
#include "arch.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "pal.h"
#include "percpu.h"

#include <arch/cpu.h>

/* Two readings are far less than this apart, even when the host takes QEMU's CPU away. */
#define SOON 0x10000000

/* As old as a base may be: readings a little older than it count backwards. */
#define HALF 0x80000000

/*
 * With the base put half a wrap back, readings must go on across a multiple of 2^32. The interrupt
 * waits meanwhile; the base goes back where it would have been.
 */
static bool crosses(char *msg, size_t msg_bytes)
{
    uint64_t ipl = pal_swpipl(IPL_ALL);
    uint64_t kept = arch_cycles_base, low, base, first, second;

    __asm__ volatile("rpcc %0" : "=r"(low));
    low = (uint32_t)low;
    /* As if the last interrupt had come almost half a wrap ago, in the epoch before. */
    base = 0x700000000 + (uint32_t)(low - (HALF - SOON));
    arch_cycles_base = base;
    first = cpu_cycles();
    second = cpu_cycles();
    arch_cycles_base = kept;
    pal_swpipl(ipl & PS_IPL);

    uint64_t least = base + HALF - SOON;

    if (first >= least && first - least < SOON && second >= first && second - first < SOON)
        return true;
    ksnprintf(msg, msg_bytes, "base %lx, rpcc %lx: read %lx, %lx", base, low, first, second);
    return false;
}

/* A CPU whose counter is ahead of CPU 0's reads what CPU 0 does: as if this one's were. */
static bool skew_is_taken_off(char *msg, size_t msg_bytes)
{
    struct alpha_cpu *me = &this_of(alpha_cpus);
    uint64_t ipl = pal_swpipl(IPL_ALL);
    uint32_t kept = arch_cycles_skewed, kept_skew = me->skew;
    uint64_t plain = cpu_cycles(), ahead, behind;

    arch_cycles_skewed = 1;
    me->skew = SOON;
    ahead = cpu_cycles() + SOON;
    me->skew = -(uint32_t)SOON;
    behind = cpu_cycles() - SOON;
    arch_cycles_skewed = kept;
    me->skew = kept_skew;
    pal_swpipl(ipl & PS_IPL);

    if (ahead - plain < SOON && behind - plain < SOON)
        return true;
    ksnprintf(msg, msg_bytes, "%lx, with a skew of %x: %lx, of -%x: %lx", plain, SOON, ahead, SOON,
              behind);
    return false;
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    uint64_t hz = arch_cycle_hz_stated(), start = cpu_cycles(), base = arch_cycles_base;

    if (!crosses(msg, msg_bytes) || !skew_is_taken_off(msg, msg_bytes))
        return SELFTEST_FAIL;
    /* Two a second: within 2 s one has come. */
    while (arch_cycles_base == base && cpu_cycles() - start < 2 * hz)
        ; /* not cpu_relax(): time passes by what this CPU does, and others wait for nothing */
    if (arch_cycles_base == base) {
        ksnprintf(msg, msg_bytes, "no clock interrupt in 2 s");
        return SELFTEST_FAIL;
    }
    if (arch_cycles_base - base > 2 * hz + SOON) {
        ksnprintf(msg, msg_bytes, "base jumped from %lx to %lx", base, arch_cycles_base);
        return SELFTEST_FAIL;
    }
    return SELFTEST_OK;
}

REGISTER(selftest, cycles) = {
    .name = "cycles",
    .proves = "the cycle counter does not wrap with rpcc",
    .run = run,
};
