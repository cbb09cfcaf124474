/*
 * Starting the other processors through the console (Alpha Architecture Reference Manual, console
 * part: a secondary waits for START in its slot's buffer, then enters CPU_restart) and stopping
 * them. The optional part of arch.h, with interrupt.c.
 */
#include "smp.h"

#include "arch.h"
#include "clock.h"
#include "core/cpu.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "fp_arith.h"
#include "mm/own.h"
#include "pal.h"
#include "percpu.h"
#include "pte.h"
#include "relax.h"
#include "trap.h"
#include "tsunami.h"

#include <arch/boot.h>
#include <string.h>

/* As much as on x86_64, and traps on the same stack: frames of 304 bytes. */
#define STACK_BYTES 0x8000

/* How long a CPU may take: QEMU's console looks once a millisecond. */
#define ANSWER_MS 100
/* Between two looks, so that few turns are taken where giving way is expensive. */
#define POLL_US 10
/* From the offer taken to arrival: microseconds, or some turns; this many turns are a bug. */
#define FINISH_POLLS 10000000ul

/* A slot's words, and its flags. */
#define SLOT_FLAGS       16
#define SLOT_RX_LENGTH   37
#define SLOT_RX_TEXT     38
#define FLAG_BOOTING     0x001
#define FLAG_RESTARTABLE 0x002
#define FLAG_AVAILABLE   0x004
#define FLAG_PRESENT     0x008
#define FLAG_CONTEXT     0x020
#define FLAGS_USABLE     (FLAG_AVAILABLE | FLAG_PRESENT)

static const char start_message[] = "START\r\n";

/* The number offered, and for which CPU; 0: none. Whoever takes it back first has it. */
static uint64_t offer;
#define OFFER(id, hw_id) ((uint64_t)(id) << 32 | (hw_id) << 1 | 1)

/* One exchange of stamps, after which the new CPU's counter is known to its length. */
static uint32_t stamp_asked, stamp_given, stamp;

extern char cpu_restart[]; /* restart.S */

static uint32_t arrived[CPU_MAX];
static bool stopping;

bool chipset_known(void)
{
    return arch_hwrpb && arch_hwrpb->system_type == SYSTEM_TSUNAMI;
}

uint32_t arch_cpu_hw_id(unsigned id)
{
    return cpu_of(alpha_cpus, id).hw_id;
}

unsigned arch_cpus_find(uint32_t *hw_id, unsigned max, char *why, size_t why_bytes)
{
    unsigned n = 1, beyond = 0;

    hw_id[0] = this_of(alpha_cpus).hw_id;
    if (!chipset_known()) {
        ksnprintf(why, why_bytes, "this machine's chipset is not Tsunami: no further CPU is tried");
        return 1;
    }
    for (unsigned i = 0; i < arch_hwrpb->cpus; i++) {
        const uint64_t *slot = hwrpb_slot(i);

        if (!slot || i == hw_id[0] || (slot[SLOT_FLAGS] & FLAGS_USABLE) != FLAGS_USABLE)
            continue;
        if (i >= TSUNAMI_CPUS || n >= max)
            beyond++;
        else
            hw_id[n++] = i;
    }
    if (beyond)
        ksnprintf(why, why_bytes, "HWRPB: %u CPUs more than this chipset has wires for", beyond);
    return n;
}

void arch_cpus_started(void)
{
    if (cpus_running() == 1)
        relax_stop();
}

/* ---- on the new CPU ------------------------------------------------------------------------ */

void cpu_restarted(void);

static uint32_t read_rpcc(void)
{
    uint64_t raw;

    __asm__ volatile("mb\n\trpcc %0\n\tmb" : "=r"(raw)::"memory");
    return (uint32_t)raw;
}

static void give_stamp(void)
{
    for (unsigned long i = 0; !load_acquire(&stamp_asked); i++) {
        if (i == FINISH_POLLS)
            arch_halt();
        cpu_relax();
    }
    stamp = read_rpcc();
    store_release(&stamp_given, 1);
}

/* Entered from restart.S on the CPU's own stack; cpu_id() works only below. */
void cpu_restarted(void)
{
    uint64_t taken = load_acquire(&offer);
    uint32_t hw_id = pal_whami();
    unsigned id = (unsigned)(taken >> 32);

    pal_swpipl(IPL_ALL);
    if (taken != OFFER(id, hw_id) || !compare_exchange(&offer, taken, 0))
        arch_halt(); /* too late */
    pal_wrval(id);
    trap_init();
    vm_load(vm_root());
    pal_wrfen(1);
    fp_arith_init();
    clock_join();
    relax_idle(false);
    pal_swpipl(IPL_DEVICE);
    give_stamp();
    store_release(&arrived[id], 1);
    cpu_main();
}

/* ---- on CPU 0 ------------------------------------------------------------------------------ */

