/*
 * The arch contract: everything the machine-independent kernel asks of a port, in one place.
 *
 * A port is a folder arch/NAME that implements these functions and provides the headers
 *   <arch/param.h>  PAGE_SHIFT, PAGE_SIZE, LARGE_PAGE_SHIFT, LINE_BYTES (alignment that avoids
 *                   false sharing), ARCH_IMAGE_PROTECTED (0: text is writable and stacks have no
 *                   guard page), ARCH_BUS_ERROR (a device's physical address that reading ends in
 *                   a machine check, 0: there is none), ARCH_NAME
 *   <arch/cpu.h>    static inline: cpu_relax(), cpu_cycles() (see below), barriers; cpu_id() and
 *                   ARCH_CPU_ID where the port starts further CPUs (core/cpu.h)
 * Everything is called on one CPU with interrupts off unless a line says otherwise. Functions
 * that can fail return 0 or a negative errno-style code (core/errno.h).
 */
#ifndef TT_ARCH_H
#define TT_ARCH_H

#include "boot_info.h"
#include "core/types.h"

struct memmap;
struct trap_frame; /* registers at a trap; layout is the port's own */

/* ---- processor ---------------------------------------------------------------------------- */

/* Traps, descriptor tables, FPU on. After it a fault reports instead of resetting. Once, first. */
void arch_init(void);

/* Stops this CPU for good. */
__attribute__((noreturn)) void arch_halt(void);

enum exit_way { EXIT_HALT, EXIT_POWEROFF, EXIT_REBOOT, EXIT_QEMU };

/*
 * Leaves the machine; ok chooses the status where the way has one (EXIT_QEMU: QEMU's exit status
 * is 33 for ok, 35 for not ok on x86_64; 0 and 1 on Alpha). Falls back to halting when the way
 * does not exist on this machine. Every wait inside is bounded.
 */
__attribute__((noreturn)) void arch_exit(enum exit_way way, bool ok);

/* ---- further processors, interrupts (optional: core/single.c answers for a port without) ----- */

/* Takes what starting CPUs needs in particular places out of the map. Before arch_vm_init. */
void arch_cpus_reserve(struct memmap *map);

/*
 * Hardware numbers of the CPUs that firmware calls usable, hw_id[0] being this one's, at most max
 * of them; returns how many, at least 1. What is odd (no table, a CPU that cannot be named) goes
 * to why. After arch_vm_init.
 */
unsigned arch_cpus_find(uint32_t *hw_id, unsigned max, char *why, size_t why_bytes);

/*
 * Starts a CPU as number id, on a stack of its own with a guard page; it ends up in cpu_main()
 * (core/cpu.h) with interrupts off. 0 when it got there, -TT_ENODEV when it did not answer within
 * some 100 ms (it never will: a late one stops), -TT_ENOMEM. One at a time.
 */
int arch_cpu_start(unsigned id, uint32_t hw_id);

/* All are started that will be: gives back what only starting needed. */
void arch_cpus_started(void);

/* Ends another CPU's arch_cpu_wait, the present one or the next. */
void arch_cpu_wake(unsigned id);

/*
 * Waits, halted, until an interrupt or arch_cpu_wake comes; what came since interrupts were turned
 * off counts. Handlers run. Called and left with interrupts off. May return early.
 */
void arch_cpu_wait(void);

/*
 * Stops all other CPUs for good, wherever they are; each says where by cpu_stopped() (core/cpu.h).
 * For panic: waits for nothing.
 */
void arch_cpus_stop(void);

/* Interrupts off; what they were, for restore. */
unsigned long arch_irq_save(void);
void arch_irq_restore(unsigned long was);

#define IRQ_MAX 64 /* interrupt numbers of a port: 0 to IRQ_MAX - 1 */

/* A controller: what the dispatcher asks of it, under its lock, interrupts off. */
struct arch_irq_chip {
    const char *name;
    void (*enable)(unsigned irq);  /* let it through from now on */
    void (*disable)(unsigned irq); /* hold it back */
    void (*ack)(unsigned irq);     /* seen; it does not come again at once on this CPU */
    void (*end)(unsigned irq);     /* handled; not called for one that was disabled meanwhile */
};

/*
 * irq/irq.c's, called by the port: a controller owns these numbers (per_cpu: each CPU has its own
 * of them, as timers are); an interrupt has come. false: nobody owns it, the port acknowledges.
 */
