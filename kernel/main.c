/*
 * kernel_main: the boot in order, one step a line, and the end of it.
 *
 * Entered by boot/ with a filled boot_info. Whatever goes wrong before the experiments is a failed
 * KTAP test of its own name, so that every log has a plan, a verdict and an end record.
 */
#include "arch.h"
#include "boot_info.h"
#include "core/cmdline.h"
#include "core/console.h"
#include "core/cpu.h"
#include "core/crash.h"
#include "core/errno.h"
#include "core/exit.h"
#include "core/kprintf.h"
#include "core/ktap.h"
#include "core/newlib.h"
#include "core/panic.h"
#include "core/record.h"
#include "core/watchdog.h"
#include "irq/irq.h"
#include "lab/boot_log.h"
#include "lab/modules.h"
#include "lab/numa_log.h"
#include "lab/own_log.h"
#include "lab/preset.h"
#include "lab/runner.h"
#include "mm/memmap.h"
#include "mm/memmap_options.h"
#include "mm/own.h"
#include "perf/clock.h"
#include "perf/counters.h"
#include "perf/model.h"
#include "perf/model_cpus.h"
#include "perf/pmu.h"

static struct memmap memory_map;

__attribute__((noreturn)) static void finish(void)
{
    struct ktap_totals t = ktap_totals();
    bool ok = t.failed == 0;
    struct record r;
    record_begin(&r, "end");
    record_str(&r, "verdict", ok ? "ok" : "fail");
    record_u64(&r, "passed", t.passed);
    record_u64(&r, "failed", t.failed);
    record_u64(&r, "skipped", t.skipped);
    record_end(&r);
    exit_machine(ok);
}

/* The boot cannot go on: one failed test that says why. */
__attribute__((noreturn)) static void give_up(const char *step, const char *why)
{
    ktap_begin(1);
    ktap_result(KTAP_FAIL, step, "%s", why);
    ktap_end();
    finish();
}

static void report(const char *message, void *arg)
{
    (void)arg;
    kprintf("# error: %s\n", message);
}

static void read_command_line(const struct boot_info *bi)
{
    if (bi->cmdline_cut)
        give_up("cmdline", "the command line was cut by the loader: shorten it");
    const struct preset *preset = preset_of(bi->cmdline);
    unsigned errors = 0;
    for (unsigned i = 0; !errors && i < preset_stages(preset); i++)
        errors = preset_take(preset, i, bi->cmdline, report, NULL);
    if (errors)
        give_up("cmdline", "bad words on the command line: see the errors above");
    if (cmdline_help_asked()) {
        cmdline_help();
        ktap_begin(1);
        ktap_result(KTAP_OK, "help", NULL);
        ktap_end();
        finish();
    }
}

/* The kernel's own memory, from the lowest place that holds it above 1 MiB. */
static void take_own_memory(void)
{
    uint64_t bytes = own_range_bytes(memmap_pages(&memory_map, MEM_RAM) << PAGE_SHIFT);
    pfn_t at = memmap_take(&memory_map, bytes >> PAGE_SHIFT, 1, phys_to_pfn(phys(1ul << 20)));
    if (at.n == PFN_NONE.n)
        give_up("memory", "too little memory: no 8 MiB in one piece for the kernel itself");
    phys_t start = pfn_to_phys(at);
    own_init((struct phys_range){start, phys(start.a + bytes)});
}

/* Own memory is full before anything has run. */
__attribute__((noreturn)) static void give_up_full(const char *what)
{
    char advice[200], why[256];
    own_advise(advice, sizeof advice);
    ksnprintf(why, sizeof why, "no room for %s: %s", what, advice);
    give_up(own_colors().given ? "own_colors" : "memory", why);
}

static void set_up_memory(const struct boot_info *bi)
{
    char why[160];
    if (memmap_build(&memory_map, bi, arch_phys_limit(), why, sizeof why) ||
        memmap_apply_options(&memory_map, why, sizeof why))
        give_up("memory", why);
    arch_cpus_reserve(&memory_map);
    if (own_log_set_colors(bi->cmdline, why, sizeof why))
        give_up("own_colors", why);
    take_own_memory();
    int err = arch_vm_init(&memory_map);
    if (err) {
        if (err == -TT_EEXIST)
            give_up("console", "console= names RAM, not a serial port");
        give_up_full("the kernel's page tables");
    }
}

static void start_cpus(void)
{
    char why[160];
    irq_init();
    if (cpus_start(why, sizeof why))
        give_up("cpus", why);
    model_cpus_init();
    if (watchdog_start(why, sizeof why))
        give_up("watchdog", why);
}

/* From here on, with own_colors=, no stack is the image's. */
__attribute__((noreturn)) static void go_on(void *arg)
{
    struct boot_info *bi = arg;
    newlib_init(own_sbrk);
    clock_init();
    counters_init();
    if (pmu_failed())
        give_up("pmu", pmu_failed());
    boot_log_machine();
    boot_log_memory(&memory_map);
    start_cpus();
    const struct topology *topology = numa_log(&memory_map);
    crash_now();
    lab_modules_init(bi);
    lab_run(&memory_map, topology, bi->cmdline);
    own_log_pages();
    finish();
}

void kernel_main(struct boot_info *bi)
{
    arch_init();
    model_init();
    console_init(bi->cmdline);
    exit_init(bi->cmdline);
    boot_log_boot(bi);
    if (bi->error[0])
        give_up("boot", bi->error);
    read_command_line(bi);
    set_up_memory(bi);
    if (own_colors().given) {
        arch_leave_boot_stacks(go_on, bi);
        give_up_full("the stacks of CPU 0");
    }
    go_on(bi);
}
