/*
 * Reading counters and clocks, and the commands that work on them: regions, ranges, idle time,
 * release and acquire, samples.
 */
#include "tools/model/model.h"

#include <string.h>

uint64_t model_serial(const struct model *model, const struct model_cpu *cpu)
{
    uint64_t accesses = cpu->count[0] + cpu->count[1];

    return model_instructions(cpu) + accesses * (model->latency[0] - 1) + cpu->timing.serial_stall;
}

/* While idle, time stands still. */
static uint64_t counted_instructions(const struct model_cpu *cpu)
{
    uint64_t idle = cpu->idle ? *cpu->instructions - cpu->idle_since : 0;

    return model_instructions(cpu) - idle;
}

void model_read(const struct model *model, uint32_t index, struct model_cpu_counts *counts)
{
    const struct model_cpu *cpu = &model->cpu[index];
    uint64_t idle;

    *counts = cpu->counts;
    counts->instructions = counted_instructions(cpu);
    idle = model_instructions(cpu) - counts->instructions;
    counts->loads = cpu->count[0];
    counts->stores = cpu->count[1];
    counts->level[0].accesses = counts->loads + counts->stores;
    for (uint32_t k = 0; k < model->machine.levels; k++) {
        counts->level[k].hits = counts->level[k].accesses - counts->level[k].misses;
    }
    counts->serial_cycles = model_serial(model, cpu) - idle;
    counts->overlap_cycles = timing_overlap(&cpu->timing, counts->instructions);
}

void model_idle_begin(struct model *model, uint32_t index)
{
    struct model_cpu *cpu = &model->cpu[index];

    if (!cpu->idle) {
        cpu->idle = true;
        cpu->idle_since = *cpu->instructions;
        cpu->last[0] = MODEL_NONE;
        cpu->last[1] = MODEL_NONE;
    }
}

void model_idle_end(struct model *model, uint32_t index)
{
    struct model_cpu *cpu = &model->cpu[index];

    if (cpu->idle) {
        cpu->instructions_base += *cpu->instructions - cpu->idle_since;
        cpu->idle = false;
    }
}

bool model_release(struct model *model, uint32_t index, uint64_t key)
{
    struct model_cpu_counts now;

    model_read(model, index, &now);
    return timing_sync_release(&model->sync, key, now.serial_cycles, now.overlap_cycles);
}

void model_acquire(struct model *model, uint32_t index, uint64_t key)
{
    struct model_cpu *cpu = &model->cpu[index];
    struct model_cpu_counts now;
    uint64_t serial;
    uint64_t overlap;

    if (!timing_sync_acquire(&model->sync, key, &serial, &overlap)) {
        return;
    }
    model_read(model, index, &now);
    serial += model->machine.transfer_latency_cycles;
    overlap += model->machine.transfer_latency_cycles;
    if (serial > now.serial_cycles) {
        cpu->timing.serial_stall += serial - now.serial_cycles;
    }
    if (overlap > now.overlap_cycles) {
        cpu->timing.overlap_stall += overlap - (now.instructions + cpu->timing.overlap_stall);
    }
}

void model_region_begin(struct model *model, uint32_t index, uint32_t region)
{
    model_read(model, index, &model->cpu[index].region_start[region]);
}

void model_region_end(struct model *model, uint32_t index, uint32_t region)
{
    struct model_cpu_counts now = {0};
    uint64_t *sum = (uint64_t *)&model->region[region].sum;
    const uint64_t *start = (const uint64_t *)&model->cpu[index].region_start[region];
    const uint64_t *end = (const uint64_t *)&now;

    /* the counts are nothing but uint64_t, as the ABI's assertions say */
    model_read(model, index, &now);
    for (size_t i = 0; i < sizeof(now) / sizeof(uint64_t); i++) {
        sum[i] += end[i] - start[i];
    }
    model->region[region].ends++;
}

void model_sample(struct model *model, struct model_cpu *cpu, uint64_t pc)
{
    struct model_sampler *sampler = &model->sampler;
    uint64_t now = model_serial(model, cpu);

    while (now >= sampler->next[cpu->index]) {
        uint64_t bucket = (pc - sampler->pc_base) >> sampler->shift;

        if (pc < sampler->pc_base || bucket >= sampler->buckets) {
            bucket = sampler->buckets - 1;
        }
        sampler->bucket[bucket]++;
        sampler->next[cpu->index] += sampler->interval;
    }
}
