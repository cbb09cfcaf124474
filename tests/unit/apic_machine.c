/* The simulated local APIC. Contract in apic_machine.h. */
#include "apic_machine.h"

#include "arch.h"

#include <arch/cpu.h>
#include <arch/hw.h>
#include <string.h>

#define MSR_BASE     0x1b
#define MSR_DEADLINE 0x6e0
#define MSR_X2       0x800

enum {
    ID = 0x02,
    VERSION = 0x03,
    EOI = 0x0b,
    SVR = 0x0f,
    ISR = 0x10,
    ESR = 0x28,
    CMCI = 0x2f,
    ICR = 0x30,
    ICR_HIGH = 0x31,
    TIMER = 0x32,
    THERMAL = 0x33,
    COUNTERS = 0x34,
    ERROR = 0x37,
    INITIAL = 0x38,
    CURRENT = 0x39,
    DIVIDE = 0x3e
};

#define MASKED 0x10000u

struct apic_machine apic;

void apic_reset(void)
{
    apic = (struct apic_machine){.cpuid1_ecx = 1u << 21 | 1u << 24,
                                 .cpuid1_edx = 1u << 9,
                                 .base = APIC_PAGE | APIC_ON,
                                 .last_lvt = 6,
                                 .ratio = 100};
    apic.reg[SVR] = 0xff; /* off by software */
    for (unsigned r = TIMER; r <= ERROR; r++)
        apic.reg[r] = MASKED;
    apic.reg[CMCI] = MASKED;
}

static void note(const char *what)
{
    size_t used = strlen(apic.order);
    if (used + strlen(what) + 2 > sizeof apic.order)
        return;
    if (used)
        strcat(apic.order, " ");
    strcat(apic.order, what);
}

static bool is_lvt(unsigned r)
{
    return (r >= TIMER && r <= ERROR) || r == CMCI;
}

static void must_exist(unsigned r, bool x2)
{
    static const uint8_t there[] = {ID,   VERSION, 0x08,     EOI,     0x0d,    SVR,      ESR,
                                    CMCI, ICR,     ICR_HIGH, TIMER,   THERMAL, COUNTERS, 0x35,
                                    0x36, ERROR,   INITIAL,  CURRENT, DIVIDE};
    bool found = r >= ISR && r < ESR; /* in service, trigger mode, requests */
    for (unsigned i = 0; i < sizeof there; i++)
        found |= there[i] == r;
    if (!found || (x2 && r == ICR_HIGH) || (r == CMCI && apic.last_lvt < 6) ||
        (r == THERMAL && apic.last_lvt < 5) || (r == COUNTERS && apic.last_lvt < 4))
        fail_msg("no register 0x%x is there", r);
}

static uint64_t read_reg(unsigned r, bool x2)
{
    must_exist(r, x2);
    switch (r) {
    case ID:
        return x2 ? apic.id : (apic.id & 0xff) << 24;
    case VERSION:
        return apic.last_lvt << 16 | 0x15;
    case ICR:
        apic.icr_reads++;
        return apic.reg[ICR] | (!x2 && apic.busy && apic.busy-- ? 0x1000 : 0);
    case CURRENT: {
        uint64_t gone = (apic.cycles - apic.timer_from) / apic.ratio;
        return gone < apic.reg[INITIAL] ? apic.reg[INITIAL] - gone : 0;
    }
    default:
        return apic.reg[r];
    }
}

static void end_highest(void)
{
    apic.eois++;
    for (unsigned i = 8; i-- > 0;) {
        if (apic.reg[ISR + i]) {
            apic.reg[ISR + i] &= ~(UINT64_C(1) << (63 - __builtin_clzll(apic.reg[ISR + i])));
            return;
        }
    }
}

