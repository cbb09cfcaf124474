/*
 * Making, emptying and resetting a model.
 */
#include "tools/model/model.h"

#include <stdlib.h>

static uint32_t log2_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

/* Instances of a level: one per CPU, or one for all. */
static uint32_t instances(const struct model *model, uint32_t level)
{
    return level < model->private_levels ? model->machine.cpus : 1;
}

static void forget_last(struct model *model)
{
    for (uint32_t i = 0; i < model->machine.cpus; i++) {
        model->cpu[i].last[0] = MODEL_NONE;
        model->cpu[i].last[1] = MODEL_NONE;
        model->cpu[i].last_page = MODEL_NONE;
    }
}

/*
 * The filter takes a repeated access to one line as no change to anything. That is not so when
 * samples are due at any access, nor when L1 fetches further lines (it is then the last level, and
 * with a single set they would be more recent).
 */
static bool may_filter(const struct model *model)
{
    const struct machine_level *level = &model->machine.level[0];

    return !model->sampler.on &&
           !(model->machine.levels == 1 &&
             (level->sector_bytes > model->machine.line_bytes || level->prefetch_next));
}

/* Two private write-back levels and nothing to be told to anybody else. */
static bool may_miss_plain(const struct model *model)
{
    const struct machine *machine = &model->machine;

    if (machine->levels != 2 || model->private_levels != 2 || model->active_cpus != 1 ||
        model->ranges != 0) {
        return false;
    }
    for (uint32_t k = 0; k < machine->levels; k++) {
        const struct machine_level *level = &machine->level[k];

        if (level->inclusion == MACHINE_EXCLUSIVE || level->prefetch_next ||
            level->sector_bytes != machine->line_bytes || !level->write_back ||
            !level->write_allocate) {
            return false;
        }
    }
    return true;
}

static void set_quick(const struct model *model, struct model_cpu *cpu, bool on, bool plain)
{
    static uint64_t no_line[1];
    const struct cache *l1 = cpu->cache[0];
    bool virtual_index = l1->positions > 1;

    cpu->quick = (struct model_quick){
        .entry = no_line,
        .ways = 1,
        .line_shift = (uint8_t)model->line_shift,
    };
    if (on && (virtual_index || l1->plain_index)) {
        cpu->quick.entry = l1->entry;
        cpu->quick.set_mask = l1->set_mask;
        cpu->quick.set_shift = l1->set_shift;
        cpu->quick.ways = l1->ways;
        cpu->quick.virtual_index = virtual_index;
        cpu->quick.write_back = model->machine.level[0].write_back;
        cpu->quick.plain = plain && cpu->active;
    }
}

void model_choose_path(struct model *model)
{
    bool plain = may_miss_plain(model);

    model->filter_on = may_filter(model);
    for (uint32_t i = 0; i < model->machine.cpus; i++) {
        set_quick(model, &model->cpu[i], model->filter_on && !model->split_on && !model->threads,
                  plain);
    }
}

void model_set_threads(struct model *model)
{
    model->threads = true;
    model_choose_path(model);
}

static int init_level(struct model *model, uint32_t level)
{
    uint32_t lines = (uint32_t)(model->machine.level[level].size_bytes / model->machine.line_bytes);

    for (uint32_t i = 0; i < instances(model, level); i++) {
        if (cache_init(&model->cache[level][i], &model->machine, level) != 0 ||
            split_init(&model->split[level][i], lines) != 0) {
            return -1;
        }
    }
    for (uint32_t i = 0; i < model->machine.cpus; i++) {
        uint32_t instance = level < model->private_levels ? i : 0;

        model->cpu[i].cache[level] = &model->cache[level][instance];
        model->cpu[i].split[level] = &model->split[level][instance];
        model->cpu[i].bus[level] = &model->buses[level * MODEL_MAX_CPUS + instance];
    }
    return 0;
}

struct model *model_create(const struct machine *machine)
{
    struct model *model = calloc(1, sizeof(*model));
    static const uint64_t no_instructions;

