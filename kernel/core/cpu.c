/* Starting processors, and running functions on them. Contract in cpu.h. */
#include "core/cpu.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/cpu_kinds.h"
#include "core/cpu_offset.h"
#include "core/errno.h"
#include "core/handover.h"
#include "core/kprintf.h"
#include "core/newlib.h"
#include "core/panic.h"
#include "core/record.h"
#include "core/trap.h"

#include <string.h>

enum call_state { CALL_NONE, CALL_GIVEN, CALL_DONE };

/* A CPU's letterbox. fn, arg are the caller's before CALL_GIVEN, the rest the CPU's until DONE. */
struct call {
    uint32_t state;
    void (*fn)(void *arg);
    void *arg;
    bool trapped;
    struct trap_info trap;
};

static PER_CPU(struct call, calls);
static unsigned running = 1;

/* ---- options ------------------------------------------------------------------------------- */

static unsigned wanted; /* the most that any level asks for; 0: all there are */
static bool only_one;   /* nosmp */

void cpus_want(unsigned n)
{
    if (n > wanted)
        wanted = n;
}

static int parse_nosmp(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    if (*value) {
        ksnprintf(err, err_bytes, "valid: the word alone");
        return -TT_EINVAL;
    }
    only_one = true;
    return 0;
}

REGISTER(option, nosmp) = {
    .name = "nosmp", .grammar = "", .help = "start no further CPU", .parse = parse_nosmp};

/* ---- starting ------------------------------------------------------------------------------ */

unsigned cpus_running(void)
{
    return running;
}

/* Numbers stay without gaps: the next CPU takes the number of one that did not come. */
static void start_one(uint32_t hw_id)
{
    newlib_init_cpu(running);
    int bad = arch_cpu_start(running, hw_id);
    if (!bad) {
        store_release(&running, running + 1);
        return;
    }
    struct record r;
    char text[96];
    ksnprintf(text, sizeof text, "CPU with hardware number %u %s: left out", (unsigned)hw_id,
              bad == -TT_ENOMEM ? "gets no memory for its stacks" : "does not answer");
    record_begin(&r, "note");
    record_str(&r, "level", "warning");
    record_str(&r, "text", text);
    record_end(&r);
}

int cpus_start(char *err, size_t err_bytes)
{
    static uint32_t hw_id[CPU_MAX];
    char why[160] = "";
    unsigned limit = only_one ? 1 : wanted ? wanted : CPU_MAX;
    unsigned found = arch_cpus_find(hw_id, CPU_MAX, why, sizeof why);
    for (unsigned i = 1; i < found && running < limit; i++)
        start_one(hw_id[i]);
    arch_cpus_started();

    struct record r;
    record_begin(&r, "machine");
    record_str(&r, "what", "cpus");
    record_u64(&r, "found", found);
    record_u64(&r, "running", running);
    if (why[0])
        record_str(&r, "why", why);
    record_end(&r);
    cpu_offset_log();
    cpu_kinds_log();
    if (running >= wanted)
        return 0;
    size_t used = ksnprintf(err, err_bytes, "cpus=%u: only %u of this machine's %u CPUs run%s",
                            wanted, running, found, only_one ? ", because of nosmp" : "");
    if (found < wanted && used < err_bytes)
        ksnprintf(err + used, err_bytes - used, "; QEMU has more with SMP=%u", wanted);
    return -TT_ENODEV;
}

/* ---- where CPUs were ----------------------------------------------------------------------- */

/* A stopped CPU answers within microseconds, an emulated one when its turn comes. */
#define PLACE_SPINS 2000000ul

struct place {
    uintptr_t pc[CPU_PLACE_MAX];
    uint32_t n; /* written last; 0: nothing there */
};

static PER_CPU(struct place, places);

void cpu_stopped(const struct trap_frame *f)
{
    struct place *p = &this_of(places);
    store_release(&p->n, arch_backtrace(f, p->pc, CPU_PLACE_MAX));
}

unsigned cpu_place(unsigned id, uintptr_t pc[CPU_PLACE_MAX])
{
    const struct place *p = &cpu_of(places, id);
    for (unsigned long i = 0; i < PLACE_SPINS && !load_acquire(&p->n); i++)
        cpu_relax();
    memcpy(pc, p->pc, sizeof p->pc);
    return load_once(&p->n);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static void run_call(struct call *c)
{
    handover_acquire(c);
    c->trapped = !trap_guard(c->fn, c->arg, &c->trap);
    handover_release(c);
    store_release(&c->state, CALL_DONE);
}

void cpu_main(void)
{
    struct call *c = &this_of(calls);
    for (;;) {
        if (load_acquire(&c->state) == CALL_GIVEN)
            run_call(c);
        else
            arch_cpu_wait();
    }
}

int cpu_start_call(unsigned id, void (*fn)(void *arg), void *arg)
{
    if (id >= running)
        return -TT_ENODEV;
    struct call *c = &cpu_of(calls, id);
    if (id == cpu_id() || load_once(&c->state) != CALL_NONE)
        return -TT_EBUSY;
    c->fn = fn;
    c->arg = arg;
    handover_release(c);
    store_release(&c->state, CALL_GIVEN);
    arch_cpu_wake(id);
    return 0;
}

int cpu_wait_call(unsigned id, uint64_t cycles, char *why, size_t why_bytes)
{
    struct call *c = &cpu_of(calls, id);
    uint64_t start = cpu_cycles();
    while (load_acquire(&c->state) != CALL_DONE) {
        if (cpu_cycles() - start > cycles) {
            ksnprintf(why, why_bytes, "CPU %u is not through after %lu cycles", id,
                      (unsigned long)cycles);
            return -TT_ETIMEDOUT;
        }
        cpu_relax();
    }
    handover_acquire(c);
    if (c->trapped)
        ksnprintf(why, why_bytes, "exception on CPU %u: %s at 0x%lx, address 0x%lx", id,
                  c->trap.name, (unsigned long)c->trap.pc, (unsigned long)c->trap.address);
    store_once(&c->state, CALL_NONE);
    return c->trapped ? -TT_EFAULT : 0;
}

int cpus_run(unsigned n, void (*fn)(void *arg), void *arg, char *why, size_t why_bytes)
{
    int bad = 0;
    unsigned given = 1;
    check(1, n >= 1 && n <= running && cpu_id() == 0);
    for (; given < n && !bad; given++)
        bad = cpu_start_call(given, fn, arg);
    if (bad)
        panic("cpus_run: CPU %u is still at work", given - 1);
    fn(arg);
    for (unsigned id = 1; id < n; id++) {
        char text[160];
        int one = cpu_wait_call(id, CPUS_RUN_CYCLES, text, sizeof text);
        if (one && !bad) {
            bad = one;
            ksnprintf(why, why_bytes, "%s", text);
        }
    }
    return bad;
}