void irq_add_chip(const struct arch_irq_chip *chip, unsigned first, unsigned n, bool per_cpu);
bool irq_enter(unsigned irq);

/* Finds the controllers, holds every line back, hands them to irq_add_chip. Once. */
void arch_irqs_init(void);

/* Number of an ISA interrupt (0 timer, 4 serial port, 8 clock, ...), or -TT_ENODEV. */
int arch_irq_of_isa(unsigned isa);

/* Numbers of interrupts that CPUs send each other (i = 0, 1, ...: neighbours), or -TT_ENODEV. */
int arch_irq_of_ipi(unsigned i);

/* Sends one of those to a CPU, which may be this one. */
void arch_irq_send(unsigned irq, unsigned cpu);

/* Number of each CPU's own timer, or -TT_ENODEV. */
int arch_irq_of_timer(void);

/* Makes this CPU's timer interrupt every `ns` nanoseconds, 0: no more. 0, or -TT_ENODEV. */
int arch_timer_every(uint64_t ns);

/*
 * The board's timer whose interrupt is a level, for the self-test. start: its interrupt's number,
 * or -TT_ENODEV with a reason; it is off. ask: the level goes up once, soon. take: has it gone up?
 * Then it is down again, and `early` says whether it was not yet time. stop: off. Interrupts are
 * off.
 */
int arch_level_start(const char **why);
void arch_level_ask(void);
bool arch_level_take(bool *early);
void arch_level_stop(void);

/* Which CPU a device's interrupt goes to. NULL, or why it cannot go there. Not in a handler. */
const char *arch_irq_route(unsigned irq, unsigned cpu);

/*
 * Begins to call watchdog_tick() (core/watchdog.h) on CPU 0 again and again, interrupts off or not.
 * Returns how often, in thousandths of a hertz; 0: this machine cannot.
 */
unsigned arch_watchdog_start(void);

/* Takes what is pending on this CPU; interrupts are off before and after. */
void arch_irq_window(void);

/* Hardware number of a running CPU. */
uint32_t arch_cpu_hw_id(unsigned id);

#define CPU_KIND_BYTES 32

/*
 * On a processor that mixes kinds of cores: names the kind of the CPU it is called on, CPUs of one
 * kind alike, in at most CPU_KIND_BYTES. false: all CPUs are alike, or nothing is known of it.
 */
bool arch_cpu_kind(char *name, size_t bytes);

/* ---- nodes (optional) ---------------------------------------------------------------------- */

#define NUMA_NODES   16  /* the largest machines that this could meet have 8 */
#define NUMA_RANGES  64  /* of memory, over all nodes */
#define NUMA_CPUS    256 /* by hardware number */
#define NUMA_NO_NODE 0xff

struct arch_numa_range {
    struct phys_range at;
    uint8_t node;
};

/* What firmware says, as it says it: mm/numa.c judges. */
struct arch_numa {
    unsigned nodes;
    uint32_t domain[NUMA_NODES]; /* firmware's numbers, ascending */
    unsigned ranges;
    struct arch_numa_range range[NUMA_RANGES];
    uint8_t node_of_cpu[NUMA_CPUS]; /* NUMA_NO_NODE: not named */
    bool has_distances;
    uint8_t distance[NUMA_NODES][NUMA_NODES]; /* from, to */
};

/* False when firmware says nothing about nodes, or nothing that can be read (then why is set). */
bool arch_numa_read(struct arch_numa *raw, char *why, size_t why_bytes);

/* Facts for the machine record; each a short ASCII string or "unknown". */
struct arch_machine {
    char vendor[16];
    char cpu[64];        /* brand string */
    char hypervisor[16]; /* "", or the hypervisor's signature; TCG announces itself */
    unsigned family, model, stepping;
};
void arch_machine_info(struct arch_machine *m);

/* One data or unified cache as the machine describes itself. */
struct arch_cache {
    unsigned level;      /* 1, 2, 3, ... */
    uint64_t size_bytes; /* of one instance */
    unsigned ways;       /* associativity; 0 when fully associative */
    unsigned line_bytes;
    char source[24]; /* "cpuid leaf 4", "cpuid 0x8000001d", "model", ... */
};

/*
 * Fills c[0..max) with data and unified caches, ascending level; returns how many. Values are
 * handed over as found: color_auto() judges whether they are plausible (a hypervisor that says
 * one set and one way is not believed there).
 */