    if (!model) {
        return NULL;
    }
    model->machine = *machine;
    model->line_shift = log2_of(machine->line_bytes);
    model->page_shift = log2_of(machine->page_bytes);
    model->buses = calloc((MODEL_MAX_LEVELS + 1) * MODEL_MAX_CPUS, sizeof(*model->buses));
    if (!model->buses) {
        goto fail;
    }
    while (model->private_levels < machine->levels &&
           (machine->level[model->private_levels].shared_by == 1 || machine->cpus == 1)) {
        model->private_levels++;
    }
    for (uint32_t level = 0; level < machine->levels; level++) {
        model->victim_matters[level] = machine->level[level].inclusion == MACHINE_INCLUSIVE ||
                                       (level + 1 < machine->levels &&
                                        machine->level[level + 1].inclusion == MACHINE_EXCLUSIVE);
        model->latency[level] = machine->level[level].latency_cycles;
        model->occupancy[level] =
            timing_occupancy(machine->line_bytes, machine->level[level].bandwidth_milli);
        if (init_level(model, level) != 0) {
            goto fail;
        }
    }
    model->latency[machine->levels] = machine->memory_latency_cycles;
    model->occupancy[machine->levels] =
        timing_occupancy(machine->line_bytes, machine->memory_bandwidth_milli);
    for (uint32_t i = 0; i < machine->cpus; i++) {
        struct model_cpu *cpu = &model->cpu[i];

        cpu->index = i;
        cpu->instructions = &no_instructions;
        cpu->bus[machine->levels] = &model->buses[MODEL_MAX_LEVELS * MODEL_MAX_CPUS];
        if (tlb_init(&cpu->tlb, machine->tlb_entries, machine->tlb_ways) != 0) {
            goto fail;
        }
    }
    model_choose_path(model);
    model_reset(model);
    return model;
fail:
    model_destroy(model);
    return NULL;
}

void model_destroy(struct model *model)
{
    if (!model) {
        return;
    }
    for (uint32_t i = 0; i < MODEL_MAX_CPUS; i++) {
        for (uint32_t level = 0; level < MODEL_MAX_LEVELS; level++) {
            cache_destroy(&model->cache[level][i]);
            split_destroy(&model->split[level][i]);
        }
        tlb_destroy(&model->cpu[i].tlb);
    }
    for (uint32_t i = 0; i < MODEL_MAX_RANGES; i++) {
        free(model->pieces[i].piece);
    }
    free(model->buses);
    free(model);
}

void model_set_instructions(struct model *model, uint32_t cpu, const uint64_t *instructions)
{
    model->cpu[cpu].instructions = instructions;
    model->cpu[cpu].instructions_base = *instructions;
}

void model_reset(struct model *model)
{
    for (uint32_t i = 0; i < model->machine.cpus; i++) {
        struct model_cpu *cpu = &model->cpu[i];

        memset(&cpu->counts, 0, sizeof(cpu->counts));
        memset(cpu->region_start, 0, sizeof(cpu->region_start));
        cpu->count[0] = 0;
        cpu->count[1] = 0;
        cpu->instructions_base = *cpu->instructions;
        cpu->idle_since = *cpu->instructions;
        timing_cpu_reset(&cpu->timing, model->machine.outstanding_misses);
        model->sampler.next[i] = model->sampler.interval;
    }
    for (uint32_t i = 0; i < (MODEL_MAX_LEVELS + 1) * MODEL_MAX_CPUS; i++) {
        timing_bus_reset(&model->buses[i]);
    }
    for (uint32_t i = 0; i < MODEL_MAX_RANGES; i++) {
        model->range[i].misses = 0;
        model->range[i].transfers = 0;
        model->range[i].upgrades = 0;
        model->range[i].invalidations = 0;
    }
    memset(model->region, 0, sizeof(model->region));
    timing_sync_reset(&model->sync);
    forget_last(model);
}

void model_flush(struct model *model)
{
    for (uint32_t level = 0; level < model->machine.levels; level++) {
        for (uint32_t i = 0; i < instances(model, level); i++) {
            cache_clear(&model->cache[level][i]);
            split_clear(&model->split[level][i]);
        }
    }
    for (uint32_t i = 0; i < model->machine.cpus; i++) {
        tlb_clear(&model->cpu[i].tlb);
        model->cpu[i].active = false;
    }
    model->active_cpus = 0;
    model_choose_path(model);
    forget_last(model);
}

void model_flush_tlb(struct model *model, uint32_t cpu)
{
    tlb_clear(&model->cpu[cpu].tlb);
    model->cpu[cpu].last[0] = MODEL_NONE;
    model->cpu[cpu].last[1] = MODEL_NONE;
    model->cpu[cpu].last_page = MODEL_NONE;
}

void model_set_split(struct model *model, bool on)
{
    for (uint32_t level = 0; level < model->machine.levels; level++) {
        for (uint32_t i = 0; i < instances(model, level); i++) {
            split_clear(&model->split[level][i]);
        }
    }
    model->split_on = on;
    model_choose_path(model);
}

void model_sample_start(struct model *model, uint32_t *bucket, uint64_t buckets, uint64_t pc_base,
                        uint32_t shift, uint64_t interval)
{
    struct model_sampler *sampler = &model->sampler;

    sampler->bucket = bucket;
    sampler->buckets = buckets;
    sampler->pc_base = pc_base;
    sampler->shift = shift;
    sampler->interval = interval;
    for (uint32_t i = 0; i < model->machine.cpus; i++) {
        sampler->next[i] = model_serial(model, &model->cpu[i]) + interval;
    }
    sampler->on = true;
    model_choose_path(model);
    forget_last(model);
}

void model_sample_stop(struct model *model)
{
    model->sampler.on = false;
    model_choose_path(model);
}
