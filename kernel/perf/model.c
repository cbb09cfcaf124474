/* The guest side of the cache model. Contract in model.h, protocol in tools/model/README.md. */
#include "perf/model.h"

#include "arch.h"
#include "core/cpu.h"
#include "core/kprintf.h"
#include "core/record.h"

#include <arch/model_cmd.h>

#include <string.h>

/* Rounds of touching and flushing: each lets QEMU double its table, from 2^8 to 2^22 entries. */
#define WARM_ROUNDS 14

/* In .bss, which is physically contiguous: the model is asked before there is memory to allocate.
 */
static union {
    struct model_area area;
    char bytes[MODEL_AREA_BYTES];
} shared __attribute__((aligned(MODEL_AREA_ALIGN)));

static bool present;
static char refusal[64];

void model_init(void)
{
    model_cmd_store(MODEL_CMD_ANNOUNCE, 0, &shared.area.announce, 1);
    volatile struct model_area *area = &shared.area;
    if (area->magic != MODEL_MAGIC)
        return;
    if (area->version != MODEL_VERSION) {
        ksnprintf(refusal, sizeof refusal, "the model's layout is %u, this kernel knows %u",
                  area->version, MODEL_VERSION);
        return;
    }
    model_cmd_store(MODEL_CMD_ATTACH, 0, &shared.area.box[0].attach, 1);
    present = true;
}

bool model_present(void)
{
    return present;
}

const char *model_refusal(void)
{
    return refusal[0] ? refusal : NULL;
}

const struct model_machine_info *model_machine(void)
{
    return &shared.area.machine;
}

struct model_area *model_area(void)
{
    return &shared.area;
}

const volatile struct model_cpu_counts *model_counts(void)
{
    model_cmd(MODEL_CMD_LATCH, 0);
    return &shared.area.snapshot[0].cpu[cpu_id()];
}

unsigned model_caches(struct arch_cache *c, unsigned max)
{
    const struct model_machine_info *m = model_machine();
    unsigned n = 0;
    for (; present && n < m->levels && n < max; n++) {
        c[n] = (struct arch_cache){.level = n + 1,
                                   .size_bytes = m->level[n].size_bytes,
                                   .ways = m->level[n].ways,
                                   .line_bytes = m->level[n].line_bytes};
        ksnprintf(c[n].source, sizeof c[n].source, "model %s", m->name);
    }
    return n;
}

void model_flush(void)
{
    if (present)
        model_cmd(MODEL_CMD_FLUSH, 0);
}

void model_warm_qemu(const volatile void *memory, uint64_t bytes)
{
    const volatile char *at = memory;
    if (!present)
        return;
    model_cmd(MODEL_CMD_IDLE_BEGIN, 0);
    for (unsigned round = 0; round < WARM_ROUNDS; round++) {
        for (uint64_t i = 0; i < bytes; i += PAGE_SIZE)
            (void)at[i];
        arch_tlb_flush();
    }
    model_cmd(MODEL_CMD_IDLE_END, 0);
}

void model_log(void)
{
    struct record r;
    if (!present && !model_refusal())
        return;
    record_begin(&r, "machine");
    record_str(&r, "what", "model");
    if (model_refusal()) {
        record_str(&r, "refused", refusal);
    } else {
        const struct model_machine_info *m = model_machine();
        record_str(&r, "machine", m->name);
        record_u64(&r, "cpus", m->cpus);
        record_u64(&r, "clock_khz", m->clock_khz);
        record_u64(&r, "page_bytes", m->page_bytes);
        record_u64(&r, "memory_latency_cycles", m->memory_latency_cycles);
        record_u64(&r, "outstanding_misses", m->outstanding_misses);
        record_str(&r, "not_modelled", "instruction fetches, page-table walks");
    }
    record_end(&r);
}