unsigned arch_caches(struct arch_cache *c, unsigned max);

/* ---- console device ------------------------------------------------------------------------ */

/*
 * Opens a serial port by its console= name ("ttyS0", "io:0x2f8", "mmio32:0xfe034000") at a speed
 * that divides 115200 (0: the one that is set). 0, or -TT_ENODEV when nothing answers there (a port
 * that reads all ones), -TT_EINVAL for a name this machine has not.
 */
int arch_uart_open(const char *name, unsigned baud);

/*
 * Optional: puts in the place of a name that says where to look ("pci", "spcr") the name of what is
 * found there, for arch_uart_open, and sets *baud where the finding says so; leaves other names
 * alone. 0, or -TT_ENODEV, or -TT_EINVAL as above.
 */
int arch_uart_find(char *name, size_t bytes, unsigned *baud);

/* Where the open port's registers lie in memory, or PHYS_NONE: arch_vm_init keeps them reachable.
 */
phys_t arch_uart_memory(void);

/* Sends one byte; gives up after a bounded wait (then the port counts as absent). */
void arch_uart_putc(char c);

/* ---- memory -------------------------------------------------------------------------------- */

/*
 * Builds the final kernel map from own memory (mm/own.h must be up): image W^X, direct map of
 * all RAM in the memmap (no alias of text or rodata writable, nothing in it executable), guard
 * pages below stacks, the console's registers; drops the boot-time identity map. 0, or -TT_ENOMEM,
 * or -TT_EEXIST when these registers lie in RAM.
 */
int arch_vm_init(const struct memmap *map);

/* Direct map. Before arch_vm_init only the first ARCH_EARLY_MAP bytes of RAM are reachable. */
void *arch_phys_to_virt(phys_t a);

/* Inverse, for direct-map and image addresses only (what else own memory gives: _space_lookup). */
phys_t arch_virt_to_phys(const void *v);

/* Maps device registers uncached; returns NULL when the window is full. Never unmapped. */
volatile void *arch_map_device(phys_t a, size_t bytes);

/*
 * The own window [ARCH_OWN, ARCH_OWN_END) (<arch/param.h>): kernel addresses in every space, where
 * mm/own_window.c puts own memory whose frames do not follow each other. Maps one base page,
 * writable and not executable, for good. 0, -TT_ENOMEM (no table page) or -TT_EEXIST. After
 * arch_vm_init; one call at a time.
 */
int arch_own_map(uintptr_t va, pfn_t p);

/*
 * CPU 0 leaves the stacks in the image for new ones of own_stack(), of the same sizes: those of
 * exceptions where the port has such, then its own, on which it calls then(arg), which must not
 * return. Comes back only when there is no memory: -TT_ENOMEM. After arch_vm_init.
 */
int arch_leave_boot_stacks(void (*then)(void *arg), void *arg);

/* Highest physical address this CPU can map, plus one. */
phys_t arch_phys_limit(void);

/* ---- address spaces ------------------------------------------------------------------------ */

/*
 * An address space for subjects: a window of virtual addresses [ARCH_WINDOW, ARCH_WINDOW_END)
 * (constants in <arch/param.h>) that belongs to the current space; the kernel's own addresses
 * are in every space. Page tables come from mm/own.h, never from the subject.
 */
struct arch_space {
    phys_t root;
    unsigned table_pages; /* page-table pages it owns */
};

enum {
    PROT_R = 1,
    PROT_W = 2,
    PROT_X = 4,
};

int arch_space_create(struct arch_space *s);   /* 0 or -TT_ENOMEM */
void arch_space_destroy(struct arch_space *s); /* frees tables, not the pages mapped */
void arch_space_switch(struct arch_space *s);  /* NULL: kernel only */

/*
 * Maps one page of 2^order base pages at va (order 0, or LARGE_PAGE_SHIFT - PAGE_SHIFT). va is
 * aligned to the page's size and inside the window. 0, -TT_ENOMEM (no table page), -TT_EEXIST (va
 * is mapped), -TT_EINVAL (order). A change is visible to this CPU on return.
 */
int arch_space_map(struct arch_space *s, uintptr_t va, pfn_t p, unsigned order, unsigned prot);

/* Takes the mapping at va away; returns the frame, or PFN_NONE when nothing was mapped. */
pfn_t arch_space_unmap(struct arch_space *s, uintptr_t va);

