/*
 * Starting the other processors (Intel SDM vol. 3A, 8.4: INIT, then one or two start-up messages)
 * and stopping them. The optional part of arch.h, with lapic.c.
 */
#include "smp.h"
#include "arch.h"
#include "core/cpu.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "cpu_state.h"
#include "desc.h"
#include "fpu.h"
#include "lapic.h"
#include "mm/memmap.h"
#include "mm/own.h"
#include "percpu.h"
#include "pte.h"
#include "regs.h"
#include "stacks.h"
#include "topology.h"
#include "trampoline.h"

#include <string.h>

/* A workload's call chain with newlib's printf takes some KiB; the boot stack has twice this. */
#define STACK_BYTES 0x8000
/* A panic formats one line of 512 bytes at a time. */
#define IST_BYTES 0x2000

/* Waits of the start-up sequence, from the manual; then how long a CPU may take to come. */
#define INIT_US     10000
#define STARTUP_US  200
#define ANSWER_US   100000
#define POLL_US     10
#define FINISH_POLL 100000000ul /* of some 20 ns: seconds, for the last microseconds of its way */

#define EFER_LMA (1ul << 10)

static phys_t page;       /* the trampoline's; 0: none */
static phys_t start_root; /* tables that map the page to itself; 0: not made */
static unsigned start_tables;
static uint32_t arrived[CPU_MAX];
static bool stopping;

/* ---- set-up -------------------------------------------------------------------------------- */

void arch_cpus_reserve(struct memmap *map)
{
    /* Not page 0, where real-mode vectors are; below 1 MiB, where a start-up message can point. */
    for_each_range (map, r, MEM_RAM) {
        uint64_t first = max_u64(r->at.start.n, 1);

        if (first < r->at.end.n && first < 0x100) {
            page = pfn_to_phys(memmap_take(map, 1, 1, pfn(1)));
            return;
        }
    }
}

static int no_more(char *why, size_t why_bytes, const char *text)
{
    ksnprintf(why, why_bytes, "%s", text);
    return 1;
}

/* Tables for the first steps: the kernel's half, and the page at its own address. */
static bool make_start_root(void)
{
    pte_t *table = own_page_alloc();
    const pte_t *kernel = arch_phys_to_virt(vm_root());

    if (!table)
        return false;
    memcpy(table + TABLE_KERNEL_SLOT, kernel + TABLE_KERNEL_SLOT,
           (TABLE_ENTRIES - TABLE_KERNEL_SLOT) * sizeof(pte_t));
    start_root = arch_virt_to_phys(table);
    start_tables = 1;
    return !table_map(start_root, page.a, page.a, 0, PTE_LEAF, &start_tables);
}

/* Waits by the first reference clock, or as many polls as microseconds where there is none. */
static void delay_us(uint64_t us)
{
    struct arch_ref_clock clock;
    bool have = arch_ref_clocks(&clock, 1) == 1;
    uint64_t start = have ? clock.read() : 0;

    /* A read of any of these clocks takes 0.05 us or more. */
    for (uint64_t i = 0; i < us * 20; i++) {
        if (have && (clock.read() - start) * 1000000 >= us * clock.hz)
            return;
    }
}

/*
 * All at once, because of the wait; those that are not started later, be it because there are too
 * many of them, stay in this state: none goes on running firmware in memory that is ours now.
 */
static void init_all(const struct madt *m, uint32_t self)
{
    unsigned sent = 0;

    for (unsigned i = 0; i < m->cpus; i++) {
        if (m->apic_id[i] != self && lapic_reaches(m->apic_id[i])) {
            lapic_send_init(m->apic_id[i]);
            sent++;
        }
    }
    if (sent)
        delay_us(INIT_US);
}

/* What was odd about the table, or keeps CPUs out. */
static void tell_odd(const struct madt *m, unsigned found, char *why, size_t why_bytes)
{
    unsigned far = 0;

    for (unsigned i = 0; i < m->cpus; i++)
        far += !lapic_reaches(m->apic_id[i]);

    unsigned reached = m->cpus - far + m->beyond;
    unsigned many = found == CPU_MAX && reached > found ? reached - found : 0;

    if (m->malformed || far || many)
        ksnprintf(why, why_bytes,
                  "MADT: %u entries malformed, %u CPUs out of an xAPIC's reach, %u more than %u",
                  m->malformed, far, many, (unsigned)CPU_MAX);
}

unsigned arch_cpus_find(uint32_t *hw_id, unsigned max, char *why, size_t why_bytes)
{
    const struct madt *m = topology_madt();
    const char *reason = NULL;
    unsigned n = 1;

    hw_id[0] = 0;
    if (!m)
        return no_more(why, why_bytes, "no ACPI table (MADT) names any CPU");
    if (lapic_init(m, &reason))
        return no_more(why, why_bytes, reason);
    hw_id[0] = lapic_id();
    percpu_set_apic_id(0, hw_id[0]);
    if (!page.a)
        return no_more(why, why_bytes, "no free page below 1 MiB to start CPUs in");
    for (unsigned i = 0; i < m->cpus && n < max; i++) {
        if (m->apic_id[i] != hw_id[0] && lapic_reaches(m->apic_id[i]))
            hw_id[n++] = m->apic_id[i];
    }
    init_all(m, hw_id[0]);
    if (n > 1 && (!make_start_root() || start_root.a >> 32))
        return no_more(why, why_bytes, "no memory below 4 GiB for tables to start CPUs with");
    tell_odd(m, n, why, why_bytes);
    return n;
}

