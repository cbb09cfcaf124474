/* The local APIC. Contract in lapic.h. */
#include "lapic.h"

#include "arch.h"
#include "core/errno.h"
#include "frame.h"

#include <arch/cpu.h>
#include <arch/hw.h>

#define CPUID_APIC     (1u << 9)  /* leaf 1 edx */
#define CPUID_X2APIC   (1u << 21) /* leaf 1 ecx */
#define CPUID_DEADLINE (1u << 24) /* leaf 1 ecx */

#define MSR_APIC_BASE     0x1b
#define APIC_BASE_X2      (1ul << 10)
#define APIC_BASE_ENABLE  (1ul << 11)
#define APIC_BASE_ADDRESS 0x000ffffffffff000ul

#define MSR_DEADLINE 0x6e0
#define MSR_X2APIC   0x800 /* of register 0 */

/* Registers: 16 bytes apart in the page of an xAPIC, one MSR each in an x2APIC. */
enum reg {
    REG_ID = 0x02,
    REG_VERSION = 0x03,
    REG_TPR = 0x08,
    REG_EOI = 0x0b,
    REG_SVR = 0x0f,
    REG_ISR = 0x10, /* eight of 32 bits */
    REG_ESR = 0x28,
    REG_LVT_CMCI = 0x2f,
    REG_ICR = 0x30,
    REG_ICR_HIGH = 0x31, /* xAPIC only: part of REG_ICR in an x2APIC */
    REG_LVT_TIMER = 0x32,
    REG_LVT_THERMAL = 0x33,
    REG_LVT_COUNTERS = 0x34,
    REG_LVT_LINT0 = 0x35,
    REG_LVT_LINT1 = 0x36,
    REG_LVT_ERROR = 0x37,
    REG_TIMER_INITIAL = 0x38,
    REG_TIMER_CURRENT = 0x39,
    REG_TIMER_DIVIDE = 0x3e,
};

#define SVR_ENABLE    0x100
#define LVT_MASKED    0x10000
#define LVT_PERIODIC  0x20000
#define LVT_DEADLINE  0x40000
#define LVT_LOW       0x2000
#define LVT_MODE      0x700
#define LVT_SMI       0x200
#define LVT_NMI       0x400
#define DIVIDE_BY_16  3
#define ICR_PENDING   0x1000
#define ICR_INIT      0x4500 /* assert */
#define ICR_STARTUP   0x4600
#define ICR_FIXED     0x4000
#define ICR_NMI       0x4400
#define APIC_ID_SHIFT 24

/* A message leaves within microseconds; a read of the register takes some 20 ns. */
#define SEND_POLLS 1000000

/* More than can be in service at once: one per class of 16 vectors. */
#define OPEN_MAX 16

static bool ready, x2;      /* x2: mode of all CPUs */
static volatile char *page; /* xAPIC: the registers */
/* As in struct madt; where nothing is told LINT1 is the NMI's, as on every PC. */
static unsigned lints = 1 << 1, low;

/* ---- registers ----------------------------------------------------------------------------- */

static uint32_t get(enum reg r)
{
    return x2 ? (uint32_t)rdmsr(MSR_X2APIC + r) : mmio_read32(page + r * 16);
}

static void put(enum reg r, uint32_t v)
{
    if (x2)
        wrmsr(MSR_X2APIC + r, v);
    else
        mmio_write32(page + r * 16, v);
}

/* ---- set-up -------------------------------------------------------------------------------- */

/* This CPU's APIC in the mode of all. There is no way back from x2APIC but by off (SDM 11.12.5). */
static void enter_mode(void)
{
    const uint64_t both = APIC_BASE_ENABLE | APIC_BASE_X2;
    uint64_t base = rdmsr(MSR_APIC_BASE), mode = base & both;

    if (mode == (x2 ? both : APIC_BASE_ENABLE))
        return;
    base &= ~both;
    if (mode == both)
        wrmsr(MSR_APIC_BASE, base);
    if (mode != APIC_BASE_ENABLE)
        wrmsr(MSR_APIC_BASE, base | APIC_BASE_ENABLE);
    if (x2)
        wrmsr(MSR_APIC_BASE, base | both);
}

int lapic_init(const struct madt *m, const char **why)
{
    struct cpuid c = cpuid(1, 0);

    if (ready)
        return 0;
    if (!(c.edx & CPUID_APIC)) {
        *why = "this CPU has no local APIC";
        return -TT_ENODEV;
    }

    uint64_t base = rdmsr(MSR_APIC_BASE);

    x2 = (base & APIC_BASE_X2) || (m->highest_id > XAPIC_ID_MAX && (c.ecx & CPUID_X2APIC));
    if (!x2)
        page = arch_map_device(phys(base & APIC_BASE_ADDRESS), PAGE_SIZE);
    if (!x2 && !page) {
        *why = "no room to map the local APIC";
        return -TT_ENODEV;
    }
    if (m->nmi_lints) {
        lints = m->nmi_lints;
        low = m->nmi_low;
    }
    ready = true;
    lapic_enable();
    return 0;
}