/* CPU_restart belongs to the words that the checksum is over. */
static void set_restart(struct hwrpb *h)
{
    uint64_t sum = 0;

    h->cpu_restart = h->cpu_restart_data = (uint64_t)cpu_restart;
    for (const uint64_t *word = (const uint64_t *)h; word != &h->checksum; word++)
        sum += *word;
    h->checksum = sum;
}

/* The console's message, and everything that it takes the CPU's context from. */
static void send_start(uint32_t hw_id, const char *stack)
{
    struct hwrpb *h = (struct hwrpb *)arch_hwrpb;
    uint64_t *slot = (uint64_t *)hwrpb_slot(hw_id);

    *(struct pcb *)slot = (struct pcb){
        .ksp = (uint64_t)(stack + STACK_BYTES),
        .ptbr = vm_root().a >> PAGE_SHIFT,
        .flags = 1,
    };
    set_restart(h);
    slot[SLOT_FLAGS] =
        (slot[SLOT_FLAGS] & ~(uint64_t)FLAG_BOOTING) | FLAG_CONTEXT | FLAG_RESTARTABLE;
    slot[SLOT_RX_LENGTH] = sizeof(start_message) - 1;
    memcpy(&slot[SLOT_RX_TEXT], start_message, sizeof(start_message) - 1);
    cpu_mb();
    fetch_or(&h->rx_ready, 1ul << hw_id);
    cpu_mb();
}

/* Nobody came: whoever looks from here on stays with the console. */
static void take_start_back(uint32_t hw_id)
{
    struct hwrpb *h = (struct hwrpb *)arch_hwrpb;

    ((uint64_t *)hwrpb_slot(hw_id))[SLOT_RX_LENGTH] = 0;
    cpu_mb();
    fetch_and(&h->rx_ready, ~(1ul << hw_id));
    cpu_mb();
}

static void delay_us(uint64_t us)
{
    uint64_t start = cpu_cycles(), cycles = arch_hwrpb->cycle_hz / 1000000 * us;

    while (cpu_cycles() - start < cycles)
        ;
}

/* Has the CPU taken the offer within ms? */
static bool comes(unsigned ms)
{
    for (unsigned t = 0; t < ms * 1000 && load_acquire(&offer); t += POLL_US) {
        cpu_relax();
        delay_us(POLL_US);
    }
    return !load_acquire(&offer);
}

/*
 * How far the counter of a CPU that has just come is ahead of this one's. Zero if that is within
 * what one exchange can tell: core/cpu_offset.c then measures what is left.
 */
static uint32_t measure_skew(void)
{
    uint32_t before = read_rpcc();

    store_release(&stamp_asked, 1);
    for (unsigned long i = 0; !load_acquire(&stamp_given); i++) {
        if (i == FINISH_POLLS)
            panic("a CPU came, and stopped on its way into the kernel");
        cpu_relax();
    }

    uint32_t took = read_rpcc() - before, skew = stamp - (before + took / 2);

    return skew + took / 2 <= took ? 0 : skew;
}

int arch_cpu_start(unsigned id, uint32_t hw_id)
{
    char *stack = own_stack(STACK_BYTES);

    if (!stack)
        return -TT_ENOMEM;
    relax_start();
    cpu_of(alpha_cpus, id).hw_id = hw_id;
    store_once(&stamp_asked, 0);
    store_once(&stamp_given, 0);
    store_release(&offer, OFFER(id, hw_id));
    send_start(hw_id, stack);
    /* Whoever takes the offer back first has it: a CPU that is on its way by then stops. */
    if (!comes(ANSWER_MS) && exchange(&offer, 0)) {
        take_start_back(hw_id);
        return -TT_ENODEV;
    }
    cpu_of(alpha_cpus, id).skew = measure_skew();
    if (cpu_of(alpha_cpus, id).skew)
        arch_cycles_skewed = 1;
    for (unsigned long i = 0; !load_acquire(&arrived[id]); i++) {
        if (i == FINISH_POLLS)
            panic("CPU %u came, and stopped on its way into the kernel", id);
        cpu_relax();
    }
    return 0;
}

void arch_cpu_wake(unsigned id)
{
    struct alpha_cpu *c = &cpu_of(alpha_cpus, id);

    fetch_or(&c->pending, PENDING_WAKE);
    cpu_mb();
    pal_wripir(c->hw_id);
}

/* ---- stopping ------------------------------------------------------------------------------ */

/* Nothing that a CPU does holds these back for longer than it takes to look around. */
void arch_cpus_stop(void)
{
    store_release(&stopping, true);
    cpu_mb();
    for (unsigned id = 0; id < cpus_running(); id++)
        if (id != cpu_id())
            pal_wripir(cpu_of(alpha_cpus, id).hw_id);
}

bool cpu_stop_asked(void)
{
    return load_acquire(&stopping);
}