static void write_reg(unsigned r, uint64_t v, bool x2)
{
    must_exist(r, x2);
    if (r == ID || r == VERSION || (r >= ISR && r < ESR) || r == CURRENT)
        fail_msg("register 0x%x cannot be written", r);
    if (x2 && ((r == EOI || r == ESR) && v))
        fail_msg("#GP: register 0x%x takes nothing but 0", r);
    if (is_lvt(r) && !(apic.reg[SVR] & 0x100))
        v |= MASKED; /* off: cannot be unmasked */
    apic.reg[r] = v;
    switch (r) {
    case EOI:
        end_highest();
        break;
    case INITIAL:
        apic.timer_from = apic.cycles;
        break;
    case ICR_HIGH:
        note("high");
        break;
    case ICR:
        if (!x2)
            v = apic.reg[ICR_HIGH] >> 24 << 32 | (uint32_t)v;
        note(x2 ? "icr" : "low");
        if (apic.messages < APIC_NOTES)
            apic.message[apic.messages++] = v;
        apic.icr_unfenced += x2 && !apic.fenced;
        break;
    default:
        break;
    }
    apic.fenced = false;
}

/* ---- what the drivers call ------------------------------------------------------------------ */

struct cpuid cpuid(uint32_t leaf, uint32_t sub)
{
    (void)sub;
    return leaf == 1 ? (struct cpuid){.ecx = apic.cpuid1_ecx, .edx = apic.cpuid1_edx}
                     : (struct cpuid){0};
}

static bool mode_is_x2(void)
{
    return (apic.base & (APIC_X2 | APIC_ON)) == (APIC_X2 | APIC_ON);
}

uint64_t rdmsr(uint32_t msr)
{
    if (msr == MSR_BASE)
        return apic.base;
    if (msr == MSR_DEADLINE && apic.cpuid1_ecx & 1u << 24)
        return apic.deadline;
    if (msr < MSR_X2 || msr >= MSR_X2 + 0x40 || !mode_is_x2())
        fail_msg("#GP: MSR 0x%x read", msr);
    return read_reg(msr - MSR_X2, true);
}

/* SDM figure 11-27: which changes of mode there are. */
static void write_base(uint64_t v)
{
    uint64_t from = apic.base & (APIC_X2 | APIC_ON), to = v & (APIC_X2 | APIC_ON);
    bool good = to == from || to == 0 || (to == APIC_ON && from == 0) ||
                (to == (APIC_X2 | APIC_ON) && from == APIC_ON && apic.cpuid1_ecx & 1u << 21);
    if (!good)
        fail_msg("#GP: APIC mode from 0x%lx to 0x%lx", (unsigned long)from, (unsigned long)to);
    apic.base = v;
}

void wrmsr(uint32_t msr, uint64_t v)
{
    if (msr == MSR_BASE) {
        write_base(v);
    } else if (msr == MSR_DEADLINE && apic.cpuid1_ecx & 1u << 24) {
        /* Not the timer's source: ignored. */
        if ((apic.reg[TIMER] & 0x60000) == 0x40000)
            apic.deadline = v;
        apic.deadline_unfenced += !apic.fenced && v;
    } else if (msr >= MSR_X2 && msr < MSR_X2 + 0x40 && mode_is_x2()) {
        if (msr != MSR_X2 + ICR && v >> 32)
            fail_msg("#GP: MSR 0x%x has 32 bits", msr);
        write_reg(msr - MSR_X2, v, true);
    } else {
        fail_msg("#GP: MSR 0x%x written", msr);
    }
}

void wrmsr_fence(void)
{
    apic.fenced = true;
    note("fence");
}

static unsigned reg_of(const volatile void *at)
{
    uintptr_t offset = (uintptr_t)at - APIC_PAGE;
    if (offset >= 4096 || offset % 16 || (apic.base & (APIC_X2 | APIC_ON)) != APIC_ON)
        fail_msg("memory at 0x%lx is no APIC's", (unsigned long)(uintptr_t)at);
    return (unsigned)(offset / 16);
}

uint32_t mmio_read32(const volatile void *at)
{
    return (uint32_t)read_reg(reg_of(at), false);
}

void mmio_write32(volatile void *at, uint32_t v)
{
    write_reg(reg_of(at), v, false);
}

/* The page's own address: mmio_read32 and mmio_write32 are all that touches it. */
volatile void *arch_map_device(phys_t a, size_t bytes)
{
    assert_int_equal(a.a, APIC_PAGE);
    assert_int_equal(bytes, PAGE_SIZE);
    return (volatile void *)(uintptr_t)a.a;
}