/* Changes protection of the page at va; 0 or -TT_ENOENT. */
int arch_space_protect(struct arch_space *s, uintptr_t va, unsigned prot);

/*
 * Walks the page tables as the hardware would: the physical address behind va in space s (NULL:
 * the kernel's), protection into *prot if not NULL, or PHYS_NONE when unmapped.
 */
phys_t arch_space_lookup(const struct arch_space *s, uintptr_t va, unsigned *prot);

/* Calls page() for every page-table page of s, the kernel's tables left out; NULL: just those. */
void arch_space_tables(const struct arch_space *s, void (*page)(phys_t at, void *arg), void *arg);

/* Flushes all non-global translations of this CPU. */
void arch_tlb_flush(void);

/* ---- traps --------------------------------------------------------------------------------- */

enum trap_kind {
    TRAP_PAGE_FAULT, /* no translation, or protection */
    TRAP_ILLEGAL,    /* undefined instruction */
    TRAP_ARITH,      /* divide, FP */
    TRAP_ALIGN,
    TRAP_BREAK,
    TRAP_OTHER
};

struct trap_info {
    enum trap_kind kind;
    unsigned vector;  /* the machine's own number */
    const char *name; /* "#PF page fault", ... */
    uintptr_t pc;
    uintptr_t address; /* faulting address of TRAP_PAGE_FAULT, else 0 */
    bool write, exec, present;
    bool fatal; /* double fault, NMI, machine check: what was interrupted cannot be ended safely */
};

/*
 * core/trap.c's handler, called by the port for every exception, on the interrupted stack (own
 * stacks only for double fault, NMI and machine check). true: resume where the frame says;
 * false: the port calls panic_trap(). It is compiled with general registers only.
 */
bool trap_handle(const struct trap_info *t, struct trap_frame *f);

/* Makes the interrupted code continue at pc with its stack pointer sp (ending an experiment). */
void arch_trap_redirect(struct trap_frame *f, uintptr_t pc, uintptr_t sp);

/* Prints registers, 80 columns, through kprintf, each line led by "# ". */
void arch_trap_print(const struct trap_frame *f);

/* Return addresses from a frame (NULL: from the caller), newest first; returns how many. */
unsigned arch_backtrace(const struct trap_frame *f, uintptr_t *pc, unsigned max);

/* ---- clocks and counters ------------------------------------------------------------------- */

/* Name of the cycle counter that cpu_cycles() reads: "tsc" or "rpcc". */
extern const char arch_cycle_source[];

/* A reference clock for calibration: 64-bit, monotonic, bounded read. */
struct arch_ref_clock {
    const char *name; /* "pit", "acpi_pm", "hpet", "hwrpb" */
    uint64_t hz;
    uint64_t (*read)(void);
};

/* Fills r[0..max) with the reference clocks that work here; returns how many (possibly 0). */
unsigned arch_ref_clocks(struct arch_ref_clock *r, unsigned max);

/* The frequency that the firmware or CPU states for cpu_cycles(), 0 if it states none. */
uint64_t arch_cycle_hz_stated(void);

/* Does the counter run at a constant rate through frequency changes? -1 unknown. */
int arch_cycle_invariant(void);

/* ---- performance counters ------------------------------------------------------------------ */

#define PMU_EVENTS_MAX 8 /* counted at once */

struct pmu_event {
    const char *name; /* as pmu= has it: "llc_misses" */
    const char *what; /* one line, for run=list */
    uint64_t select;  /* what the port's control register takes */
};

/* How many events this CPU counts at once; 0, and *why it counts none. Nothing is touched. */
unsigned arch_pmu_counters(const char **why);

/* The events that have names on this CPU, those that auto takes first. */
const struct pmu_event *arch_pmu_events(unsigned *n);

/* The bits that the select of an event without a name (pmu=rHEX) may have; 0: no such events. */
uint64_t arch_pmu_raw_bits(void);

/* Can these be counted together? NULL, or why not. */
const char *arch_pmu_fit(const struct pmu_event *e, unsigned n);

/* Counts e[0..n), which fit, on the calling CPU from now on. NULL, or why that failed. */
const char *arch_pmu_start(const struct pmu_event *e, unsigned n);

/*
 * The calling CPU's count of e[i]; it goes up and never round, if it is read more often than the
 * machine's counter goes round (40 bits, the narrowest of x86, at 4 GHz: every 274 s).
 */
uint64_t arch_pmu_read(unsigned i);

#endif
