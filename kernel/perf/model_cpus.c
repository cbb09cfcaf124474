/* The cache model and several CPUs. Contract in model_cpus.h. */
#include "perf/model_cpus.h"

#include "arch.h"
#include "core/handover.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "perf/model.h"

#include <arch/model_cmd.h>

#include <string.h>

/* A CPU beyond the boxes there are shares none: the plugin refuses such machines. */
static void attach(void *arg)
{
    struct model_area *area = arg;
    unsigned id = cpu_id();
    if (id >= MODEL_MAX_CPUS)
        return;
    model_cmd_store(MODEL_CMD_ATTACH, 0, &area->box[id].attach, 1);
    handover_key[id] = &area->box[id].args[0];
}

void model_cpus_init(void)
{
    char why[80];
    if (!model_present() || cpus_running() == 1)
        return;
    /* Once CPU 0 has a key every lock tells: the others first. */
    for (unsigned id = 1; id < cpus_running(); id++) {
        if (cpu_start_call(id, attach, model_area()) ||
            cpu_wait_call(id, CPUS_RUN_CYCLES, why, sizeof why))
            panic("CPU %u does not attach to the cache model", id);
    }
    attach(model_area());
}

struct model_lines model_lines(void)
{
    struct model_lines sum = {0};
    if (!model_present())
        return sum;
    model_counts(); /* latches all CPUs */
    unsigned last = model_machine()->levels - 1;
    for (unsigned id = 0; id < cpus_running() && id < MODEL_MAX_CPUS; id++) {
        const volatile struct model_cpu_counts *c = &model_area()->snapshot[0].cpu[id];
        sum.transfers += c->transfers_in;
        sum.upgrades += c->upgrades;
        sum.invalidations += c->level[last].invalidations;
        sum.misses += c->level[last].misses;
    }
    return sum;
}

/* The number is part of the instruction. */
#define RANGE_COMMAND(command, i)                                                                  \
    switch (i) {                                                                                   \
    case 0:                                                                                        \
        model_cmd(command, 0);                                                                     \
        break;                                                                                     \
    case 1:                                                                                        \
        model_cmd(command, 1);                                                                     \
        break;                                                                                     \
    case 2:                                                                                        \
        model_cmd(command, 2);                                                                     \
        break;                                                                                     \
    default:                                                                                       \
        panic("model: range %u of 3", i);                                                          \
    }

/* Names or adds the piece of memory at start whose frames follow each other; returns its bytes. */
static size_t name_piece(unsigned i, uintptr_t start, size_t bytes, bool first)
{
    volatile struct model_box *box = &model_area()->box[cpu_id()];
    bool scattered = start >= ARCH_OWN && start < ARCH_OWN_END;
    phys_t at = scattered ? arch_space_lookup(NULL, start, NULL) : arch_virt_to_phys((void *)start);
    size_t n = scattered ? min_u64(bytes, PAGE_SIZE - start % PAGE_SIZE) : bytes;
    while (n < bytes && arch_space_lookup(NULL, start + n, NULL).a == at.a + n)
        n += min_u64(bytes - n, PAGE_SIZE);
    box->args[0] = at.a;
    box->args[1] = at.a + n;
    if (first) {
        RANGE_COMMAND(MODEL_CMD_RANGE, i)
    } else {
        RANGE_COMMAND(MODEL_CMD_RANGE_MORE, i)
    }
    if (box->status != MODEL_OK)
        panic("model: range %u is refused", i);
    return n;
}

void model_name_range(unsigned i, const char *name, const void *start, size_t bytes)
{
    if (!model_present())
        return;
    volatile struct model_box *box = &model_area()->box[cpu_id()];
    char text[MODEL_NAME_BYTES];
    ksnprintf(text, sizeof text, "%s", name);
    for (unsigned c = 0; c < sizeof text; c++)
        box->name[c] = c <= strlen(text) ? text[c] : '\0';
    for (size_t done = 0; done < bytes;)
        done += name_piece(i, (uintptr_t)start + done, bytes - done, !done);
}

void model_extend_range(unsigned i, const void *start, size_t bytes)
{
    for (size_t done = 0; model_present() && done < bytes;)
        done += name_piece(i, (uintptr_t)start + done, bytes - done, false);
}

struct model_range_events model_range_events(unsigned i)
{
    if (!model_present())
        return (struct model_range_events){0};
    model_counts();
    const volatile struct model_range *r = &model_area()->range[i];
    return (struct model_range_events){r->misses, r->transfers, r->upgrades, r->invalidations};
}