/* Off, unless it is an interrupt to the firmware's own management mode, whose business it stays. */
static void silence(enum reg lvt)
{
    if ((get(lvt) & LVT_MODE) != LVT_SMI)
        put(lvt, LVT_MASKED);
}

static void set_lint(unsigned lint)
{
    uint32_t nmi = LVT_NMI | (low >> lint & 1 ? LVT_LOW : 0);

    put(REG_LVT_LINT0 + lint, lints >> lint & 1 ? nmi : LVT_MASKED);
}

/* Ends what firmware took and never ended: it would hold back all of lower priority for good. */
static void end_open_ones(void)
{
    for (unsigned i = 0; i < OPEN_MAX; i++) {
        uint32_t open = 0;

        for (unsigned word = 0; word < 8; word++)
            open |= get(REG_ISR + word);
        if (!open)
            return;
        lapic_eoi();
    }
}

void lapic_enable(void)
{
    enter_mode();
    put(REG_TPR, 0);
    /* Before the lines: as long as an APIC is off, no mask bit can be cleared (SDM 11.4.7.2). */
    put(REG_SVR, SVR_ENABLE | VECTOR_SPURIOUS);
    put(REG_LVT_TIMER, LVT_MASKED);
    put(REG_TIMER_INITIAL, 0);
    set_lint(0); /* the old controllers' line, if it is not told to be the NMI's */
    set_lint(1);
    put(REG_LVT_ERROR, LVT_MASKED);
    put(REG_ESR, 0);

    unsigned last_lvt = get(REG_VERSION) >> 16 & 0xff;

    if (last_lvt >= 4)
        silence(REG_LVT_COUNTERS);
    if (last_lvt >= 5)
        silence(REG_LVT_THERMAL);
    if (last_lvt >= 6)
        silence(REG_LVT_CMCI);
    end_open_ones();
}

bool lapic_reaches(uint32_t apic_id)
{
    return x2 || apic_id <= XAPIC_ID_MAX;
}

uint32_t lapic_id_leaf(void)
{
    return x2 ? 0xb : 1;
}

uint32_t lapic_id(void)
{
    return x2 ? get(REG_ID) : get(REG_ID) >> APIC_ID_SHIFT;
}

void lapic_eoi(void)
{
    put(REG_EOI, 0);
}

/* ---- messages ------------------------------------------------------------------------------ */

/*
 * The receiver is to see what was stored before: to a device an x86 store waits for older ones, to
 * an x2APIC it does not.
 */
static void send(uint32_t apic_id, uint32_t command)
{
    if (x2) {
        wrmsr_fence();
        wrmsr(MSR_X2APIC + REG_ICR, (uint64_t)apic_id << 32 | command);
        return;
    }
    for (unsigned i = 0; i < SEND_POLLS && (get(REG_ICR) & ICR_PENDING); i++)
        cpu_relax();
    put(REG_ICR_HIGH, apic_id << APIC_ID_SHIFT);
    put(REG_ICR, command);
}

void lapic_send(uint32_t apic_id, unsigned vector)
{
    unsigned long irq = arch_irq_save(); /* a handler that sends must not come between the halves */

    send(apic_id, ICR_FIXED | vector);
    arch_irq_restore(irq);
}

void lapic_send_init(uint32_t apic_id)
{
    send(apic_id, ICR_INIT);
}

void lapic_send_startup(uint32_t apic_id, unsigned page_number)
{
    send(apic_id, ICR_STARTUP | page_number);
}

void lapic_send_nmi(uint32_t apic_id)
{
    send(apic_id, ICR_NMI);
}

/* ---- timer --------------------------------------------------------------------------------- */

void lapic_timer_start(uint32_t ticks, bool periodic, unsigned vector)
{
    put(REG_TIMER_DIVIDE, DIVIDE_BY_16);
    put(REG_LVT_TIMER, (vector && ticks ? vector : LVT_MASKED) | (periodic ? LVT_PERIODIC : 0));
    put(REG_TIMER_INITIAL, ticks);
}

uint32_t lapic_timer_passed(void)
{
    return get(REG_TIMER_INITIAL) - get(REG_TIMER_CURRENT);
}

bool lapic_has_deadline(void)
{
    return cpuid(1, 0).ecx & CPUID_DEADLINE;
}

void lapic_deadline_start(unsigned vector)
{
    put(REG_LVT_TIMER, LVT_DEADLINE | vector);
    wrmsr_fence(); /* in xAPIC mode the line is memory: a deadline written too early is lost */
}

void lapic_deadline_set(uint64_t tsc)
{
    wrmsr(MSR_DEADLINE, tsc);
}

/* ---- taking -------------------------------------------------------------------------------- */

void interrupt_enter(struct trap_frame *f)
{
    if (f->vector == VECTOR_SPURIOUS) /* not acknowledged: nothing was in service */
        return;

    unsigned irq = (unsigned)f->vector - VECTOR_IRQ_BASE;

    if (irq >= IRQ_MAX || !irq_enter(irq))
        lapic_eoi();
}