void arch_cpus_started(void)
{
    if (!start_root.a)
        return;

    pte_t *table = arch_phys_to_virt(start_root);

    for (unsigned i = 0; i < TABLE_KERNEL_SLOT; i++) {
        if (table[i] & PTE_PRESENT)
            table_free(&table[i], TABLE_LEVELS - 2, &start_tables);
    }
    own_page_free(table);
    start_root = phys(0);
}

/* ---- on the new CPU ------------------------------------------------------------------------ */

/* Entered from the trampoline on the CPU's own stack; cpu_id() works only below. */
static __attribute__((noreturn)) void start_here(uint32_t id)
{
    cpu_state_init();
    write_cr3(vm_root().a);
    percpu_load(id);
    desc_load(id);
    fpu_init();
    lapic_enable();
    store_release(&arrived[id], 1);
    cpu_main();
}

/* ---- on CPU 0 ------------------------------------------------------------------------------ */

static void fill_page(struct trampoline_args *a, unsigned id, uint32_t apic_id, uint64_t stack)
{
    uint32_t base = (uint32_t)page.a, gdt = base + TRAMPOLINE_ARGS;

    gdt += offsetof(struct trampoline_args, gdt);
    memcpy(arch_phys_to_virt(page), trampoline_start, (size_t)(trampoline_end - trampoline_start));
    *a = (struct trampoline_args){
        .apic_id = apic_id,
        .cr0 = (uint32_t)read_cr0(),
        .cr3 = (uint32_t)start_root.a,
        .cr4 = (uint32_t)read_cr4(),
        .efer = (uint32_t)(rdmsr(MSR_EFER) & ~EFER_LMA),
        .long_entry = base + (uint32_t)(trampoline_long - trampoline_start),
        .long_selector = SELECTOR_CODE,
        .gdt_limit = sizeof(a->gdt) - 1,
        .gdt_base = {(uint16_t)gdt, (uint16_t)(gdt >> 16)},
        .id = id,
        .id_leaf = lapic_id_leaf(),
        .stack = stack,
        .main = (uint64_t)start_here,
    };
    a->gdt[SELECTOR_CODE / 8] = DESCRIPTOR_CODE;
    a->gdt[SELECTOR_DATA / 8] = DESCRIPTOR_DATA;
    store_release(&a->offer, 1);
}

/* Has the CPU taken the offer within us? */
static bool comes(struct trampoline_args *a, uint64_t us)
{
    for (uint64_t t = 0; t < us && load_acquire(&a->offer); t += POLL_US) {
        cpu_relax();
        delay_us(POLL_US);
    }
    return !load_acquire(&a->offer);
}

int arch_cpu_start(unsigned id, uint32_t hw_id)
{
    struct trampoline_args *a =
        (struct trampoline_args *)((char *)arch_phys_to_virt(page) + TRAMPOLINE_ARGS);
    unsigned number = (unsigned)(page.a >> PAGE_SHIFT);

    _Static_assert(sizeof(struct trampoline_args) <= PAGE_SIZE - TRAMPOLINE_ARGS, "one page");

    uint64_t stack = stacks_make(id, STACK_BYTES, IST_BYTES);

    if (!stack)
        return -TT_ENOMEM;
    percpu_set_apic_id(id, hw_id);
    fill_page(a, id, hw_id, stack);
    lapic_send_startup(hw_id, number);
    if (!comes(a, STARTUP_US)) {
        lapic_send_startup(hw_id, number);
        /* Whoever takes the offer back first has it: a CPU that comes later stops. */
        if (!comes(a, ANSWER_US) && exchange(&a->offer, 0))
            return -TT_ENODEV;
    }
    for (unsigned long i = 0; !load_acquire(&arrived[id]); i++) {
        if (i == FINISH_POLL)
            panic("CPU %u came, and stopped on its way into the kernel", id);
        cpu_relax();
    }
    return 0;
}

void arch_cpu_wake(unsigned id)
{
    lapic_send(percpu_apic_id(id), VECTOR_WAKE);
}

void arch_cpu_wait(void)
{
    /* sti takes effect after the next instruction: nothing comes in between. */
    __asm__ volatile("sti\n\thlt\n\tcli" ::: "memory");
}

/* ---- stopping ------------------------------------------------------------------------------ */

void arch_cpus_stop(void)
{
    store_release(&stopping, true);
    /* One by one: to a CPU that is not ours, parked by firmware without tables, an NMI is a reset.
     */
    for (unsigned id = 0; id < cpus_running(); id++) {
        if (id != cpu_id())
            lapic_send_nmi(percpu_apic_id(id));
    }
}

bool cpu_stop_asked(void)
{
    return load_acquire(&stopping);
}
