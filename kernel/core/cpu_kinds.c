/* Which CPU is of which kind. Contract in cpu_kinds.h. */
#include "core/cpu_kinds.h"

#include "arch.h"
#include "core/cpu.h"
#include "core/kprintf.h"
#include "core/record.h"

#include <string.h>

static char kind[CPU_MAX][CPU_KIND_BYTES];

static void ask(void *arg)
{
    arch_cpu_kind(arg, CPU_KIND_BYTES);
}

static void ask_others(void)
{
    char why[8];
    for (unsigned id = 1; id < cpus_running(); id++) {
        strcpy(kind[id], "does not say");
        if (!cpu_start_call(id, ask, kind[id]))
            cpu_wait_call(id, CPUS_RUN_CYCLES, why, sizeof why);
    }
}

/* The first CPU of that kind: itself, or an earlier one. */
static unsigned first_like(unsigned id)
{
    unsigned first = 0;
    while (strcmp(kind[first], kind[id]))
        first++;
    return first;
}

static void write_kind(unsigned first)
{
    struct record r;
    record_begin(&r, "machine");
    record_str(&r, "what", "kind");
    record_str(&r, "kind", kind[first]);
    record_array(&r, "cpus");
    for (unsigned id = first; id < cpus_running(); id++)
        if (first_like(id) == first)
            record_u64(&r, NULL, id);
    record_array_end(&r);
    record_end(&r);
}

static void warn(unsigned alike)
{
    char text[96];
    struct record r;
    ksnprintf(text, sizeof text,
              "CPUs differ in kind: an experiment with cpus= above %u mixes them", alike);
    record_begin(&r, "note");
    record_str(&r, "level", "warning");
    record_str(&r, "text", text);
    record_end(&r);
}

void cpu_kinds_log(void)
{
    unsigned alike = 0;
    if (!arch_cpu_kind(kind[0], CPU_KIND_BYTES))
        return;
    ask_others();
    for (unsigned id = 0; id < cpus_running(); id++)
        if (first_like(id) == id)
            write_kind(id);
    while (alike < cpus_running() && !first_like(alike))
        alike++;
    if (alike < cpus_running())
        warn(alike);
}
